package orders

import (
	"example.com/shop/catalog"
	"example.com/shop/events"
	"example.com/shop/pricing"
)

type Book struct {
	catalog *catalog.Catalog
	channel *events.Channel
	orders  []Order
}

func NewBook(c *catalog.Catalog, channel *events.Channel) *Book {
	return &Book{catalog: c, channel: channel}
}

func (b *Book) Place(name string, count int) (*Order, error) {
	item, ok := b.catalog.Find(name)
	if !ok {
		return nil, missing{name}
	}
	order := Order{item: item, count: count}
	order.SetID(len(b.orders))
	b.orders = append(b.orders, order)
	b.channel.Send(order.Describe())
	return &order, nil
}

func (b *Book) Total() pricing.Money {
	total := pricing.Zero
	for _, order := range b.orders {
		total = total.Plus(order.total(pricing.All()))
	}
	return total
}
