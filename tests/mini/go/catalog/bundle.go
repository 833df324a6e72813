package catalog

import "example.com/shop/pricing"

type Bundle struct {
	*Item
	parts []*Item
}

func (b *Bundle) Price() pricing.Money {
	total := b.Item.Price()
	for _, part := range b.parts {
		total = total.Plus(part.Price())
	}
	return total
}
