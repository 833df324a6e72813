package shop.stock;

import java.util.HashMap;
import java.util.Map;

/** What lies on the shelf, by article. */
public class Shelf {
    private final Map<String, Integer> counts = new HashMap<>();

    public void put(String article, int count) {
        counts.merge(article, count, Integer::sum);
    }

    public boolean take(String article, int count) {
        int left = available(article) - count;
        if (left < 0) {
            return false;
        }
        counts.put(article, left);
        return true;
    }

    public int available(String article) {
        return counts.getOrDefault(article, 0);
    }
}
