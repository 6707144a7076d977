// Package remoteclock estimates a payment provider's clock from the Date headers of its answers (RFC 9110, 6.6.1). The error of
// the estimate is about a second plus half of the round trip. It does not decide how much skew is too much.
package remoteclock

import (
	"net/http"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/ports"
)

var (
	_ ports.RemoteClock = (*Clock)(nil)
	_ http.RoundTripper = (*Clock)(nil)
)

// Clock is the clock of a provider, and the HTTP transport for requests to that provider.
type Clock struct {
	local ports.Clock
	next  http.RoundTripper

	mu    sync.Mutex
	ahead time.Duration
	known bool
}

// New returns the clock of the provider that is called through next; nil: http.DefaultTransport. It shows the local time until the
// first answer.
func New(local ports.Clock, next http.RoundTripper) *Clock {
	if next == nil {
		next = http.DefaultTransport
	}
	return &Clock{local: local, next: next}
}

// Client returns a copy of given, which may be nil, that follows no redirects, and the clock of the provider that is called
// through it.
func Client(given *http.Client, local ports.Clock) (*http.Client, *Clock) {
	client := &http.Client{}
	if given != nil {
		*client = *given
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	clock := New(local, client.Transport)
	client.Transport = clock
	return client, clock
}

// RoundTrip sends a request and reads the provider's clock from the answer.
func (c *Clock) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := c.local.Now()
	answer, err := c.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if date, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		trip := c.local.Now().Sub(sent)
		c.mu.Lock()
		c.ahead, c.known = date.Add(time.Second/2).Sub(sent.Add(trip/2)), true
		c.mu.Unlock()
	}
	return answer, nil
}

// Skew returns how far the provider's clock is ahead of the local one, and whether that is known.
func (c *Clock) Skew() (ahead time.Duration, known bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.ahead, c.known
}

// ProviderTime returns the time by the provider's clock, or by the local one until the first answer.
func (c *Clock) ProviderTime() time.Time {
	ahead, _ := c.Skew()
	return c.local.Now().Add(ahead)
}

// Age returns bounds for the age of t. It is unknown whether t is from the local or the provider's clock, so the bounds hold
// for both.
func (c *Clock) Age(t time.Time) (least, most time.Duration) {
	local, remote := c.local.Now().Sub(t), c.ProviderTime().Sub(t)
	return min(local, remote), max(local, remote)
}

// Span returns bounds for the provider's time at t. It is unknown whether t is from the local or the provider's clock.
func (c *Clock) Span(t time.Time) (earliest, latest time.Time) {
	ahead, _ := c.Skew()
	return t.Add(min(ahead, 0)), t.Add(max(ahead, 0))
}
