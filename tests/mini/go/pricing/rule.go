package pricing

type Rule interface {
	Apply(price Money) Money
}

type Rules []Rule

func (r Rules) Apply(price Money) Money {
	for _, rule := range r {
		price = rule.Apply(price)
	}
	return price
}

func All() Rules { return Rules{Discount{percent: 5}, &Free{}} }
