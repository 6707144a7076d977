package telemetry

import (
	"context"
	"io"
	"log/slog"

	"go.opentelemetry.io/otel/trace"
)

// NewLogger returns a logger that writes records of at least this level as json, or else as text, and redacts secrets
// anywhere in a line. An unknown level means info.
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

// guard redacts secrets in each write. Because slog handlers write a whole line at once, it sees messages, attributes, errors
// and values of any type in their final form.
type guard struct{ w io.Writer }

func (g guard) Write(line []byte) (int, error) {
	if _, err := g.w.Write(redact(line)); err != nil {
		return 0, err
	}
	return len(line), nil
}

// WithTraceID returns a handler that adds the trace_id of the span in a record's context, and passes the record to next.
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
