package org.shop.catalog;

import java.util.List;
import static org.shop.pricing.Money.sum;

public class Bundle extends Item {
    private final List<Item> items;

    public Bundle(String key, List<Item> items) {
        super(key, sum(items.get(0).price()));
        this.items = items;
    }

    @Override
    protected String describe() {
        return "bundle" + items.stream().map(item -> item.label()).count();
    }
}
