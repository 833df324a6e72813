package shop.web;

import shop.stock.Shelf;

public class OrderPage {
    private final Shelf shelf;

    public OrderPage(Shelf shelf) {
        this.shelf = shelf;
    }

    public String order(String article, int count) {
        return shelf.take(article, count) ? "ordered" : "only " + shelf.available(article) + " left";
    }
}
