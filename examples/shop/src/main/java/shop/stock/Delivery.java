package shop.stock;

public class Delivery {
    private final Shelf shelf;

    public Delivery(Shelf shelf) {
        this.shelf = shelf;
    }

    public void unload(String article, int count) {
        shelf.put(article, count);
    }
}
