package org.shop.events;

import org.shop.base.Named;

public class Log implements Listener<Named> {
    private static Log instance;

    public static Log get() {
        if (instance == null) {
            instance = new Log();
        }
        return instance;
    }

    @Override
    public void on(Named event) {
        write(event.shout());
    }

    void write(String text) {
        System.out.println(text);
    }
}
