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
	maxFailures = 5                // consecutive failures that open a circuit
	openFor     = 30 * time.Second // how long an open circuit sends no requests
	trialWait   = 5 * time.Second  // how long others wait while a trial request is in flight
)

// Breaker is a circuit breaker for each account of a platform. After five consecutive PlatformFailures it
// sends no requests for that account for 30 s and returns Throttled, so that callers postpone their work
// instead of counting it as failed.
type Breaker struct {
	inner    ports.Connector
	circuits bulkhead.Cache[string, *circuit] // by Connection.Key
}

// circuit is the circuit breaker of one account.
type circuit struct {
	*gobreaker.CircuitBreaker[struct{}]
	opened atomic.Int64 // when it last opened, in Unix nanoseconds
}

// WriterOf returns the OrderWriter of a connector that Break returned, or nil if it has none.
func WriterOf(c ports.Connector) ports.OrderWriter {
	b, broken := c.(interface{ writer() ports.OrderWriter })
	if !broken {
		return nil
	}
	return b.writer()
}

func (b *Breaker) writer() ports.OrderWriter {
	if w, writes := b.inner.(ports.OrderWriter); writes {
		return orderWriterBreaker{w, b}
	}
	return nil
}

// DealWriterOf returns the DealWriter of a connector that Break returned, or nil if it has none.
func DealWriterOf(c ports.Connector) ports.DealWriter {
	b, broken := c.(interface{ dealWriter() ports.DealWriter })
	if !broken {
		return nil
	}
	return b.dealWriter()
}

func (b *Breaker) dealWriter() ports.DealWriter {
	if w, writes := b.inner.(ports.DealWriter); writes {
		return dealWriterBreaker{w, b}
	}
	return nil
}

// WebhookListerOf returns the WebhookLister of a connector that Break returned, or nil if it has none.
func WebhookListerOf(c ports.Connector) ports.WebhookLister {
	b, broken := c.(interface{ webhookLister() ports.WebhookLister })
	if !broken {
		return nil
	}
	return b.webhookLister()
}

func (b *Breaker) webhookLister() ports.WebhookLister {
	if l, lists := b.inner.(ports.WebhookLister); lists {
		return listerBreaker{l, b}
	}
	return nil
}

// Break puts a circuit breaker around a connector. The result implements OAuthConnector, CalledConnector and
// Shipper if the connector does. WriterOf returns its OrderWriter, DealWriterOf its DealWriter, and
// WebhookListerOf its WebhookLister.
func Break(inner ports.Connector) ports.Connector {
	b := &Breaker{inner: inner, circuits: bulkhead.NewCache[string](KnownAccounts, newCircuit)}
	o, consents := inner.(ports.OAuthConnector)
	c, calls := inner.(ports.CalledConnector)
	s, ships := inner.(ports.Shipper)
	oauth, called, shipper := oauthBreaker{o, b}, calledBreaker{c, b}, shipperBreaker{s, b}
	switch {
	case consents && calls && ships:
		return struct {
			*Breaker
			oauthBreaker
			calledBreaker
			shipperBreaker
		}{b, oauth, called, shipper}
	case consents && calls:
		return struct {
			*Breaker
			oauthBreaker
			calledBreaker
		}{b, oauth, called}
	case consents && ships:
		return struct {
			*Breaker
			oauthBreaker
			shipperBreaker
		}{b, oauth, shipper}
	case calls && ships:
		return struct {
			*Breaker
			calledBreaker
			shipperBreaker
		}{b, called, shipper}
	case consents:
		return struct {
			*Breaker
			oauthBreaker
		}{b, oauth}
	case calls:
		return struct {
			*Breaker
			calledBreaker
		}{b, called}
	case ships:
		return struct {
			*Breaker
			shipperBreaker
		}{b, shipper}
	}
	return b
}

func newCircuit() *circuit {
	c := &circuit{}
	c.CircuitBreaker = gobreaker.NewCircuitBreaker[struct{}](gobreaker.Settings{
		Timeout:     openFor,
		ReadyToTrip: func(n gobreaker.Counts) bool { return n.ConsecutiveFailures >= maxFailures },
		OnStateChange: func(_ string, _, to gobreaker.State) {
			if to == gobreaker.StateOpen {
				c.opened.Store(time.Now().UnixNano())
			}
		},
		IsSuccessful: func(err error) bool {
			var failure *ports.PlatformFailure
			return !errors.As(err, &failure)
		},
		// A caller that stopped waiting did not learn whether the platform works.
		IsExcluded: func(err error) bool {
			return errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded)
		},
	})
	return c
}

// execute calls the platform unless the circuit of the account is open.
func execute[T any](b *Breaker, key string, ask func() (T, error)) (answer T, err error) {
	c := b.circuits.Of(key)
	_, err = c.Execute(func() (struct{}, error) {
		var err error
		answer, err = ask()
		return struct{}{}, err
	})
	switch {
	case errors.Is(err, gobreaker.ErrOpenState):
		return answer, Wait(time.Until(time.Unix(0, c.opened.Load()).Add(openFor)))
	case errors.Is(err, gobreaker.ErrTooManyRequests):
		return answer, Wait(trialWait)
	}
	return answer, err
}

// Inspect implements ports.Connector.
func (b *Breaker) Inspect(ctx ports.Outbound, c ports.Connection) (integration.Config, error) {
	return execute(b, c.Key, func() (integration.Config, error) { return b.inner.Inspect(ctx, c) })
}

// Read implements ports.Connector.
func (b *Breaker) Read(ctx ports.Outbound, c ports.Connection, r ports.PageRequest) (ports.RecordPage, error) {
	return execute(b, c.Key, func() (ports.RecordPage, error) { return b.inner.Read(ctx, c, r) })
}

// oauthBreaker is an OAuthConnector. It guards Refresh only, because an authorization code belongs to no
// account yet.
type oauthBreaker struct {
	ports.OAuthConnector
	breaker *Breaker
}

func (o oauthBreaker) Refresh(ctx ports.Outbound, c ports.Connection) (integration.Credentials, error) {
	return execute(o.breaker, c.Key, func() (integration.Credentials, error) { return o.OAuthConnector.Refresh(ctx, c) })
}

// calledBreaker is a CalledConnector. It does not guard Verify, which sends no request.
type calledBreaker struct {
	ports.CalledConnector
	breaker *Breaker
}

func (w calledBreaker) Register(ctx ports.Outbound, c ports.Connection, topic, address string) (remote, signing string, err error) {
	remote, err = execute(w.breaker, c.Key, func() (string, error) {
		var err error
		remote, signing, err = w.CalledConnector.Register(ctx, c, topic, address)
		return remote, err
	})
	return remote, signing, err
}

func (w calledBreaker) Unregister(ctx ports.Outbound, c ports.Connection, remote string) error {
	_, err := execute(w.breaker, c.Key, func() (struct{}, error) { return struct{}{}, w.CalledConnector.Unregister(ctx, c, remote) })
	return err
}

func (w calledBreaker) News(ctx ports.Outbound, c ports.Connection, topic string, at time.Time, payload []byte) ([]syncrun.Record, error) {
	return execute(w.breaker, c.Key, func() ([]syncrun.Record, error) { return w.CalledConnector.News(ctx, c, topic, at, payload) })
}

// listerBreaker is a WebhookLister behind the breaker.
type listerBreaker struct {
	inner   ports.WebhookLister
	breaker *Breaker
}

func (l listerBreaker) Webhooks(ctx ports.Outbound, c ports.Connection) ([]ports.RemoteWebhook, error) {
	return execute(l.breaker, c.Key, func() ([]ports.RemoteWebhook, error) { return l.inner.Webhooks(ctx, c) })
}

// shipperBreaker is a Shipper behind the breaker.
type shipperBreaker struct {
	ports.Shipper
	breaker *Breaker
}

func (s shipperBreaker) Rates(ctx ports.Outbound, c ports.Connection, r ports.RateRequest) ([]ports.ShippingRate, error) {
	return execute(s.breaker, c.Key, func() ([]ports.ShippingRate, error) { return s.Shipper.Rates(ctx, c, r) })
}

func (s shipperBreaker) Buy(ctx ports.Outbound, c ports.Connection, r ports.LabelRequest) (ports.ShippingLabel, error) {
	return execute(s.breaker, c.Key, func() (ports.ShippingLabel, error) { return s.Shipper.Buy(ctx, c, r) })
}

func (s shipperBreaker) Bought(ctx ports.Outbound, c ports.Connection, o *order.Order) (*ports.ShippingLabel, error) {
	return execute(s.breaker, c.Key, func() (*ports.ShippingLabel, error) { return s.Shipper.Bought(ctx, c, o) })
}

// orderWriterBreaker is an OrderWriter behind the breaker.
type orderWriterBreaker struct {
	inner   ports.OrderWriter
	breaker *Breaker
}

func (w orderWriterBreaker) RepeatAfter() time.Duration { return w.inner.RepeatAfter() }

func (w orderWriterBreaker) FindOrder(ctx ports.Outbound, c ports.Connection, d ports.OrderDraft) (*ports.WrittenOrder, error) {
	return execute(w.breaker, c.Key, func() (*ports.WrittenOrder, error) { return w.inner.FindOrder(ctx, c, d) })
}

func (w orderWriterBreaker) WriteOrder(ctx ports.Outbound, c ports.Connection, d ports.OrderDraft) (ports.WrittenOrder, error) {
	return execute(w.breaker, c.Key, func() (ports.WrittenOrder, error) { return w.inner.WriteOrder(ctx, c, d) })
}

func (w orderWriterBreaker) ReadOrder(ctx ports.Outbound, c ports.Connection, remote string, currency money.Currency) (order.PlatformState, error) {
	return execute(w.breaker, c.Key, func() (order.PlatformState, error) { return w.inner.ReadOrder(ctx, c, remote, currency) })
}

func (w orderWriterBreaker) ReadLevels(ctx ports.Outbound, c ports.Connection, items []string) ([]syncrun.Record, error) {
	return execute(w.breaker, c.Key, func() ([]syncrun.Record, error) { return w.inner.ReadLevels(ctx, c, items) })
}

func (w orderWriterBreaker) UpdateOrder(ctx ports.Outbound, c ports.Connection, remote string, d ports.OrderDraft, step order.PlatformStep) (bool, error) {
	return execute(w.breaker, c.Key, func() (bool, error) { return w.inner.UpdateOrder(ctx, c, remote, d, step) })
}

// dealWriterBreaker is a DealWriter behind the breaker.
type dealWriterBreaker struct {
	inner   ports.DealWriter
	breaker *Breaker
}

func (m dealWriterBreaker) WriteDeal(ctx ports.Outbound, c ports.Connection, d ports.DealDraft) (ports.WrittenDeal, error) {
	return execute(m.breaker, c.Key, func() (ports.WrittenDeal, error) { return m.inner.WriteDeal(ctx, c, d) })
}

func (m dealWriterBreaker) NameBuyer(ctx ports.Outbound, c ports.Connection, remote string, o *order.Order) error {
	_, err := execute(m.breaker, c.Key, func() (struct{}, error) { return struct{}{}, m.inner.NameBuyer(ctx, c, remote, o) })
	return err
}
