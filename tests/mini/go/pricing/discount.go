package pricing

type Discount struct{ percent int }

func (d Discount) Apply(price Money) Money { return price.Times(100 - d.percent) }
