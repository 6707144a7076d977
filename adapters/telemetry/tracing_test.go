package telemetry_test

import (
	"bytes"
	"context"
	"encoding/hex"
	"errors"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"strings"
	"sync"
	"testing"

	collector "go.opentelemetry.io/proto/otlp/collector/trace/v1"
	common "go.opentelemetry.io/proto/otlp/common/v1"
	otlp "go.opentelemetry.io/proto/otlp/trace/v1"
	"google.golang.org/protobuf/proto"

	"github.com/haggle-commerce/haggle/adapters/telemetry"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// receiver is an OTLP collector. Its address is set in the environment, so these tests do not run in parallel.
type receiver struct {
	mu       sync.Mutex
	status   int
	raw      bytes.Buffer
	resource map[string]string
	spans    map[string]*otlp.Span
}

func newReceiver(t *testing.T) *receiver {
	t.Helper()
	r := &receiver{
		status:   http.StatusOK,
		resource: map[string]string{},
		spans:    map[string]*otlp.Span{},
	}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) { r.receive(t, w, q) }))
	t.Cleanup(server.Close)
	for _, name := range []string{
		"OTEL_SDK_DISABLED", "OTEL_TRACES_EXPORTER", "OTEL_EXPORTER_OTLP_TRACES_ENDPOINT", "OTEL_TRACES_SAMPLER",
		"OTEL_EXPORTER_OTLP_PROTOCOL", "OTEL_EXPORTER_OTLP_TRACES_PROTOCOL", "OTEL_SERVICE_NAME", "OTEL_RESOURCE_ATTRIBUTES",
	} {
		t.Setenv(name, "")
	}
	t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", server.URL)
	return r
}

func (r *receiver) receive(t *testing.T, w http.ResponseWriter, q *http.Request) {
	r.mu.Lock()
	defer r.mu.Unlock()
	body, _ := io.ReadAll(q.Body)
	var message collector.ExportTraceServiceRequest
	if err := proto.Unmarshal(body, &message); err != nil || q.URL.Path != "/v1/traces" {
		t.Errorf("%s %v is not OTLP", q.URL.Path, err)
	}
	r.raw.Write(body)
	for _, part := range message.ResourceSpans {
		r.resource = values(part.Resource.Attributes)
		for _, scope := range part.ScopeSpans {
			for _, span := range scope.Spans {
				r.spans[span.Name] = span
			}
		}
	}
	w.WriteHeader(r.status)
}

func values(attributes []*common.KeyValue) map[string]string {
	all := make(map[string]string)
	for _, a := range attributes {
		text, isText := a.Value.Value.(*common.AnyValue_StringValue)
		if isText {
			all[a.Key] = text.StringValue
		} else {
			all[a.Key] = a.Value.String()
		}
	}
	return all
}

func start(t *testing.T, log *slog.Logger) *telemetry.Tracing {
	t.Helper()
	tracing, err := telemetry.StartTracing(t.Context(), telemetry.Config{
		Version:     "1.2.3",
		Environment: "sandbox",
		Log:         log,
	})
	if err != nil || tracing == nil {
		t.Fatalf("%v, %v", tracing, err)
	}
	return tracing
}

func finish(t *testing.T, tracing *telemetry.Tracing) {
	t.Helper()
	if err := tracing.Shutdown(t.Context()); err != nil {
		t.Fatal(err)
	}
}

const parent = "4bf92f3577b34da6a3ce929d0e0e4736"

// request has a secret in each part that must not be sent.
func request() *http.Request {
	r := httptest.NewRequest("POST", "/p/lamps/acp/checkouts/"+capability+"/finalize?q=planted", strings.NewReader("planted body"))
	r.RemoteAddr, r.Host = "203.0.113.77:4711", "planted.example"
	r.Header.Set("Traceparent", "00-"+parent+"-00f067aa0ba902b7-01")
	for _, name := range []string{"Tracestate", "Baggage"} {
		r.Header.Set(name, "vendor=planted")
	}
	r.Header.Set("User-Agent", "planted")
	r.Header.Set("Authorization", "Bearer planted")
	r.Header.Set("X-Forwarded-For", "203.0.113.77")
	return r
}

const finalize = "POST /p/{slug}/acp/checkouts/{id}/finalize"

func TestTracing_StartRequest(t *testing.T) {
	r := newReceiver(t)
	tracing := start(t, quiet())
	ctx, end := tracing.StartRequest(request(), "req_1 hk_"+"test_planted")
	_, endQuery := tracing.StartWork(ctx, "sqlstore.claim")
	endQuery(fault.New(fault.Conflict, "out_of_stock", "planted").Because(errors.New("planted row")))
	_, endOther := tracing.StartWork(ctx, "sqlstore.read")
	endOther(errors.New("planted driver text"))
	_, endFine := tracing.StartWork(ctx, "sqlstore.load")
	endFine(nil)
	end(finalize, 0)
	finish(t, tracing)

	span := r.spans["POST /p/{slug}/acp/checkouts/{id}/finalize"]
	if span == nil || span.Kind != otlp.Span_SPAN_KIND_SERVER || hex.EncodeToString(span.TraceId) != parent ||
		hex.EncodeToString(span.ParentSpanId) != "00f067aa0ba902b7" {
		t.Fatalf("spans %v", r.spans)
	}
	wantAttributes(t, values(span.Attributes), map[string]string{
		"http.request.method": "POST", "http.route": "/p/{slug}/acp/checkouts/{id}/finalize",
		"http.response.status_code": "int_value:200", "haggle.request_id": "req_1 hk_test_[redacted]",
	})
	for name, failure := range map[string]string{"sqlstore.claim": "out_of_stock", "sqlstore.read": "_OTHER", "sqlstore.load": ""} {
		work := r.spans[name]
		if work == nil || !bytes.Equal(work.ParentSpanId, span.SpanId) || values(work.Attributes)["error.type"] != failure ||
			(work.Status.GetCode() == otlp.Status_STATUS_CODE_ERROR) != (failure != "") {
			t.Errorf("%s: %v", name, work)
		}
	}
	for _, secret := range []string{"planted", capability, "203.0.113.77", "lamps"} {
		if bytes.Contains(r.raw.Bytes(), []byte(secret)) {
			t.Errorf("%s was sent", secret)
		}
	}
}

func wantAttributes(t *testing.T, got, want map[string]string) {
	t.Helper()
	for key, value := range want {
		if strings.ReplaceAll(got[key], " ", "") != strings.ReplaceAll(value, " ", "") {
			t.Errorf("%s is %q, want %q", key, got[key], value)
		}
	}
	for key := range got {
		if _, ok := want[key]; !ok {
			t.Errorf("%s is told too", key)
		}
	}
}

func TestTracing_StartRequest_failures(t *testing.T) {
	r := newReceiver(t)
	tracing := start(t, quiet())
	_, end := tracing.StartRequest(httptest.NewRequest("GET", "/x", nil), "req_1")
	end("GET /boom", 500)
	_, end = tracing.StartRequest(httptest.NewRequest("GET", "/x", nil), "req_2")
	end("GET /missing", 404)
	_, end = tracing.StartRequest(httptest.NewRequest("PLANTED", "/"+capability, nil), "req_3")
	end("/", 404)
	ctx, endWork := tracing.StartWork(context.Background(), "sqlstore.background")
	endWork(errors.New("no"))
	finish(t, tracing)
	for name, failed := range map[string]bool{"GET /boom": true, "GET /missing": false, "OTHER unmatched": false} {
		if span := r.spans[name]; span == nil || (span.Status.GetCode() == otlp.Status_STATUS_CODE_ERROR) != failed {
			t.Errorf("%s: %v", name, span)
		}
	}
	if len(r.spans) != 3 || ctx != context.Background() {
		t.Errorf("%d spans: work outside of a request is not traced", len(r.spans))
	}
}

func TestStartTracing_resource(t *testing.T) {
	for _, c := range []struct{ variable, value, key, want string }{
		{"OTEL_SERVICE_NAME", "", "service.name", "haggle"},
		{"OTEL_SERVICE_NAME", "shop-eu", "service.name", "shop-eu"},
		{"OTEL_RESOURCE_ATTRIBUTES", "deployment.environment.name=blue", "deployment.environment.name", "blue"},
	} {
		r := newReceiver(t)
		t.Setenv(c.variable, c.value)
		tracing := start(t, quiet())
		_, end := tracing.StartRequest(request(), "req_1")
		end(finalize, 200)
		finish(t, tracing)
		if r.resource[c.key] != c.want || r.resource["service.version"] != "1.2.3" || r.resource["host.name"] != "" {
			t.Errorf("%s=%s: %v", c.variable, c.value, r.resource)
		}
	}
}

func TestStartTracing_sampler(t *testing.T) {
	for sampler, sampled := range map[string]bool{"": true, "always_off": false, "parentbased_always_off": true} {
		r := newReceiver(t)
		t.Setenv("OTEL_TRACES_SAMPLER", sampler)
		tracing := start(t, quiet())
		_, end := tracing.StartRequest(request(), "req_1") // its parent is sampled
		end(finalize, 200)
		finish(t, tracing)
		if (len(r.spans) == 1) != sampled {
			t.Errorf("%q: %d spans", sampler, len(r.spans))
		}
	}
}

func TestStartTracing_off(t *testing.T) {
	for _, off := range [][2]string{{"OTEL_EXPORTER_OTLP_ENDPOINT", ""}, {"OTEL_SDK_DISABLED", "true"}, {"OTEL_TRACES_EXPORTER", "none"}} {
		newReceiver(t)
		t.Setenv(off[0], off[1])
		tracing, err := telemetry.StartTracing(t.Context(), telemetry.Config{})
		if tracing != nil || err != nil || tracing.Shutdown(t.Context()) != nil {
			t.Errorf("%s=%s: %v, %v", off[0], off[1], tracing, err)
		}
	}
}

func TestStartTracing_unsupportedProtocol(t *testing.T) {
	newReceiver(t)
	t.Setenv("OTEL_EXPORTER_OTLP_PROTOCOL", "grpc")
	if _, err := telemetry.StartTracing(t.Context(), telemetry.Config{}); err == nil || !strings.Contains(err.Error(), `"grpc"`) {
		t.Errorf("grpc: %v", err)
	}
}

func TestReporting_logsOnce(t *testing.T) {
	r := newReceiver(t)
	t.Setenv("OTEL_BSP_MAX_EXPORT_BATCH_SIZE", "1")
	r.status = http.StatusBadRequest
	var log bytes.Buffer
	tracing := start(t, slog.New(slog.NewTextHandler(&log, nil)))
	for range 3 {
		_, end := tracing.StartRequest(request(), "req_1")
		end(finalize, 200)
	}
	finish(t, tracing)
	if strings.Count(log.String(), "\n") != 1 || !strings.Contains(log.String(), "traces cannot be sent") {
		t.Errorf("logged %s", log.String())
	}
}

func TestWithTraceID(t *testing.T) {
	newReceiver(t)
	tracing := start(t, quiet())
	ctx, end := tracing.StartRequest(request(), "req_1")
	var out bytes.Buffer
	log := slog.New(telemetry.WithTraceID(telemetry.NewLogger(&out, "info", "text").Handler())).With("a", 1)
	log.InfoContext(ctx, "inside")
	log.Info("outside")
	end(finalize, 200)
	finish(t, tracing)
	inside, outside, _ := strings.Cut(out.String(), "\n")
	if !strings.HasSuffix(inside, "msg=inside a=1 trace_id="+parent) || strings.Contains(outside, "trace_id") {
		t.Errorf("logged %s", out.String())
	}
}
