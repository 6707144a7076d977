package telemetry

import (
	"cmp"
	"context"
	"fmt"
	"log/slog"
	"os"
	"strings"
	"sync/atomic"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/exporters/otlp/otlptrace/otlptracehttp"
	"go.opentelemetry.io/otel/sdk/resource"
	sdk "go.opentelemetry.io/otel/sdk/trace"
	"go.opentelemetry.io/otel/trace"
)

// Config configures the spans' resource attributes, and the log for failures to send spans.
type Config struct {
	Version     string
	Environment string // sandbox or production
	Log         *slog.Logger
}

// Tracing creates spans and sends them over OTLP.
type Tracing struct {
	provider *sdk.TracerProvider
	tracer   trace.Tracer
}

// StartTracing returns nil unless OpenTelemetry's standard environment variables name an endpoint. They also set the sampler,
// headers, timeouts, the service's name and further resource attributes.
func StartTracing(ctx context.Context, c Config) (*Tracing, error) {
	if !wanted() {
		return nil, nil
	}
	protocol := either("OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_EXPORTER_OTLP_PROTOCOL")
	if protocol != "" && !strings.HasPrefix(protocol, "http/") {
		return nil, fmt.Errorf("OTEL_EXPORTER_OTLP_PROTOCOL is %q: traces are sent over HTTP only", protocol)
	}
	about, err := resource.New(ctx, resource.WithTelemetrySDK(), resource.WithAttributes(
		attribute.String("service.name", "haggle"),
		attribute.String("service.version", c.Version),
		attribute.String("deployment.environment.name", c.Environment),
	), resource.WithFromEnv())
	if err != nil {
		return nil, fmt.Errorf("OTEL_RESOURCE_ATTRIBUTES: %w", err)
	}
	sender, err := otlptracehttp.New(ctx)
	if err != nil {
		return nil, fmt.Errorf("cannot send traces: %w", err)
	}
	provider := sdk.NewTracerProvider(sdk.WithBatcher(&reporting{SpanExporter: sender, log: c.Log}), sdk.WithResource(about))
	return &Tracing{provider: provider, tracer: provider.Tracer("github.com/haggle-commerce/haggle")}, nil
}

func wanted() bool {
	if strings.EqualFold(os.Getenv("OTEL_SDK_DISABLED"), "true") || os.Getenv("OTEL_TRACES_EXPORTER") == "none" {
		return false
	}
	return either("OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_EXPORTER_OTLP_ENDPOINT") != ""
}

func either(first, second string) string { return cmp.Or(os.Getenv(first), os.Getenv(second)) }

// Shutdown sends the remaining spans. It does nothing if tracing is off.
func (t *Tracing) Shutdown(ctx context.Context) error {
	if t == nil {
		return nil
	}
	return t.provider.Shutdown(ctx)
}

// reporting logs the first failure to send spans, and then nothing until sending succeeds again. The SDK would write each
// failure to the standard logger.
type reporting struct {
	sdk.SpanExporter
	log     *slog.Logger
	failing atomic.Bool
}

func (r *reporting) ExportSpans(ctx context.Context, spans []sdk.ReadOnlySpan) error {
	err := r.SpanExporter.ExportSpans(ctx, spans)
	if r.failing.Swap(err != nil) == (err != nil) {
		return nil
	}
	if err != nil {
		r.log.WarnContext(ctx, "traces cannot be sent", "error", err)
	} else {
		r.log.InfoContext(ctx, "traces can be sent again")
	}
	return nil
}
