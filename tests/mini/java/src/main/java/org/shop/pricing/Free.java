package org.shop.pricing;

class Free extends Discount {
    Free() {
        super(0);
    }

    @Override
    public Money apply(Money price) {
        return super.apply(price).plus(Money.ZERO);
    }
}
