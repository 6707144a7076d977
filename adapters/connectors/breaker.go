package connectors

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/sony/gobreaker/v2"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	tooMany = 5                // failures in a row
	pause   = 30 * time.Second // in which a platform that failed is left alone
	trial   = 5 * time.Second  // that others wait while one tries whether it works again
)

// Breaker leaves a platform alone that keeps failing: after five PlatformFailures in a row for an account
// it is not asked for 30 s. Meanwhile the answer is Throttled, so that work is put off, and not counted as
// failed.
type Breaker struct {
	inner    ports.Connector
	circuits bulkhead.Cache[string, *circuit] // by Connection.Key
}

// circuit is an account's.
type circuit struct {
	*gobreaker.CircuitBreaker[struct{}]
	opened atomic.Int64 // when, in Unix nanoseconds
}

// WriterOf is a connector that Break returned as an OrderWriter; nil: it is none.
func WriterOf(c ports.Connector) ports.OrderWriter {
	b, broken := c.(interface{ writer() ports.OrderWriter })
	if !broken {
		return nil
	}
	return b.writer()
}

func (b *Breaker) writer() ports.OrderWriter {
	if w, writes := b.inner.(ports.OrderWriter); writes {
		return writing{w, b}
	}
	return nil
}

// DealWriterOf is a connector that Break returned as a DealWriter; nil: it is none.
func DealWriterOf(c ports.Connector) ports.DealWriter {
	b, broken := c.(interface{ dealWriter() ports.DealWriter })
	if !broken {
		return nil
	}
	return b.dealWriter()
}

func (b *Breaker) dealWriter() ports.DealWriter {
	if w, writes := b.inner.(ports.DealWriter); writes {
		return mirroring{w, b}
	}
	return nil
}

// WebhookListerOf is a connector that Break returned as a WebhookLister; nil: it is none.
func WebhookListerOf(c ports.Connector) ports.WebhookLister {
	b, broken := c.(interface{ webhookLister() ports.WebhookLister })
	if !broken {
		return nil
	}
	return b.webhookLister()
}

func (b *Breaker) webhookLister() ports.WebhookLister {
	if l, lists := b.inner.(ports.WebhookLister); lists {
		return listing{l, b}
	}
	return nil
}

// Break puts a circuit breaker around a connector. The result is an OAuthConnector, a CalledConnector and a
// Shipper where the connector is one; WriterOf finds its OrderWriter, DealWriterOf its
// DealWriter, and WebhookListerOf its WebhookLister.
func Break(inner ports.Connector) ports.Connector {
	b := &Breaker{inner: inner, circuits: bulkhead.NewCache[string](KnownAccounts, newCircuit)}
	o, consents := inner.(ports.OAuthConnector)
	c, calls := inner.(ports.CalledConnector)
	s, ships := inner.(ports.Shipper)
	oauth, called, shipper := consenting{o, b}, calling{c, b}, shipping{s, b}
	switch {
	case consents && calls && ships:
		return struct {
			*Breaker
			consenting
			calling
			shipping
		}{b, oauth, called, shipper}
	case consents && calls:
		return struct {
			*Breaker
			consenting
			calling
		}{b, oauth, called}
	case consents && ships:
		return struct {
			*Breaker
			consenting
			shipping
		}{b, oauth, shipper}
	case calls && ships:
		return struct {
			*Breaker
			calling
			shipping
		}{b, called, shipper}
	case consents:
		return struct {
			*Breaker
			consenting
		}{b, oauth}
	case calls:
		return struct {
			*Breaker
			calling
		}{b, called}
	case ships:
		return struct {
			*Breaker
			shipping
		}{b, shipper}
	}
	return b
}

func newCircuit() *circuit {
	c := &circuit{}
	c.CircuitBreaker = gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout:     pause,
		ReadyToTrip: func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= tooMany },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				c.opened.Store(time.Now().UnixNano())
			}
		},
		IsSuccessful: func(err error) bool {
			var failure *ports.PlatformFailure
			return !errors.As(err, &failure)
		},
		// Who gave up waiting has learnt nothing.
		IsExcluded: func(err error) bool {
			return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
		},
	})
	return c
}

// through asks the platform, unless it is left alone.
func through[T any](b *Breaker, key string, ask func() (T, error)) (answer T, err error) {
	c := b.circuits.Of(key)
	_, err = c.Execute(func() (struct{}, error) {
		var err error
		answer, err = ask()
		return struct{}{}, err
	})
	switch {
	case errors.Is(err, gobreaker.ErrOpenState):
		return answer, Wait(time.Until(time.Unix(0, c.opened.Load()).Add(pause)))
	case errors.Is(err, gobreaker.ErrTooManyRequests):
		return answer, Wait(trial)
	}
	return answer, err
}

// Inspect is Connector's.
func (b *Breaker) Inspect(ctx ports.Outbound, c ports.Connection) (integration.Config, error) {
	return through(b, c.Key, func() (integration.Config, error) { return b.inner.Inspect(ctx, c) })
}

// Read is Connector's.
func (b *Breaker) Read(ctx ports.Outbound, c ports.Connection, r ports.PageRequest) (ports.RecordPage, error) {
	return through(b, c.Key, func() (ports.RecordPage, error) { return b.inner.Read(ctx, c, r) })
}

// consenting is an OAuthConnector. A code belongs to no account yet.
type consenting struct {
	ports.OAuthConnector
	breaker *Breaker
}

func (o consenting) Refresh(ctx ports.Outbound, c ports.Connection) (integration.Credentials, error) {
	return through(o.breaker, c.Key, func() (integration.Credentials, error) { return o.OAuthConnector.Refresh(ctx, c) })
}

// calling is a CalledConnector. Whether a call is signed is nothing that a platform is asked.
type calling struct {
	ports.CalledConnector
	breaker *Breaker
}

func (w calling) Register(ctx ports.Outbound, c ports.Connection, topic, address string) (remote, signing string, err error) {
	remote, err = through(w.breaker, c.Key, func() (string, error) {
		var err error
		remote, signing, err = w.CalledConnector.Register(ctx, c, topic, address)
		return remote, err
	})
	return remote, signing, err
}

func (w calling) Unregister(ctx ports.Outbound, c ports.Connection, remote string) error {
	_, err := through(w.breaker, c.Key, func() (struct{}, error) { return struct{}{}, w.CalledConnector.Unregister(ctx, c, remote) })
	return err
}

func (w calling) News(ctx ports.Outbound, c ports.Connection, topic string, at time.Time, payload []byte) ([]syncrun.Record, error) {
	return through(w.breaker, c.Key, func() ([]syncrun.Record, error) { return w.CalledConnector.News(ctx, c, topic, at, payload) })
}

// listing is a WebhookLister.
type listing struct {
	inner   ports.WebhookLister
	breaker *Breaker
}

func (l listing) Webhooks(ctx ports.Outbound, c ports.Connection) ([]ports.RemoteWebhook, error) {
	return through(l.breaker, c.Key, func() ([]ports.RemoteWebhook, error) { return l.inner.Webhooks(ctx, c) })
}

// shipping is a Shipper.
type shipping struct {
	ports.Shipper
	breaker *Breaker
}

func (s shipping) Rates(ctx ports.Outbound, c ports.Connection, r ports.RateRequest) ([]ports.ShippingRate, error) {
	return through(s.breaker, c.Key, func() ([]ports.ShippingRate, error) { return s.Shipper.Rates(ctx, c, r) })
}

func (s shipping) Buy(ctx ports.Outbound, c ports.Connection, r ports.LabelRequest) (ports.ShippingLabel, error) {
	return through(s.breaker, c.Key, func() (ports.ShippingLabel, error) { return s.Shipper.Buy(ctx, c, r) })
}

func (s shipping) Bought(ctx ports.Outbound, c ports.Connection, o *order.Order) (*ports.ShippingLabel, error) {
	return through(s.breaker, c.Key, func() (*ports.ShippingLabel, error) { return s.Shipper.Bought(ctx, c, o) })
}

// writing is an OrderWriter.
type writing struct {
	inner   ports.OrderWriter
	breaker *Breaker
}

func (w writing) RepeatAfter() time.Duration { return w.inner.RepeatAfter() }

func (w writing) FindOrder(ctx ports.Outbound, c ports.Connection, d ports.OrderDraft) (*ports.WrittenOrder, error) {
	return through(w.breaker, c.Key, func() (*ports.WrittenOrder, error) { return w.inner.FindOrder(ctx, c, d) })
}

func (w writing) WriteOrder(ctx ports.Outbound, c ports.Connection, d ports.OrderDraft) (ports.WrittenOrder, error) {
	return through(w.breaker, c.Key, func() (ports.WrittenOrder, error) { return w.inner.WriteOrder(ctx, c, d) })
}

func (w writing) ReadOrder(ctx ports.Outbound, c ports.Connection, remote string, currency money.Currency) (order.PlatformState, error) {
	return through(w.breaker, c.Key, func() (order.PlatformState, error) { return w.inner.ReadOrder(ctx, c, remote, currency) })
}

func (w writing) ReadLevels(ctx ports.Outbound, c ports.Connection, items []string) ([]syncrun.Record, error) {
	return through(w.breaker, c.Key, func() ([]syncrun.Record, error) { return w.inner.ReadLevels(ctx, c, items) })
}

func (w writing) TellOrder(ctx ports.Outbound, c ports.Connection, remote string, d ports.OrderDraft, step order.PlatformStep) (bool, error) {
	return through(w.breaker, c.Key, func() (bool, error) { return w.inner.TellOrder(ctx, c, remote, d, step) })
}

// mirroring is a DealWriter.
type mirroring struct {
	inner   ports.DealWriter
	breaker *Breaker
}

func (m mirroring) WriteDeal(ctx ports.Outbound, c ports.Connection, d ports.DealDraft) (ports.WrittenDeal, error) {
	return through(m.breaker, c.Key, func() (ports.WrittenDeal, error) { return m.inner.WriteDeal(ctx, c, d) })
}

func (m mirroring) NameBuyer(ctx ports.Outbound, c ports.Connection, remote string, o *order.Order) error {
	_, err := through(m.breaker, c.Key, func() (struct{}, error) { return struct{}{}, m.inner.NameBuyer(ctx, c, remote, o) })
	return err
}
