package main

import (
	"example.com/shop/catalog"
	"example.com/shop/events"
	"example.com/shop/orders"
	store "example.com/shop/storage"
	"example.com/text/format"
)

func main() {
	items := catalog.New(store.NewMemory[*catalog.Item]())
	items.Add(catalog.Item{Name: "lamp"})
	book := orders.NewBook(items, events.Default())
	order, err := book.Place("lamp", 2)
	if err != nil {
		report(err)
		return
	}
	println(format.Title(order.Describe()))
}
