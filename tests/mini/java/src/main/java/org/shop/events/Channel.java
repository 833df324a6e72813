package org.shop.events;

import java.util.ArrayList;
import java.util.List;

public class Channel<E> {
    private final List<Listener<? super E>> listeners = new ArrayList<>();

    public void publish(E event) {
        for (Listener<? super E> listener : listeners) {
            listener.on(event);
        }
    }

    public Channel<E> connect(Listener<? super E> listener) {
        listeners.add(listener);
        return this;
    }
}
