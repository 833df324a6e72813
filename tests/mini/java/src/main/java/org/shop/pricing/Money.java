package org.shop.pricing;

public final class Money {
    public static final Money ZERO = new Money(0);
    private final int cents;

    public Money(int cents) {
        this.cents = cents;
    }

    public static Money sum(Money... all) {
        Money total = ZERO;
        for (Money money : all) {
            total = total.plus(money);
        }
        return total;
    }

    public Money plus(Money other) {
        return new Money(cents + other.cents);
    }

    public Money times(int count) {
        return new Money(cents * count);
    }

    public Money times(double rate) {
        return times((int) rate);
    }
}
