// Package stripe charges and refunds payments with shared payment tokens, through a merchant's own Stripe account. It
// stores nothing: Stripe is the source of truth.
//
// # One charge per key
//
// A charge is one request that creates and confirms a payment intent, with the attempt's key as its
// idempotency key and in its metadata. Stripe "saves the resulting status code and body of the first request made for
// any given idempotency key, regardless of whether it succeeds or fails", 500 included, "compares incoming
// parameters to those of the original request and errors if they're not the same", and may forget keys once
// "they're at least 24 hours old". It saves nothing when "incoming parameters fail validation, or the request
// conflicts with another request that's executing concurrently" (docs.stripe.com/api/idempotent_requests and
// docs.stripe.com/error-low-level, read November 2026). Therefore Charge may repeat the same request: Stripe repeats
// its answer, and a repeated 4xx means the same as the first one.
//
// # Resolving an unknown charge
//
// Resolve uses the key for a void: an intent of the same amount without a payment method, marked void, which it cancels
// at once. Stripe serializes the void and the charge by their common key.
//
//   - The void was first: Stripe refuses a later charge as another use of the key. Nothing was charged.
//   - The charge was first and has ended: idempotency_error. Resolve searches its intent, by search and by list, around
//     the attempt's start by Stripe's own clock. Without an intent the outcome is unknown, even after several empty
//     lists, because clocks differ and so a window of time is no proof.
//   - The charge is in progress: 409. The outcome is unknown.
//
// Stripe may have forgotten a key that is older than keyAge, so that a void would prove nothing. But an attempt is charged
// only within checkout.KeyAge of its start; later, Charge only resolves, too. Nothing can send the charge then, so the list
// of all hours in which it could have been sent, with hours of margin on either side, decides.
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

// Config says where to reach Stripe. Only Clock is required.
type Config struct {
	URL   string // default: Stripe's own
	HTTP  *http.Client
	Clock ports.Clock
}

// Provider implements ports.PaymentProvider with Stripe. The Key of an account is its secret key; it has no Secret.
type Provider struct {
	backends *api.Backends
	clock    ports.Clock
	remote   *remoteclock.Clock
}

var (
	_ ports.PaymentProvider = (*Provider)(nil)
	_ ports.RemoteClock     = (*Provider)(nil)
)

// New returns a Provider. Its requests end with their contexts, and follow no redirects.
func New(c Config) *Provider {
	client, remote := remoteclock.Client(c.HTTP, c.Clock)
	backend := &api.BackendConfig{
		HTTPClient:        client,
		EnableTelemetry:   api.Bool(false),
		LeveledLogger:     &api.LeveledLogger{Level: api.LevelNull},
		MaxNetworkRetries: api.Int64(0), // try repeats requests, within the context
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

func (p *Provider) client(a ports.PaymentAccount) *api.Client {
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

// unclear reports whether it is unknown if Stripe has carried out the request.
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

// status returns the status of the answer, or 0 if there was none.
func status(err error) int {
	var refusal *api.Error
	if !errors.As(err, &refusal) {
		return 0
	}
	return refusal.HTTPStatusCode
}

// redacted returns an error for logs. It omits Stripe's messages, because they contain data of the request.
func redacted(err error) error {
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
