package script

import (
	"io"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"
)

// The kinds of faults that every service can have.
const (
	Slow     = "slow"     // waits, and then answers
	failure  = "error"    // 500, or another status
	throttle = "throttle" // 429 with Retry-After
	page     = "page"     // an HTML page, with status 200
	endless  = "endless"  // an answer without end
	lost     = "lost"     // cuts the connection
	hang     = "hang"     // never answers
	redirect = "redirect" // 307 to another address
)

// Kinds returns the kinds that every service can have and a look-alike's own.
func Kinds(own ...string) []string {
	return slices.Concat([]string{Slow, failure, throttle}, own, []string{page, endless, lost, hang, redirect})
}

// Replies are the error answers in a service's format.
type Replies struct {
	Failure    any    // JSON, of error
	Throttled  any    // JSON, of throttle
	Elsewhere  string // address, of redirect
	Begin, Pad string // of endless: the beginning of an answer, and the text that repeats
}

// Befalls applies a fault that leaves a request without a proper answer, and reports whether f is one.
func (f Fault) Befalls(w http.ResponseWriter, r *http.Request, say Replies) bool {
	switch f.Kind {
	case Slow:
		select {
		case <-time.After(time.Duration(f.Millis) * time.Millisecond):
			return false
		case <-r.Context().Done():
		}
	case failure:
		Write(w, f.Status, say.Failure)
	case throttle:
		w.Header().Set("Retry-After", strconv.Itoa(f.RetryAfter))
		Write(w, http.StatusTooManyRequests, say.Throttled)
	case page:
		w.Header().Set("Content-Type", "text/html")
		_, _ = io.WriteString(w, "<html><body>Welcome!</body></html>")
	case redirect:
		http.Redirect(w, r, say.Elsewhere, http.StatusTemporaryRedirect)
	case endless:
		say.flood(w, r)
	case hang:
		_, _ = io.Copy(io.Discard, r.Body) // otherwise the server does not notice that the client is gone
		<-r.Context().Done()
	case lost:
		panic(http.ErrAbortHandler)
	default:
		return false
	}
	return true
}

// flood writes an endless answer until the client is gone.
func (say Replies) flood(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	_, err := io.WriteString(w, say.Begin)
	for more := []byte(strings.Repeat(say.Pad, 1<<14)); err == nil && r.Context().Err() == nil; {
		_, err = w.Write(more)
	}
}
