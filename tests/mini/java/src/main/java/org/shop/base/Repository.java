package org.shop.base;

import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.function.Function;

public class Repository<T extends Named> {
    private final Map<String, T> items = new HashMap<>();

    public T get(String key) {
        return items.get(key);
    }

    public T add(T item) {
        items.put(item.name(), item);
        return item;
    }

    public void add(T item, int count) {
        for (int i = 0; i < count; i++) {
            add(item);
        }
    }

    public <R> List<R> map(Function<T, R> function) {
        List<R> result = new ArrayList<>();
        for (T item : items.values()) {
            result.add(function.apply(item));
        }
        return result;
    }
}
