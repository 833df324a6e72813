package org.shop.customers;

public record Address(String street) {
    public void print() {
        System.out.println(street());
    }
}
