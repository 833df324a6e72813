package catalog

import (
	. "example.com/shop/base"
	"example.com/shop/pricing"
)

type Item struct {
	Entity
	Name  string
	price pricing.Money
}

func (i *Item) Describe() string { return i.Name }

func (i *Item) Price() pricing.Money { return i.price }

var _ Named = (*Item)(nil)
