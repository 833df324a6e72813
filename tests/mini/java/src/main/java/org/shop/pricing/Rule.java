package org.shop.pricing;

@FunctionalInterface
public interface Rule {
    Money apply(Money price);

    default Rule then(Rule next) {
        return price -> next.apply(apply(price));
    }

    static Rule none() {
        return price -> price;
    }
}
