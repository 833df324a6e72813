package orders_test

import (
	"testing"

	"example.com/shop/catalog"
	"example.com/shop/events"
	"example.com/shop/orders"
	"example.com/shop/storage"
)

func TestPlace(t *testing.T) {
	items := catalog.New(&storage.Disk[*catalog.Item]{})
	items.Add(catalog.Item{Name: "lamp"})
	book := orders.NewBook(items, events.Default())
	if order, err := book.Place("lamp", 1); err != nil || order.Describe() != "lamp" {
		t.Fatal(err)
	}
	book.Total()
}
