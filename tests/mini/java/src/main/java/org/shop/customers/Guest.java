package org.shop.customers;

public class Guest extends Customer {
    public Guest() {
        super("guest");
    }

    @Override
    public Address address() {
        address.print();
        return super.address();
    }
}
