package format

type Style func(string) string

func (s Style) Apply(text string) string { return s(text) }

func Title(text string) string { return plain.Apply(trim(text)) }

var plain Style = func(text string) string { return text }
