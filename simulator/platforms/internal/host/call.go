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

// Side is the part of a look-alike that all platforms have.
type Side struct {
	Host     *Host
	platform string
	Shop     *Shop // nil: the platform has no shop
	faults   script
	Hooks    hooks
	// Event returns the webhook body of a change, and a forged one.
	Event func(c Changed, at time.Time) (body, tampered any)
	// Produce makes changes and emits each of them, for platforms without a shop.
	Produce func(ask Webhooks, emit Teller)
	// refusal returns an error in the platform's format.
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

// Teller emits a change: its time, and functions that return the genuine and the forged body for each webhook.
type Teller func(c Changed, at time.Time, body, forged func(Hook) any)

// Call is a request with its body.
type Call struct {
	*http.Request
	Content []byte
	Fault   Fault
}

// Answer is a response, with the faults that apply to it.
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

// Route serves a pattern such as "GET /products" under the platform's prefix. Faults of the resource apply. If resource
// is empty, the handler applies faults itself.
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

// Meet runs work, or applies the next fault of the resource.
func (s *Side) Meet(c *Call, resource string, work func() Answer) Answer {
	s.Host.count(s.platform + ":" + resource)
	c.Fault = s.faults.next(resource)
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
	case lost: // if nothing at all comes back, HTTP clients repeat a GET by themselves
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
		text, _ = json.Marshal(a.Body) // cannot fail: maps and our own types
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

// pad writes a very long first member of the object and returns the rest of it.
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

// Number parses a number in the query. It returns absent if the parameter is missing and -1 if it is not a number.
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

// Window is a fixed-window rate limit: it counts requests and resets at the end of each span.
type Window struct {
	Span  time.Duration
	Limit int
	start time.Time
	used  int
}

// Take counts a request. It reports whether the limit allows it, how many are left, and how long the window lasts. The
// caller must hold a lock.
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
