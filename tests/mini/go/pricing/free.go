package pricing

type Free struct{ Discount }

func (f *Free) Apply(price Money) Money { return Zero }
