package org.shop.base;

public interface Named {
    String PREFIX = "n:";

    String name();

    default String shout() {
        return name().toUpperCase();
    }
}
