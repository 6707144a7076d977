package platforms

import (
	"bytes"
	"encoding/json"
	"io"
	"net/http"
	"strconv"
	"time"
)

const largestBody = 8 << 20

// side is what every platform has.
type side struct {
	p        *Platforms
	platform string
	shop     *shop // nil: none of its own
	faults   script
	hooks    hooks
	// event is what a change is told with, and what a forger would tell.
	event func(c Changed, at time.Time) (body, tampered any)
	// refusal is an error in the platform's own form.
	refusal func(status int, text string) any
}

func (p *Platforms) side(platform string, s *shop, refusal func(int, string) any) *side {
	made := &side{p: p, platform: platform, shop: s, refusal: refusal}
	p.sides[platform] = made
	return made
}

// call is one request, its body read.
type call struct {
	*http.Request
	body  []byte
	fault Fault
}

// answer is what is written, and what befalls it on the way.
type answer struct {
	status int
	header http.Header
	body   any // written as JSON, unless it is []byte
	kind   string
	bytes  int64
	lost   bool
	half   bool
}

func ok(body any) answer { return answer{status: http.StatusOK, body: body} }

func (a answer) with(name, value string) answer {
	if a.header == nil {
		a.header = http.Header{}
	}
	a.header.Set(name, value)
	return a
}

func (s *side) refuse(status int, text string) answer {
	return answer{status: status, body: s.refusal(status, text)}
}

// route serves a pattern such as "GET /products" under the platform's prefix. Faults are met under the resource; with
// none the handler meets them itself.
func (s *side) route(method, path, resource string, handle func(*call) answer) {
	s.p.mux.HandleFunc(method+" /"+s.platform+path, func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, largestBody))
		c := &call{Request: r, body: body}
		switch {
		case err != nil:
			s.refuse(http.StatusRequestEntityTooLarge, "the body is too large").write(w)
		case resource == "":
			handle(c).write(w)
		default:
			s.meet(c, resource, func() answer { return handle(c) }).write(w)
		}
	})
}

// meet does the work as the script of faults allows it.
func (s *side) meet(c *call, resource string, work func() answer) answer {
	s.p.count(s.platform + ":" + resource)
	c.fault = s.faults.meet(resource)
	f := c.fault
	switch f.Kind {
	case throttle:
		a := s.refuse(http.StatusTooManyRequests, "Too many requests.").with("Retry-After", strconv.Itoa(f.RetryAfter))
		if s.platform == ShipStation {
			a = a.with("X-Rate-Limit-Remaining", "0").with("X-Rate-Limit-Reset", strconv.Itoa(f.RetryAfter))
		}
		return a
	case failure:
		return s.refuse(f.Status, "Something went wrong here.")
	case refuse:
		return s.refuse(http.StatusUnauthorized, "These credentials are not good any more.")
	case slow:
		pause(c, f.Millis)
	}
	a := work()
	switch f.Kind {
	case garbage:
		a.half = true
	case longPage:
		a.bytes = f.Bytes
	case lost: // a client may repeat a GET by itself when nothing at all comes back
		a.lost, a.half = true, c.Method == http.MethodGet
	}
	return a
}

func pause(c *call, millis int) {
	select {
	case <-time.After(time.Duration(millis) * time.Millisecond):
	case <-c.Context().Done():
	}
}

func (a answer) write(w http.ResponseWriter) {
	if a.lost && !a.half {
		panic(http.ErrAbortHandler)
	}
	for name, values := range a.header {
		w.Header()[name] = values
	}
	text, raw := a.body.([]byte)
	if !raw && a.body != nil {
		w.Header().Set("Content-Type", "application/json; charset=utf-8")
		text, _ = json.Marshal(a.body) // of maps and of types of our own
	}
	if a.kind != "" {
		w.Header().Set("Content-Type", a.kind)
	}
	if a.lost {
		w.Header().Set("Content-Length", strconv.Itoa(len(text)))
	}
	if a.half {
		text = text[:len(text)/2]
	}
	w.WriteHeader(a.status)
	if a.bytes > 0 {
		text = pad(w, text, a.bytes)
	}
	_, _ = w.Write(text)
	if a.lost {
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

// number reads a whole number of the query, or what is meant by its absence. Nothing sensible: negative.
func (c *call) number(name string, absent int) int {
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

// window counts requests in a span of time, and forgets them all at its end.
type window struct {
	span  time.Duration
	limit int
	start time.Time
	used  int
}

// take reports whether one more fits, what is left, and when the window ends. It needs a lock of the caller's.
func (l *window) take(now time.Time) (fits bool, left int, ends time.Duration) {
	if now.Sub(l.start) >= l.span {
		l.start, l.used = now, 0
	}
	ends = l.span - now.Sub(l.start)
	if l.used >= l.limit {
		return false, 0, ends
	}
	l.used++
	return true, l.limit - l.used, ends
}

func seconds(d time.Duration) string { return strconv.Itoa(int((d + time.Second - 1) / time.Second)) }
