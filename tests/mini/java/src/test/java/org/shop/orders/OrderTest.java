package org.shop.orders;

import org.shop.catalog.Item;
import org.shop.customers.Customer;

public class OrderTest {
    private final Order order = new Order("k", new Customer("c"));

    public void addsUp() {
        order.add(new Item("pen", 3)).total();
        order.total().plus(order.total());
    }
}
