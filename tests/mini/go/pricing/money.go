package pricing

type Money int

const (
	Zero Money = iota
	One
)

func (m Money) Plus(other Money) Money { return m + other }

func (m Money) Times(n int) Money { return m * Money(n) }
