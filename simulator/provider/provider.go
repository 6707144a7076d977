package provider

import (
	"cmp"
	"errors"
	"net/http"
	"sync"
	"sync/atomic"
	"time"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

// Config is where the ledger is and how the look-alike behaves. Only Ledger is required.
type Config struct {
	Ledger string // file; created if missing

	Accounts      map[string]string // Stripe: account id by secret key; default any key, with an account derived from it
	PayPalClients map[string]string // PayPal: secret by client id; default any client

	StripeKeyAge    time.Duration // how long idempotency keys are kept; default 24 h
	PayPalKeyAge    time.Duration // default 6 h
	Hang            time.Duration // how long hang_after sends no answer; default 30 s
	ReportingLag    time.Duration // delay until a transaction is in PayPal's report; default none
	SearchLag       time.Duration // delay until Stripe's search finds an intent; default none
	WebhookAttempts int           // default 8
	WebhookPause    time.Duration // before the second attempt, doubled for each further one; default 500 ms
	StripeVersion   string        // api_version of events; default that of stripe-go v85

	Now  func() time.Time // default time.Now
	HTTP *http.Client     // sends webhooks; default one with a timeout of 10 s
}

func (c Config) withDefaults() Config {
	c.StripeKeyAge = cmp.Or(c.StripeKeyAge, 24*time.Hour)
	c.PayPalKeyAge = cmp.Or(c.PayPalKeyAge, 6*time.Hour)
	c.Hang = cmp.Or(c.Hang, 30*time.Second)
	c.WebhookAttempts = cmp.Or(c.WebhookAttempts, 8)
	c.WebhookPause = cmp.Or(c.WebhookPause, 500*time.Millisecond)
	c.StripeVersion = cmp.Or(c.StripeVersion, "2026-03-25.dahlia")
	if c.Now == nil {
		c.Now = time.Now
	}
	if c.HTTP == nil {
		c.HTTP = &http.Client{
			Timeout:       10 * time.Second,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		}
	}
	return c
}

// Provider is the look-alike. It is safe for concurrent use.
type Provider struct {
	config  Config
	journal *ledger.Journal
	wake    chan struct{} // wakes Run
	closed  chan struct{}
	close   sync.Once

	mu       sync.Mutex
	state    *ledger.State
	inFlight map[string]bool // idempotency keys of requests in execution
	claimed  map[string]bool // deliveries that are being sent
	senders  map[string]bool // endpoints that have a running sender

	ahead atomic.Int64 // of Config.Now, in nanoseconds
}

// now returns the time of the look-alike's clock.
func (p *Provider) now() time.Time { return p.config.Now().Add(time.Duration(p.ahead.Load())) }

// Open replays the ledger and returns a provider.
func Open(config Config) (*Provider, error) {
	if config.Ledger == "" {
		return nil, errors.New("provider: Config.Ledger is empty")
	}
	p := &Provider{
		config:   config.withDefaults(),
		wake:     make(chan struct{}, 1),
		closed:   make(chan struct{}),
		state:    ledger.NewState(),
		inFlight: map[string]bool{},
		claimed:  map[string]bool{},
		senders:  map[string]bool{},
	}
	journal, err := ledger.OpenJournal(config.Ledger, p.state.Apply)
	if err != nil {
		return nil, err
	}
	p.journal = journal
	return p, nil
}

// Close ends hanging answers and closes the ledger. Stop the HTTP server and Run first.
func (p *Provider) Close() error {
	p.close.Do(func() { close(p.closed) })
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.journal.Close()
}

// change runs work on the current state and appends the changes that it collected to the ledger. If appending fails,
// nothing changes. The ledger must be synced up to position before the change is visible to a client.
func (p *Provider) change(work func(*change)) (position int64, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	now := p.now()
	c := &change{
		State: p.state,
		p:     p,
		now:   now,
		entry: ledger.Entry{AtMS: now.UnixMilli()},
	}
	work(c)
	if !c.entry.Empty() {
		if err := p.journal.Append(c.entry); err != nil {
			return 0, err
		}
		p.state.Apply(c.entry)
		for _, id := range c.early {
			p.claimed[id] = true
		}
	}
	if len(c.entry.Deliveries) > 0 {
		p.wakeRun()
	}
	return p.journal.Position(), nil
}

// wakeRun wakes Run.
func (p *Provider) wakeRun() {
	select {
	case p.wake <- struct{}{}:
	default:
	}
}

// Handler serves both providers' paths and the look-alike's own.
func (p *Provider) Handler() http.Handler {
	mux := http.NewServeMux()
	p.routeStripe(mux)
	p.routePayPal(mux)
	p.routeControl(mux)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Date", p.now().UTC().Format(http.TimeFormat))
		mux.ServeHTTP(w, r)
	})
}
