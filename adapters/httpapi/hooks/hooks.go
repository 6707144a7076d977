// Package hooks serves the webhooks of payment providers and platforms: POST /hooks/{webhook id}, with a signature over the
// body's bytes instead of a key, and Shopify's privacy demands to the app (demands.go). It answers 200 once an event is
// recorded or recognized as irrelevant; after any other answer the event is delivered again, which changes nothing that is
// recorded. A platform's events are stored and processed later, a payment provider's are recorded at once. Packages payments
// and inbox verify signatures.
package hooks

import (
	"bytes"
	"errors"
	"io"
	"net/http"
	"net/netip"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/inbox"
	"github.com/haggle-commerce/haggle/app/payments"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Path is where webhooks are, before their ids.
const Path = "/hooks/"

const (
	// Pattern is for a mux.
	Pattern = "POST " + Path + "{webhook_id}"
	// longest is the limit of a call's body in bytes. A call with a signature for a platform's webhook may have longestSigned
	// bytes, but only largeAtOnce calls are read past longest at a time. Shopify does not document how large its calls can be;
	// its staff speak of "upwards of a megabyte", and a call that is refused as too large counts as failed.
	longest       = 1 << 20
	longestSigned = 16 << 20
	largeAtOnce   = 4
	// remembered is the largest number of known webhooks of payment providers.
	remembered = 10_000
)

// Services is what the handler works with.
type Services struct {
	Receiver        *inbox.Receiver         // handles platforms' webhooks; nil: there are none
	PaymentWebhooks payments.WebhookHandler // of all others
	Lane            *wire.Lane
	// Limiter counts refused calls against Rate, by address, so that nobody can guess ids and signatures.
	Limiter       ports.Limiter
	Rate          ports.Rate
	ClientAddress func(*http.Request) netip.Addr
}

// Handler answers at Pattern.
func Handler(s Services) http.Handler {
	known, _ := lru.New[id.Webhook, struct{}](remembered) // fails without a size only
	h := handler{s, known, make(chan struct{}, largeAtOnce)}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := h.admit(r); err != nil {
			wire.WriteError(w, r, err)
		}
	})
}

// handler is Services with a cache of the payment providers' webhooks whose calls were accepted.
type handler struct {
	Services
	known *lru.Cache[id.Webhook, struct{}]
	large chan struct{} // a place for each large body that is being read and received
}

// tenant returns the tenant for which the lane counts a call: the webhook if it is known, or "" for all unknown webhooks
// together, which may be made up.
func (s handler) tenant(webhook id.Webhook) string {
	if s.known.Contains(webhook) || s.Receiver != nil && s.Receiver.Knows(webhook) {
		return webhook.String()
	}
	return ""
}

// admit refuses addresses that guess, except for calls to a platform's webhook that is known: guesses from a shared address, such
// as a proxy's, must not keep a platform from calling.
func (s handler) admit(r *http.Request) error {
	key := "hooks " + wire.AddressKey(s.ClientAddress(r))
	webhook, err := wire.ID[id.Webhook](r.PathValue("webhook_id"), "webhook")
	if err == nil && s.Receiver != nil && s.Receiver.Knows(webhook) {
		return s.receive(r, webhook)
	}
	if err := wire.Limit(http.Header{}, s.Limiter.Peek(r.Context(), key, s.Rate), s.Rate); err != nil {
		return err
	}
	if err == nil {
		err = s.receive(r, webhook)
	}
	if kind := fault.KindOf(err); kind == fault.NotFound || kind == fault.Unauthenticated {
		s.Limiter.Allow(r.Context(), key, s.Rate)
	}
	return err
}

// body reads a call's body. The caller must call done when it no longer needs the payload, also after an error.
func (s handler) body(r *http.Request, webhook id.Webhook) (payload []byte, done func(), err error) {
	done = func() {}
	payload, err = io.ReadAll(io.LimitReader(r.Body, longest+1))
	if err == nil && len(payload) > longest {
		if r.ContentLength > longestSigned || s.Receiver == nil || !s.Receiver.MayBeLarge(r.Context(), webhook, r.Header.Get) {
			return nil, done, errTooLarge
		}
		select {
		case s.large <- struct{}{}:
			done = func() { <-s.large }
		default:
			return nil, done, fault.New(fault.Unavailable, "overloaded", "Too many large requests at once. Try again.").After(time.Second)
		}
		payload, err = s.rest(r, payload)
	}
	if err != nil && !errors.Is(err, errTooLarge) {
		err = fault.New(fault.Malformed, "invalid_request", "The body could not be read.").Because(err)
	}
	return payload, done, err
}

var errTooLarge = fault.New(fault.TooLarge, "body_too_large", "The body is too large.")

// rest reads the remainder of a body and returns the whole body.
func (handler) rest(r *http.Request, beginning []byte) ([]byte, error) {
	whole := bytes.NewBuffer(beginning)
	if r.ContentLength > 0 {
		whole.Grow(int(r.ContentLength) - len(beginning) + bytes.MinRead)
	}
	n, err := whole.ReadFrom(io.LimitReader(r.Body, int64(longestSigned-len(beginning)+1)))
	if err == nil && n > int64(longestSigned-len(beginning)) {
		err = errTooLarge
	}
	return whole.Bytes(), err
}

func (s handler) receive(r *http.Request, webhook id.Webhook) error {
	payload, done, err := s.body(r, webhook)
	defer done()
	if err != nil {
		return err
	}
	ctx, leave, err := s.Lane.Enter(r.Context(), s.tenant(webhook))
	if err != nil {
		return err
	}
	defer leave()
	call := ports.Call{Header: r.Header.Get, Payload: payload}
	if s.Receiver != nil {
		err = s.Receiver.Receive(ctx, webhook, call)
		if fault.KindOf(err) != fault.NotFound {
			return err
		}
	}
	if err := s.PaymentWebhooks.Handle(wire.Outbound(ctx), webhook, call); err != nil {
		return err
	}
	s.known.Add(webhook, struct{}{})
	return nil
}
