package wire

import (
	"cmp"
	"context"
	"crypto/rand"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"mime"
	"net/http"
	"net/url"
	"runtime/debug"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/domain/fault"
)

type requestKey struct{}

// request is what the middleware knows of a request.
type request struct {
	id    string
	log   *slog.Logger
	noted noted
}

// requestOf returns the request of a context, or nil.
func requestOf(ctx context.Context) *request {
	r, _ := ctx.Value(requestKey{}).(*request)
	return r
}

// RequestID returns the request's id, or "" outside of a request.
func RequestID(ctx context.Context) string {
	if r := requestOf(ctx); r != nil {
		return r.id
	}
	return ""
}

// LoggerOf returns a logger with the request's id.
func LoggerOf(ctx context.Context) *slog.Logger {
	if r := requestOf(ctx); r != nil {
		return r.log.With(slog.String("request_id", r.id))
	}
	return slog.Default()
}

// Watch has the observers of requests. Only Log is required.
type Watch struct {
	Log *slog.Logger
	// Requests selects the requests that are logged; "": none.
	Requests RequestLog
	// Observe is called for each request when it is answered.
	Observe func(method, route string, status int, took time.Duration)
	// Trace begins the request's span. The function that it returns ends the span.
	Trace func(r *http.Request, requestID string) (context.Context, func(route string, status int))
}

// longest is the time by which a request is answered, if only with 503. It is shorter than the server's timeout of connections.
const longest = 25 * time.Second

// Handler wraps all routes: it gives each request an id, sets the headers that every response has, converts panics to errors, and
// calls the observers of watch. They get the route and not the path, because paths contain ids that are capabilities.
func Handler(next http.Handler, watch Watch) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		start := time.Now()
		id := requestID(r.Header.Get("X-Request-Id"))
		ctx, endSpan := watch.trace(r, id)
		ctx, cancel := context.WithTimeout(ctx, longest)
		defer cancel()
		rq := &request{id: id, log: watch.Log}
		r = r.WithContext(context.WithValue(ctx, requestKey{}, rq))
		setHeaders(w.Header(), id)
		out := &recorder{ResponseWriter: w}
		r.Body = &timedBody{r.Body, w}
		defer func() { // also for an aborted connection
			endSpan(r.Pattern, out.status)
			watch.observe(r, rq, out.status, time.Since(start))
		}()
		defer func() {
			if cause := recover(); cause != nil {
				recovered(out, r, cause)
			}
		}()
		next.ServeHTTP(out, r)
	})
}

// timedBody removes the read deadline once the whole body has arrived. Otherwise the deadline would cancel the request when it
// expires, and all later ones on the connection, because net/http would conclude that the client has gone.
type timedBody struct {
	io.ReadCloser
	connection http.ResponseWriter
}

func (b *timedBody) Read(p []byte) (int, error) {
	n, err := b.ReadCloser.Read(p)
	if err == io.EOF {
		_ = http.NewResponseController(b.connection).SetReadDeadline(time.Time{}) // a test's recorder has no connection
	}
	return n, err
}

func (w Watch) trace(r *http.Request, id string) (context.Context, func(string, int)) {
	if w.Trace == nil {
		return r.Context(), func(string, int) {}
	}
	return w.Trace(r, id)
}

func (w Watch) observe(r *http.Request, rq *request, status int, took time.Duration) {
	if w.Observe != nil {
		w.Observe(r.Method, r.Pattern, status, took)
	}
	w.logRequest(r, rq, status, took)
}

// requestID returns the caller's id if it has 1 to 128 printable characters, or else a new one (features/MANAGEMENT.md#errors).
func requestID(given string) string {
	unprintable := func(c rune) bool { return c < ' ' || c > '~' }
	if given == "" || len(given) > 128 || strings.ContainsFunc(given, unprintable) {
		return "req_" + strings.ToLower(rand.Text())
	}
	return given
}

// fixedHeaders are the headers that every response has. Responses share the values, which must not be changed.
var fixedHeaders = http.Header{
	"X-Content-Type-Options":  {"nosniff"},
	"Referrer-Policy":         {"no-referrer"},
	"Content-Security-Policy": {"default-src 'none'; frame-ancestors 'none'"},
	"Cache-Control":           {"no-store"},
}

func setHeaders(h http.Header, id string) {
	maps.Copy(h, fixedHeaders)
	h.Set("X-Request-Id", id)
}

// recovered answers 500 if nothing was sent yet. Otherwise it aborts the connection, because half a response must not look whole.
func recovered(w *recorder, r *http.Request, cause any) {
	if cause == http.ErrAbortHandler {
		panic(cause)
	}
	style, stack := Plain, debug.Stack()
	if p, ok := cause.(operationPanic); ok {
		style, cause, stack = p.style, p.cause, p.stack
	}
	style.WriteError(w, r, internal(fmt.Errorf("panic: %v\n%s", cause, stack)))
	if w.late {
		panic(http.ErrAbortHandler)
	}
}

// operationPanic is a panic in an operation. It is answered in the operation's style.
type operationPanic struct {
	style *Style
	cause any
	stack []byte
}

// recorder remembers the status, and whether another one was set too late.
type recorder struct {
	http.ResponseWriter
	status int
	late   bool
}

func (w *recorder) WriteHeader(status int) {
	if w.status != 0 {
		w.late = true
		return
	}
	w.status = status
	w.ResponseWriter.WriteHeader(status)
}

func (w *recorder) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	if w.late {
		return len(b), nil
	}
	return w.ResponseWriter.Write(b)
}

// Unwrap lets http.ResponseController and Huma reach the connection.
func (w *recorder) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// Unrouted answers 404 to an unknown path, and 405 to a known path with another method. The mux cannot do that, because this
// handler's patterns match every method.
func Unrouted(mux *http.ServeMux, style *Style) http.HandlerFunc {
	return UnroutedBut(mux, style, func(*http.Request) string { return "" })
}

// UnroutedBut is Unrouted with a sentence after the error's message about an unknown path: where to look instead.
func UnroutedBut(mux *http.ServeMux, style *Style, look func(*http.Request) string) http.HandlerFunc {
	methods := []string{"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE"}
	return func(w http.ResponseWriter, r *http.Request) {
		var allowed []string
		for _, method := range methods {
			probe := &http.Request{
				Method: method,
				URL:    r.URL,
				Host:   r.Host,
			}
			if _, pattern := mux.Handler(probe); strings.Contains(pattern, " ") {
				allowed = append(allowed, method)
			}
		}
		if len(allowed) == 0 {
			message := strings.TrimSpace("There is nothing at this address. " + look(r))
			style.WriteError(w, r, fault.New(fault.NotFound, "route_not_found", message))
			return
		}
		w.Header().Set("Allow", strings.Join(allowed, ", "))
		style.WriteError(w, r, fault.New(methodNotAllowed, "method_not_allowed", "This address does not have this method."))
	}
}

// methodNotAllowed is an error kind for HTTP only.
const methodNotAllowed = fault.Kind(255)

func checkRequest(r *http.Request, op *huma.Operation) error {
	if err := checkURL(r.URL); err != nil || op.RequestBody == nil {
		return err
	}
	if others, err := checkMedia(r.Header, op); others || err != nil {
		return cmp.Or(err, checkEncoding(r.Header))
	}
	return checkContent(r.Header)
}

func checkEncoding(h http.Header) error {
	if encoding := h.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return fault.New(fault.Unsupported, "unsupported_media_type", "Bodies must not be compressed.")
	}
	return nil
}

func checkURL(u *url.URL) error {
	malformed := fault.New(fault.Malformed, "invalid_request", "The address is not valid UTF-8 text.")
	if !storable(u.Path) {
		return malformed
	}
	query, err := url.ParseQuery(u.RawQuery)
	if err != nil {
		return malformed.Because(err)
	}
	for _, values := range query {
		for _, value := range values {
			if !storable(value) {
				return malformed
			}
		}
	}
	return nil
}

func storable(text string) bool { return utf8.ValidString(text) && strings.IndexByte(text, 0) < 0 }

// checkContent also normalizes the media type to the form that Huma expects.
func checkContent(h http.Header) error {
	if err := checkEncoding(h); err != nil {
		return err
	}
	given := h.Get("Content-Type")
	if given == "" {
		return nil
	}
	media, parameters, err := mime.ParseMediaType(given)
	charset := parameters["charset"]
	json := media == "application/json" || strings.HasSuffix(media, "+json")
	if err != nil || !json || charset != "" && !strings.EqualFold(charset, "utf-8") {
		return fault.New(fault.Malformed, "invalid_request", "The Content-Type must be application/json.")
	}
	h.Set("Content-Type", "application/json")
	return nil
}

// Single refuses repeated headers, because a reader of the first value and a reader of the last one would disagree about the
// caller.
func Single(h http.Header, names ...string) error {
	for _, name := range names {
		if len(h.Values(name)) > 1 {
			return BadParameter(name, "must not be repeated")
		}
	}
	return nil
}
