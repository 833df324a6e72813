package events

type Log struct{ lines []string }

func (l *Log) Heard(event string) { l.lines = append(l.lines, event) }

func init() { Default().Send("start") }
