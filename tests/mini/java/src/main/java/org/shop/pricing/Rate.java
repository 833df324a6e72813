package org.shop.pricing;

public enum Rate {
    FULL(19) {
        @Override
        Money of(Money money) {
            return money.times(2);
        }
    },
    HALF(7);

    private final int percent;

    Rate(int percent) {
        this.percent = percent;
    }

    Money of(Money money) {
        return money.times(percent);
    }

    public static Money tax(Money money) {
        return values()[0].of(money).plus(HALF.of(money));
    }
}
