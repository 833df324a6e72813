package shop.web;

import shop.stock.Shelf;

public class StockPage {
    public String show(Shelf shelf, String article) {
        return article + ": " + shelf.available(article);
    }
}
