package host

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"
)

const largestBody = 8 << 20

// Side is what every platform has.
type Side struct {
	Host     *Host
	platform string
	Shop     *Shop // nil: none of its own
	faults   script
	Hooks    hooks
	// Event is what a change is told with, and what a forger would tell.
	Event func(c Changed, at time.Time) (body, tampered any)
	// Produce makes changes of its own and tells of each, where there is no shop whose changes are told.
	Produce func(ask Webhooks, tell Teller)
	// refusal is an error in the platform's own form.
	refusal func(status int, text string) any
}

func (p *Host) Side(platform string, s *Shop, refusal func(int, string) any) *Side {
	made := &Side{
		Host:     p,
		platform: platform,
		Shop:     s,
		refusal:  refusal,
	}
	p.Sides[platform], p.names = made, append(p.names, platform)
	return made
}

// Teller takes a change, its time, and what each webhook is called with: the genuine body and a forged one.
type Teller func(c Changed, at time.Time, body, forged func(Hook) any)

// Call is one request, its body read.
type Call struct {
	*http.Request
	Content []byte
	Fault   Fault
}

// Answer is what is written, and what befalls it on the way.
type Answer struct {
	Status int
	header http.Header
	Body   any // written as JSON, unless it is []byte
	Kind   string
	bytes  int64
	Lost   bool
	Half   bool
}

func OK(body any) Answer { return Answer{Status: http.StatusOK, Body: body} }

func (a Answer) With(name, value string) Answer {
	if a.header == nil {
		a.header = http.Header{}
	}
	a.header.Set(name, value)
	return a
}

func (s *Side) Refuse(status int, text string) Answer {
	return Answer{Status: status, Body: s.refusal(status, text)}
}

// Route serves a pattern such as "GET /products" under the platform's prefix. Faults are met under the resource; with
// none the handler meets them itself.
func (s *Side) Route(method, path, resource string, handle func(*Call) Answer) {
	s.Host.Mux.HandleFunc(method+" /"+s.platform+path, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestBody))
		c := &Call{Request: r, Content: body}
		switch {
		case err != nil:
			s.Refuse(http.StatusRequestEntityTooLarge, "the body is too large").Write(w)
		case resource == "":
			handle(c).Write(w)
		default:
			s.Meet(c, resource, func() Answer { return handle(c) }).Write(w)
		}
	})
}

// Meet does the work as the script of faults allows it.
func (s *Side) Meet(c *Call, resource string, work func() Answer) Answer {
	s.Host.count(s.platform + ":" + resource)
	c.Fault = s.faults.meet(resource)
	f := c.Fault
	switch f.Kind {
	case throttle:
		a := s.Refuse(http.StatusTooManyRequests, "Too many requests.").With("Retry-After", strconv.Itoa(f.RetryAfter))
		if s.platform == ShipStation {
			a = a.With("X-Rate-Limit-Remaining", "0").With("X-Rate-Limit-Reset", strconv.Itoa(f.RetryAfter))
		}
		return a
	case failure:
		return s.Refuse(f.Status, "Something went wrong here.")
	case refuse:
		return s.Refuse(http.StatusUnauthorized, "These credentials are not good any more.")
	case slow:
		pause(c, f.Millis)
	}
	a := work()
	switch f.Kind {
	case late:
		pause(c, f.Millis)
	case garbage:
		a.Half = true
	case longPage:
		a.bytes = f.Bytes
	case lost: // a client may repeat a GET by itself when nothing at all comes back
		a.Lost, a.Half = true, c.Method == http.MethodGet
	}
	return a
}

func pause(c *Call, millis int) {
	select {
	case <-time.After(time.Duration(millis) * time.Millisecond):
	case <-c.Context().Done():
	}
}

func (a Answer) Write(w http.ResponseWriter) {
	if a.Lost && !a.Half {
		panic(http.ErrAbortHandler)
	}
	for name, values := range a.header {
		w.Header()[name] = values
	}
	text, raw := a.Body.([]byte)
	if !raw && a.Body != nil {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		text, _ = json.Marshal(a.Body) // of maps and of types of our own
	}
	if a.Kind != "" {
		w.Header().Set("Content-Type", a.Kind)
	}
	if a.Lost {
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	}
	if a.Half {
		text = text[:len(text)/2]
	}
	w.WriteHeader(a.Status)
	if a.bytes > 0 {
		text = pad(w, text, a.bytes)
	}
	_, _ = w.Write(text)
	if a.Lost {
		_ = http.NewResponseController(w).Flush()
		panic(http.ErrAbortHandler)
	}
}

// pad writes a very long first member of the object, and returns the rest of it.
func pad(w io.Writer, text []byte, size int64) []byte {
	rest, object := bytes.CutPrefix(text, []byte("{"))
	opening, fill, closing := []byte(nil), []byte{' '}, []byte(nil)
	if object && len(rest) > 1 {
		opening, fill, closing, text = []byte(`{"padding":"`), []byte{'x'}, []byte(`",`), rest
	}
	_, _ = w.Write(opening)
	for chunk := bytes.Repeat(fill, 64<<10); size > 0; size -= int64(len(chunk)) {
		if _, err := w.Write(chunk); err != nil {
			break
		}
	}
	_, _ = w.Write(closing)
	return text
}

// Number reads a whole number of the query, or what is meant by its absence. Nothing sensible: negative.
func (c *Call) Number(name string, absent int) int {
	text := c.URL.Query().Get(name)
	if text == "" {
		return absent
	}
	n, err := strconv.Atoi(text)
	if err != nil {
		return -1
	}
	return n
}

// Window counts requests in a span of time, and forgets them all at its end.
type Window struct {
	Span  time.Duration
	Limit int
	start time.Time
	used  int
}

// Take reports whether one more fits, what is left, and when the window ends. It needs a lock of the caller's.
func (l *Window) Take(now time.Time) (fits bool, left int, ends time.Duration) {
	if now.Sub(l.start) >= l.Span {
		l.start, l.used = now, 0
	}
	ends = l.Span - now.Sub(l.start)
	if l.used >= l.Limit {
		return false, 0, ends
	}
	l.used++
	return true, l.Limit - l.used, ends
}

func Seconds(d time.Duration) string { return strconv.Itoa(int((d + time.Second - 1) / time.Second)) }

func ReadJSON(body []byte, into any) bool { return json.Unmarshal(body, into) == nil }
