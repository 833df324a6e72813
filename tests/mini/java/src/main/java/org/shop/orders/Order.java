package org.shop.orders;

import java.util.ArrayList;
import java.util.List;
import org.shop.base.Entity;
import org.shop.catalog.Item;
import org.shop.customers.Customer;
import org.shop.pricing.Money;

public class Order extends Entity {
    private final Customer customer;
    final List<Line> lines = new ArrayList<>();

    public Order(String key, Customer customer) {
        super(key);
        this.customer = customer;
    }

    public Line add(Item item) {
        Line line = new Line(item, 1);
        lines.add(line);
        return line;
    }

    public Money total() {
        Money total = Money.ZERO;
        for (Line line : lines) {
            total = total.plus(line.total());
        }
        return total;
    }

    public void ship() {
        customer.address().print();
        Orders.placed.publish(this);
    }

    @Override
    protected String describe() {
        return customer.label();
    }

    public class Line {
        final Item item;
        final int count;

        Line(Item item, int count) {
            this.item = item;
            this.count = count;
        }

        Money total() {
            return item.price().times(count);
        }
    }
}
