package boot

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/http"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/adapters/system"
	"github.com/haggle-commerce/haggle/adapters/telemetry"
	"github.com/haggle-commerce/haggle/app/payments"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// syncEvery is how often this process measures the database's clock.
const syncEvery = 3 * time.Second

// clocks compares the database's clock with this machine's and with the payment providers'.
type clocks struct {
	database  *system.DatabaseClock
	providers map[string]*providerClock
	log       *slog.Logger
	wrong     map[string]bool // the state logged last, by clock; only the loop uses it
}

func (a *App) openClocks() {
	a.clocks = &clocks{
		database:  a.clock,
		providers: map[string]*providerClock{},
		log:       a.log,
		wrong:     map[string]bool{},
	}
	for name, remote := range implementing[ports.RemoteClock](a.providers) {
		a.clocks.providers[name] = &providerClock{
			RemoteClock: remote,
			address:     a.config.providerURL(name),
			ours:        a.clock,
		}
	}
}

// providerURL returns an address of a payment provider that answers without credentials.
func (c Config) providerURL(provider string) string {
	switch provider {
	case integration.Stripe.String():
		return cmp.Or(c.StripeURL, "https://api.stripe.com")
	case integration.PayPal.String():
		if c.Env == account.Production.String() {
			return cmp.Or(c.PayPalURL, "https://api-m.paypal.com")
		}
		return cmp.Or(c.PayPalURL, "https://api-m.sandbox.paypal.com")
	}
	return ""
}

// remote returns the providers' clocks.
func (c *clocks) remote() map[string]ports.RemoteClock {
	all := map[string]ports.RemoteClock{}
	for name, p := range c.providers {
		all[name] = p
	}
	return all
}

// follow measures the database's clock, and logs when a clock becomes wrong or right again.
func (c *clocks) follow(ctx context.Context) error {
	err := c.database.Sync(ctx)
	c.note(ctx, "database", c.database.Skew())
	for name, p := range c.providers {
		if skew, known := p.Skew(); known {
			if c.note(ctx, name, skew) {
				p.ask(ctx)
			}
		}
	}
	return err
}

func (c *clocks) note(ctx context.Context, against string, skew time.Duration) (wrong bool) {
	wrong = payments.TooFarApart(skew)
	if wrong != c.wrong[against] {
		c.wrong[against] = wrong
		if wrong {
			c.log.ErrorContext(ctx, "the difference between clocks is too large", "against", against, "ahead", skew.Round(time.Second).String())
		} else {
			c.log.InfoContext(ctx, "clocks agree again", "against", against)
		}
	}
	return wrong
}

// watch registers the clocks with the health checks.
func (c *clocks) watch(h *telemetry.Health) {
	h.Check("clock", "this machine's clock differs from the database clock by more than a minute", c.check)
	for name, p := range c.providers {
		h.Warn(name+" clock", p.warning)
	}
}

// check returns an error while this machine's clock is wrong.
func (c *clocks) check(context.Context) error {
	if skew := c.database.Skew(); payments.TooFarApart(skew) {
		return fmt.Errorf("the database clock is %s ahead of the clock of this machine", skew.Round(time.Second))
	}
	return nil
}

// warning describes a provider's wrong clock. It is "" if the clock is right or unknown.
func (p *providerClock) warning() string {
	skew, known := p.Skew()
	if !known || !payments.TooFarApart(skew) {
		return ""
	}
	return fmt.Sprintf("its clock is %s ahead of the database clock: the server refuses payments through this provider", skew.Round(time.Second))
}

// skews returns all known skews, for the metric.
func (c *clocks) skews() map[string]time.Duration {
	all := map[string]time.Duration{"database": c.database.Skew()}
	for name, p := range c.providers {
		if skew, known := p.Skew(); known {
			all[name] = skew
		}
	}
	return all
}

// providerClock is a provider's clock, read from the Date header of its responses. While it is wrong no payment is sent, so no
// response would show that it is right again. Meanwhile the provider is only asked for its time.
type providerClock struct {
	ports.RemoteClock // by the responses to payment requests
	address           string
	ours              ports.Clock

	mu            sync.Mutex
	outdated, now time.Duration // while RemoteClock still reports outdated, the skew is now
	asked         bool
}

// Skew implements ports.RemoteClock.
func (p *providerClock) Skew() (time.Duration, bool) {
	skew, known := p.RemoteClock.Skew()
	p.mu.Lock()
	defer p.mu.Unlock()
	if known && p.asked && skew == p.outdated {
		return p.now, true
	}
	return skew, known
}

func (p *providerClock) ask(ctx context.Context) {
	outdated, _ := p.RemoteClock.Skew()
	now, err := skewOf(ctx, p.address, p.ours.Now)
	if err != nil {
		return // the clock still counts as wrong
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.outdated, p.now, p.asked = outdated, now, true
}

// clockTimeout limits the request for a provider's time.
const clockTimeout = 2 * time.Second

var errNoDate = errors.New("the response has no Date header")

// skewOf returns how far a server's clock is ahead, by the Date header of any response.
func skewOf(ctx context.Context, address string, now func() time.Time) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, clockTimeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodHead, address, nil)
	if err != nil {
		return 0, err
	}
	answer, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return 0, err
	}
	answer.Body.Close()
	date, err := http.ParseTime(answer.Header.Get("Date"))
	if err != nil {
		return 0, errNoDate
	}
	return date.Sub(now()), nil
}
