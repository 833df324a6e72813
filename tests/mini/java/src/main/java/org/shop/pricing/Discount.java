package org.shop.pricing;

public class Discount implements Rule {
    protected final double rate;

    public Discount(double rate) {
        this.rate = rate;
    }

    @Override
    public Money apply(Money price) {
        return price.times(rate);
    }

    public Money unusedRate(Money price) {
        return apply(price);
    }
}
