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

// requestOf is the request that a context is of; nil: it is of none.
func requestOf(ctx context.Context) *request {
	r, _ := ctx.Value(requestKey{}).(*request)
	return r
}

// RequestID is the request's id, or "" outside of one.
func RequestID(ctx context.Context) string {
	if r := requestOf(ctx); r != nil {
		return r.id
	}
	return ""
}

// LoggerOf is a logger that names the request.
func LoggerOf(ctx context.Context) *slog.Logger {
	if r := requestOf(ctx); r != nil {
		return r.log.With(slog.String("request_id", r.id))
	}
	return slog.Default()
}

// Watch is who hears of requests. Only Log must be there.
type Watch struct {
	Log *slog.Logger
	// Requests is which requests have a line in the log; "": none.
	Requests RequestLog
	// Observe hears of each request when it is answered.
	Observe func(method, route string, status int, took time.Duration)
	// Trace begins the request's span; what it returns ends it.
	Trace func(r *http.Request, requestID string) (context.Context, func(route string, status int))
}

// longest is by when a request is answered, if only by 503: before the server gives the connection up.
const longest = 25 * time.Second

// Handler wraps everything that is served: it gives each request an id, sets the headers that every
// response has, turns panics into errors, and tells those who watch, by route, for paths hold ids that
// are capabilities.
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
		defer func() { // also when a connection is broken off
			endSpan(r.Pattern, out.status)
			watch.tell(r, rq, out.status, time.Since(start))
		}()
		defer func() {
			if cause := recover(); cause != nil {
				recovered(out, r, cause)
			}
		}()
		next.ServeHTTP(out, r)
	})
}

// timedBody lifts the deadline for the body when all of it is there. Left on the connection it would
// cancel the request when it comes, and every later one: net/http takes it for a client that has gone.
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

func (w Watch) tell(r *http.Request, rq *request, status int, took time.Duration) {
	if w.Observe != nil {
		w.Observe(r.Method, r.Pattern, status, took)
	}
	w.logRequest(r, rq, status, took)
}

// requestID keeps the caller's id if it is 1 to 128 printable characters (decisions 4).
func requestID(given string) string {
	unprintable := func(c rune) bool { return c < ' ' || c > '~' }
	if given == "" || len(given) > 128 || strings.ContainsFunc(given, unprintable) {
		return "req_" + strings.ToLower(rand.Text())
	}
	return given
}

// fixedHeaders are those that every response has. Responses share the values, which nobody writes into.
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

// recovered answers 500 if nothing was sent yet, else it breaks the connection off, for half a
// response must not look whole.
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

// operationPanic is a panic in an operation, whose answer has the operation's style.
type operationPanic struct {
	style *Style
	cause any
	stack []byte
}

// recorder remembers the status, and whether a second one came too late.
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

// Unrouted tells a path that is unknown from a method that its path does not have. The mux cannot,
// because this handler's own patterns take every method; those of routes name theirs.
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

// methodNotAllowed is a kind that only HTTP has.
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

// checkContent also writes the media type the one way that Huma looks for.
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

// Single refuses headers that are there twice: who reads the first one and who reads the last one would
// not agree on the caller.
func Single(h http.Header, names ...string) error {
	for _, name := range names {
		if len(h.Values(name)) > 1 {
			return BadParameter(name, "must not be repeated")
		}
	}
	return nil
}
