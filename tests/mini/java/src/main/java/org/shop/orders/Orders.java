package org.shop.orders;

import org.shop.catalog.Catalog;
import org.shop.customers.*;
import org.shop.events.*;

public class Orders {
    static final Channel<Order> placed = new Channel<>();

    static {
        placed.connect(Log.get());
        placed.connect(new Listener<Order>() {
            @Override
            public void on(Order order) {
                order.total();
            }
        });
    }

    public static Order place(Catalog catalog, Customer customer) {
        var order = new Order("o1", customer);
        order.add(catalog.find("pen")).total();
        Runnable later = order::ship;
        later.run();
        return order;
    }
}
