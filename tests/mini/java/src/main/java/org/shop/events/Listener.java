package org.shop.events;

public interface Listener<E> {
    void on(E event);
}
