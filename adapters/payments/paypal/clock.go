package paypal

import (
	"net/http"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/ports"
)

var _ ports.RemoteClock = (*Provider)(nil)

// remoteClock compares PayPal's clock with ours by the Date header of its answers (RFC 9110, 6.6.1). It
// holds to about a second, and half of the round trip.
type remoteClock struct {
	ours ports.Clock
	next http.RoundTripper

	mu    sync.Mutex
	ahead time.Duration
	known bool
}

func (c *remoteClock) RoundTrip(r *http.Request) (*http.Response, error) {
	sent := c.ours.Now()
	answer, err := c.next.RoundTrip(r)
	if err != nil {
		return nil, err
	}
	if date, err := http.ParseTime(answer.Header.Get("Date")); err == nil {
		trip := c.ours.Now().Sub(sent)
		c.mu.Lock()
		c.ahead, c.known = date.Add(time.Second/2).Sub(sent.Add(trip/2)), true
		c.mu.Unlock()
	}
	return answer, nil
}

// Skew is how far PayPal's clock is ahead of ours.
func (p *Provider) Skew() (time.Duration, bool) {
	p.remote.mu.Lock()
	defer p.remote.mu.Unlock()
	return p.remote.ahead, p.remote.known
}

// now is the time by PayPal's clock, as far as it is known.
func (p *Provider) now() time.Time {
	ahead, _ := p.Skew()
	return p.clock.Now().Add(ahead)
}

// age bounds how long ago t was. Who stored t is not known here, nor how far their clock was off, so that
// both our clock and PayPal's are asked.
func (p *Provider) age(t time.Time) (least, most time.Duration) {
	ours, theirs := p.clock.Now().Sub(t), p.now().Sub(t)
	return min(ours, theirs), max(ours, theirs)
}
