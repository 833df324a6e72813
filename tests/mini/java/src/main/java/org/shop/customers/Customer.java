package org.shop.customers;

import org.shop.base.Entity;

public class Customer extends Entity {
    Address address = new Address("street");

    public Customer(String key) {
        super(key);
    }

    public Address address() {
        return address;
    }

    @Override
    protected String describe() {
        return "customer" + shout() + PREFIX;
    }
}
