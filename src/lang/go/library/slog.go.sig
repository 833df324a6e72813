// Written for floorplan; types only.
package slog

import "context"

type Handler interface {
	Enabled(ctx context.Context, level Level) bool
	Handle(ctx context.Context, r Record) error
	WithAttrs(attrs []Attr) Handler
	WithGroup(name string) Handler
}
type LogValuer interface{ LogValue() Value }
type Leveler interface{ Level() Level }
