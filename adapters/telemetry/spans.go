package telemetry

import (
	"context"
	"errors"
	"net/http"

	"go.opentelemetry.io/otel/attribute"
	"go.opentelemetry.io/otel/codes"
	"go.opentelemetry.io/otel/propagation"
	"go.opentelemetry.io/otel/trace"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// StartRequest starts the span of a request, in the caller's trace if it names one. The returned function must be called to
// end it, once the mux's pattern and the status are known. Of the caller's data, the span contains only the method, if it is
// a common one, and the request id.
func (t *Tracing) StartRequest(r *http.Request, requestID string) (context.Context, func(pattern string, status int)) {
	method := verb(r.Method)
	ctx := propagation.TraceContext{}.Extract(r.Context(), parentOnly{r.Header})
	ctx, span := t.tracer.Start(ctx, method, trace.WithSpanKind(trace.SpanKindServer), trace.WithAttributes(
		attribute.String("http.request.method", method),
		attribute.String("haggle.request_id", string(redact([]byte(requestID)))),
	))
	return ctx, func(pattern string, status int) {
		status = sent(status)
		span.SetName(method + " " + route(pattern))
		span.SetAttributes(attribute.String("http.route", route(pattern)), attribute.Int("http.response.status_code", status))
		if status >= http.StatusInternalServerError {
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

// parentOnly reads traceparent, which contains only numbers, and ignores tracestate, in which the sender may put anything.
type parentOnly struct{ http.Header }

func (p parentOnly) Get(key string) string {
	if key == "traceparent" {
		return p.Header.Get(key)
	}
	return ""
}

func (p parentOnly) Set(key, value string) { p.Header.Set(key, value) }
func (p parentOnly) Keys() []string        { return []string{"traceparent"} }

// StartWork starts the span of a piece of work within a request, such as a query. name must be a constant of the program. The
// returned function ends it, with the code of its fault if it failed. It never records an error's text, which may contain
// values of a row. Outside of a trace it costs next to nothing.
func (t *Tracing) StartWork(ctx context.Context, name string) (context.Context, func(error)) {
	if !trace.SpanContextFromContext(ctx).IsValid() {
		return ctx, func(error) {}
	}
	ctx, span := t.tracer.Start(ctx, name, trace.WithSpanKind(trace.SpanKindClient))
	return ctx, func(err error) {
		if err != nil {
			span.SetAttributes(attribute.String("error.type", errorType(err)))
			span.SetStatus(codes.Error, "")
		}
		span.End()
	}
}

func errorType(err error) string {
	if f, ok := errors.AsType[*fault.Error](err); ok {
		return f.Code
	}
	return "_OTHER"
}
