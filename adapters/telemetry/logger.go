package telemetry

import (
	"context"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// NewLogger writes lines of at least this level, in the format json or else text, with secrets
// redacted wherever in a line they are. An unknown level is info.
func NewLogger(w io.Writer, level, format string) *slog.Logger {
	var least slog.Level
	if err := least.UnmarshalText([]byte(level)); err != nil {
		least = slog.LevelInfo
	}
	options := &slog.HandlerOptions{Level: least}
	if format == "json" {
		return slog.New(slog.NewJSONHandler(guard{w}, options))
	}
	return slog.New(slog.NewTextHandler(guard{w}, options))
}

// guard redacts what is written. A handler writes a whole line at once, so that it sees messages,
// attributes, errors and values of any type as they will be read.
type guard struct{ w io.Writer }

func (g guard) Write(line []byte) (int, error) {
	if _, err := g.w.Write(redact(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// WithTraceID is next, adding the trace_id of the span that a record's context holds.
func WithTraceID(next slog.Handler) slog.Handler { return traced{next} }

type traced struct{ slog.Handler }

func (t traced) Handle(ctx context.Context, r slog.Record) error {
	if span := trace.SpanContextFromContext(ctx); span.HasTraceID() {
		r = r.Clone()
		r.AddAttrs(slog.String("trace_id", span.TraceID().String()))
	}
	return t.Handler.Handle(ctx, r)
}

func (t traced) WithAttrs(attrs []slog.Attr) slog.Handler { return traced{t.Handler.WithAttrs(attrs)} }
func (t traced) WithGroup(name string) slog.Handler       { return traced{t.Handler.WithGroup(name)} }
