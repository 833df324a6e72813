package org.shop.catalog;

import org.shop.base.*;
import org.shop.events.Channel;

public class Catalog {
    private final Repository<Item> items = new Repository<>();
    public final Channel<Item> changed = new Channel<>();

    public void load() {
        Item pen = items.add(new Item("pen", 2));
        items.add(pen, 3);
        changed.publish(pen);
        items.map(Item::price).forEach(price -> price.times(2));
    }

    public Item find(String key) {
        return items.get(key);
    }

    static class Cursor {
        int at;

        Item next(Catalog catalog) {
            at++;
            return catalog.find("pen");
        }
    }
}
