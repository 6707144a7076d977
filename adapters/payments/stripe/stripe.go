// Package stripe takes payments with shared payment tokens (psp_spt) and gives them back, through a
// merchant's own Stripe account. It keeps nothing: what Stripe knows is the truth.
//
// # One charge per key
//
// A charge is one request that creates and confirms a payment intent, with the attempt's key as its
// idempotency key and in its metadata. Stripe answers a repeat of the request as it answered the
// first, refuses the key for any other request (idempotency_error), and answers 409 while the first is
// at work. All of this holds for 24 hours.
//
// # Asking what became of a charge
//
// Resolve looks for the key in the metadata of the intents since then, by list, which unlike search
// shows what was just written. If there is none it takes the key: the same amount without a way to pay,
// marked void. Stripe orders this against the charge by their common key.
//
//   - The void was first: the charge, if it ever comes, is refused as another use of the key.
//   - The charge was first and has ended: idempotency_error. The list, asked again, shows what became
//     of it; if there is still nothing, it failed before there was an intent, and a repeat fails alike.
//   - The charge is at work: 409, and nobody knows yet.
//
// When the key is older than 24 hours it is free again, but an attempt is charged within five hours of its
// time only: later, Charge too just resolves. So nothing is left then that could send the charge, and the
// list of the hours in which it could be sent has the answer alone. The void is an intent without a
// payment method that is canceled at once; Charge and Resolve know it by its mark.
package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	api "github.com/stripe/stripe-go/v85"

	"github.com/haggle-commerce/haggle/ports"
)

// Config says where Stripe is. Only Clock is required.
type Config struct {
	URL   string // default: the real one
	HTTP  *http.Client
	Clock ports.Clock
}

// Provider is Stripe behind its port. A merchant's account is its secret key; there is no Secret.
type Provider struct {
	backends *api.Backends
	clock    ports.Clock
}

var _ ports.PaymentProvider = (*Provider)(nil)

// New is Stripe as configured. Requests last as long as their contexts, and follow no redirects.
func New(c Config) *Provider {
	client := &http.Client{}
	if c.HTTP != nil {
		*client = *c.HTTP
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	backend := &api.BackendConfig{
		HTTPClient: client, EnableTelemetry: api.Bool(false), LeveledLogger: &api.LeveledLogger{Level: api.LevelNull},
		MaxNetworkRetries: api.Int64(0), // try does it, within the context
	}
	if c.URL != "" {
		backend.URL = &c.URL
	}
	return &Provider{backends: api.NewBackendsWithConfig(backend), clock: c.Clock}
}

func (p *Provider) as(a ports.PaymentAccount) *api.Client {
	return api.NewClient(a.Key, api.WithBackends(p.backends))
}

// pauses are the waits before the tries after the first.
var pauses = []time.Duration{200 * time.Millisecond, 600 * time.Millisecond}

// try runs a request that may be repeated until its answer says something, a few times within the
// context. That credentials are refused now says nothing of a try before.
func try(ctx context.Context, request func() error) error {
	var before error
	for _, pause := range append([]time.Duration{0}, pauses...) {
		if pause > 0 && !wait(ctx, pause) {
			break
		}
		err := request()
		switch {
		case err == nil:
			return nil
		case before != nil && credentialsRefused(err):
			return before
		case !unclear(err):
			return err
		}
		before = err
	}
	return before
}

func wait(ctx context.Context, d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-ctx.Done():
		return false
	case <-timer.C:
		return true
	}
}

// unclear tells that the request may or may not have been carried out.
func unclear(err error) bool {
	var refusal *api.Error
	if !errors.As(err, &refusal) {
		return !errors.Is(err, errTooFar)
	}
	return refusal.HTTPStatusCode == http.StatusConflict || refusal.HTTPStatusCode == http.StatusTooManyRequests ||
		refusal.HTTPStatusCode >= http.StatusInternalServerError || refusal.HTTPStatusCode < http.StatusBadRequest
}

func credentialsRefused(err error) bool {
	return status(err) == http.StatusUnauthorized || status(err) == http.StatusForbidden
}

// status of the answer; 0 if there was none.
func status(err error) int {
	var refusal *api.Error
	if !errors.As(err, &refusal) {
		return 0
	}
	return refusal.HTTPStatusCode
}

// described is an error for logs, without what answers may hold: messages repeat what was sent.
func described(err error) error {
	var refusal *api.Error
	var network *url.Error
	switch {
	case err == nil || errors.Is(err, errTooFar):
		return err
	case errors.As(err, &refusal):
		text := fmt.Errorf("stripe: %d %s %s, request %s", refusal.HTTPStatusCode, refusal.Type, refusal.Code, refusal.RequestID)
		if credentialsRefused(err) {
			return fmt.Errorf("%w: %w", ports.ErrCredentialsRefused, text)
		}
		return text
	case errors.As(err, &network):
		return fmt.Errorf("stripe: %w", network)
	}
	return errUnreadableAnswer
}

var errUnreadableAnswer = errors.New("stripe: the answer is unreadable")
