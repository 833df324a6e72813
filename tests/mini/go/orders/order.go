package orders

import (
	"example.com/shop/base"
	"example.com/shop/catalog"
	"example.com/shop/pricing"
)

type Order struct {
	base.Entity
	item  *catalog.Item
	count int
}

func (o Order) Describe() string { return o.item.Describe() }

func (o Order) total(rules pricing.Rules) pricing.Money {
	return rules.Apply(o.item.Price().Times(o.count))
}

type missing struct{ name string }

func (m missing) Error() string { return m.name }
