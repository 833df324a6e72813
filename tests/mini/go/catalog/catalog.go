package catalog

import "example.com/shop/storage"

type Catalog struct {
	items storage.Repository[*Item]
	names map[string]*Item
}

func New(items storage.Repository[*Item]) *Catalog {
	return &Catalog{items: items, names: map[string]*Item{}}
}

func (c *Catalog) Add(item Item) {
	c.names[item.Describe()] = &item
	c.items.Save(item.ID(), &item)
}

func (c *Catalog) Find(name string) (*Item, bool) {
	item, ok := c.names[name]
	return item, ok
}
