// Package stripe takes payments with shared payment tokens and gives them back, through a
// merchant's own Stripe account. It keeps nothing: what Stripe knows is the truth.
//
// # One charge per key
//
// A charge is one request that creates and confirms a payment intent, with the attempt's key as its
// idempotency key and in its metadata. Stripe "saves the resulting status code and body of the first request made for
// any given idempotency key, regardless of whether it succeeds or fails", 500 included, "compares incoming
// parameters to those of the original request and errors if they're not the same", and may forget keys once
// "they're at least 24 hours old". It saves nothing when "incoming parameters fail validation, or the request
// conflicts with another request that's executing concurrently" (docs.stripe.com/api/idempotent_requests and
// docs.stripe.com/error-low-level, read November 2026). So Charge may be repeated in the same words: Stripe repeats
// its answer, and an answer of 4xx is as good as the first.
//
// # Asking what became of a charge
//
// Resolve takes the key: the same amount without a way to pay, marked void, which is canceled at once. Stripe orders
// this against the charge by their common key.
//
//   - The void was first: the charge, if it ever comes, is refused as another use of the key. Nothing was charged.
//   - The charge was first and has ended: idempotency_error. Its intent is looked for, by search and by list, around
//     the attempt's start by Stripe's own clock. As long as none is found nobody knows, however many lists are
//     empty: a window of time is no proof when clocks differ.
//   - The charge is at work: 409, and nobody knows yet.
//
// A key that is older than keyAge may be free again, so that a void would prove nothing. But an attempt is charged
// within checkout.KeyAge of its start only: later, Charge too just resolves. So nothing is left then that could send
// the charge, and the list of all hours in which it could be sent, hours to spare on either side, decides.
package stripe

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"

	api "github.com/stripe/stripe-go/v85"

	"github.com/haggle-commerce/haggle/adapters/payments/remoteclock"
	"github.com/haggle-commerce/haggle/adapters/payments/retry"
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
	remote   *remoteclock.Clock
}

var (
	_ ports.PaymentProvider = (*Provider)(nil)
	_ ports.RemoteClock     = (*Provider)(nil)
)

// New is Stripe as configured. Requests last as long as their contexts, and follow no redirects.
func New(c Config) *Provider {
	client, remote := remoteclock.Client(c.HTTP, c.Clock)
	backend := &api.BackendConfig{
		HTTPClient:        client,
		EnableTelemetry:   api.Bool(false),
		LeveledLogger:     &api.LeveledLogger{Level: api.LevelNull},
		MaxNetworkRetries: api.Int64(0), // try does it, within the context
	}
	if c.URL != "" {
		backend.URL = &c.URL
	}
	return &Provider{
		backends: api.NewBackendsWithConfig(backend),
		clock:    c.Clock,
		remote:   remote,
	}
}

// Skew returns how far Stripe's clock is ahead of ours, and whether that is known.
func (p *Provider) Skew() (ahead time.Duration, known bool) { return p.remote.Skew() }

func (p *Provider) as(a ports.PaymentAccount) *api.Client {
	return api.NewClient(a.Key, api.WithBackends(p.backends))
}

// try repeats a request whose outcome is unclear.
func try[T any](ctx context.Context, request func() (T, error)) (answer T, err error) {
	err = retry.Errors{Unclear: unclear, Refused: credentialsRefused}.Do(ctx, func() (err error) {
		answer, err = request()
		return err
	})
	return answer, err
}

// unclear reports whether the request may or may not have been carried out.
func unclear(err error) bool {
	var refusal *api.Error
	if !errors.As(err, &refusal) {
		return true
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
	case err == nil:
		return nil
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
