package org.shop.base;

import java.util.Objects;

public abstract class Entity implements Named {
    protected final String key;

    protected Entity(String key) {
        this.key = Objects.requireNonNull(key);
    }

    public String label() {
        return describe() + key;
    }

    protected abstract String describe();

    @Override
    public String name() {
        return key;
    }

    public static Entity first(Entity... all) {
        return all[0];
    }
}
