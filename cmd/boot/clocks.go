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

// clocks compares the database's clock with this machine's and with those of the payment providers.
type clocks struct {
	database  *system.DatabaseClock
	providers map[string]*providerClock
	log       *slog.Logger
	wrong     map[string]bool // of the loop: what the log was told last
}

func (a *App) openClocks() {
	a.clocks = &clocks{
		database:  a.clock,
		providers: map[string]*providerClock{},
		log:       a.log,
		wrong:     map[string]bool{},
	}
	for name, remote := range offering[ports.RemoteClock](a.providers) {
		a.clocks.providers[name] = &providerClock{
			RemoteClock: remote,
			address:     a.config.providerURL(name),
			ours:        a.clock,
		}
	}
}

// providerURL is where a payment provider answers, to whomever.
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

// remote is the providers' clocks.
func (c *clocks) remote() map[string]ports.RemoteClock {
	all := map[string]ports.RemoteClock{}
	for name, p := range c.providers {
		all[name] = p
	}
	return all
}

// follow measures the database's clock, and logs what begins or ceases to be wrong.
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
			c.log.ErrorContext(ctx, "clocks are too far apart", "against", against, "ahead", skew.Round(time.Second).String())
		} else {
			c.log.InfoContext(ctx, "clocks agree again", "against", against)
		}
	}
	return wrong
}

// watch has health tell what is wrong.
func (c *clocks) watch(h *telemetry.Health) {
	h.Check("clock", "this machine's is more than a minute away from the database's", c.check)
	for name, p := range c.providers {
		h.Warn(name+" clock", p.warning)
	}
}

// check fails while this machine's clock is wrong.
func (c *clocks) check(context.Context) error {
	if skew := c.database.Skew(); payments.TooFarApart(skew) {
		return fmt.Errorf("the database's clock is %s ahead of this machine's", skew.Round(time.Second))
	}
	return nil
}

// warning says that a provider's clock is wrong; "": it is not, as far as known.
func (p *providerClock) warning() string {
	skew, known := p.Skew()
	if !known || !payments.TooFarApart(skew) {
		return ""
	}
	return fmt.Sprintf("its clock is %s ahead of the database's: payments through it are refused", skew.Round(time.Second))
}

// skews are all that are known, for the metric.
func (c *clocks) skews() map[string]time.Duration {
	all := map[string]time.Duration{"database": c.database.Skew()}
	for name, p := range c.providers {
		if skew, known := p.Skew(); known {
			all[name] = skew
		}
	}
	return all
}

// providerClock is a provider's clock. No payment is sent while it is wrong, so that no answer would tell when it
// is right again: meanwhile the provider is asked for its time alone, until it answers something else.
type providerClock struct {
	ports.RemoteClock // by the answers to requests
	address           string
	ours              ports.Clock

	mu            sync.Mutex
	outdated, now time.Duration // while requests say outdated, it is now
	asked         bool
}

// Skew is RemoteClock's.
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
		return // it stays wrong
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	p.outdated, p.now, p.asked = outdated, now, true
}

// askTime bounds the wait for a provider's time.
const askTime = 2 * time.Second

var errNoDate = errors.New("the answer has no Date")

// skewOf is how far the clock of a server is ahead, by the Date header of any answer.
func skewOf(ctx context.Context, address string, now func() time.Time) (time.Duration, error) {
	ctx, cancel := context.WithTimeout(ctx, askTime)
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
