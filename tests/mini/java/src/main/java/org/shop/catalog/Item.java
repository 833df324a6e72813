package org.shop.catalog;

import org.shop.base.Entity;
import org.shop.pricing.Money;
import org.shop.pricing.Rule;

public class Item extends Entity {
    private final Money price;

    public Item(String key, Money price) {
        super(key);
        this.price = price;
    }

    public Item(String key, int cents) {
        this(key, new Money(cents));
    }

    public Money price() {
        return price;
    }

    public Money discounted(Rule rule) {
        return rule.apply(price);
    }

    @Override
    protected String describe() {
        return "item";
    }
}
