package format

func trim(text string) string { return text }

func Unused(text string) string { return trim(text) }
