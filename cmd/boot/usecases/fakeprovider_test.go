package usecases

import (
	"context"
	"errors"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// manualClock is a clock that stands still until the test moves it. A store's clock can be attached to it.
type manualClock struct {
	millis atomic.Int64
	store  interface{ SetClock(time.Time) }
}

func newManualClock(at time.Time) *manualClock {
	h := &manualClock{}
	h.millis.Store(at.UnixMilli())
	return h
}

func (h *manualClock) Now() time.Time { return time.UnixMilli(h.millis.Load()).UTC() }

func (h *manualClock) advance(d time.Duration) {
	h.millis.Add(d.Milliseconds())
	if h.store != nil {
		h.store.SetClock(h.Now())
	}
}

// attach sets a store's clock now and on each advance.
func (h *manualClock) attach(store interface{ SetClock(time.Time) }) {
	h.store = store
	store.SetClock(h.Now())
}

var errNoAnswer = errors.New("the provider did not answer")

// fakeProvider is a payment provider with scripted outcomes. Like a real one it has one outcome for each key, and it does not
// charge a key that Resolve was called with before.
type fakeProvider struct {
	ports.Gateway // nil: only the methods below are called

	refunds []ports.RefundRequest

	mu      sync.Mutex
	steps   []chargeStep
	known   map[string]checkout.Outcome
	charged []string // keys of Charge requests, including lost ones
	asked   []string // keys that Resolve was called with
}

// chargeStep is the scripted outcome of one charge. The zero step is paid.
type chargeStep struct {
	before      func(context.Context) // while the request is on its way
	lostRequest bool                  // the request never arrives
	outcome     checkout.Outcome      // nil: paid
	after       func(context.Context) // while the answer is on its way
	lostAnswer  bool                  // the answer never arrives
}

func newFakeProvider() *fakeProvider { return &fakeProvider{known: map[string]checkout.Outcome{}} }

// script appends outcomes of the next charges. Charges after them are paid.
func (p *fakeProvider) script(steps ...chargeStep) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.steps = append(p.steps, steps...)
}

func (p *fakeProvider) next(key string) (s chargeStep) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.charged = append(p.charged, key)
	if len(p.steps) > 0 {
		s, p.steps = p.steps[0], p.steps[1:]
	}
	return s
}

func (p *fakeProvider) Charge(ctx ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	s := p.next(r.Charge.Key)
	if s.before != nil {
		s.before(ctx)
	}
	if s.lostRequest {
		return nil, errNoAnswer
	}
	if s.outcome == nil {
		s.outcome = checkout.Paid{Provider: "ch_" + r.Charge.Key, Label: "Test card"}
	}
	outcome := p.once(r.Charge.Key, s.outcome)
	if s.after != nil {
		s.after(ctx)
	}
	if s.lostAnswer {
		return nil, errNoAnswer
	}
	return outcome, nil
}

func (p *fakeProvider) Resolve(_ ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Charge.Key)
	p.mu.Unlock()
	return p.once(r.Charge.Key, checkout.NotCharged{}), nil
}

func (p *fakeProvider) once(key string, outcome checkout.Outcome) checkout.Outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	if decided, ok := p.known[key]; ok {
		return decided
	}
	p.known[key] = outcome
	return outcome
}

// keys returns the keys of all charges so far, in order, and those that Resolve was called with.
func (p *fakeProvider) keys() (charged, asked []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.charged), slices.Clone(p.asked)
}

// paid returns how many keys were charged.
func (p *fakeProvider) paid() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, outcome := range p.known {
		if _, ok := outcome.(checkout.Paid); ok {
			n++
		}
	}
	return n
}

// unansweringProvider is a provider whose Resolve gives no answer.
type unansweringProvider struct{ *fakeProvider }

func (unansweringProvider) Resolve(ports.Outbound, ports.ChargeRequest) (checkout.Outcome, error) {
	return nil, errNoAnswer
}

// watchedCheckouts reports how each transaction on checkouts ended.
type watchedCheckouts struct {
	ports.Checkouts
	ended func(error)
}

func (w watchedCheckouts) InTx(ctx context.Context, project id.Project, work func(ports.Purchase) error) error {
	err := w.Checkouts.InTx(ctx, project, work)
	w.ended(err)
	return err
}

// clockedCheckouts is a store of checkouts whose clock the test moves.
type clockedCheckouts struct {
	ports.Checkouts
	clock *manualClock
}

func (c clockedCheckouts) PayAttempts(ctx context.Context, p id.Project, of id.Checkout, client string, window time.Duration) (ports.PayAttempts, error) {
	attempts, err := c.Checkouts.PayAttempts(ctx, p, of, client, window)
	attempts.Now = c.clock.Now()
	return attempts, err
}

func (c clockedCheckouts) InTx(ctx context.Context, p id.Project, work func(ports.Purchase) error) error {
	return c.Checkouts.InTx(ctx, p, func(tx ports.Purchase) error { return work(clockedTx{tx, c.clock}) })
}

type clockedTx struct {
	ports.Purchase
	clock *manualClock
}

func (t clockedTx) Lock(ctx context.Context, of id.Checkout) (*checkout.Checkout, time.Time, error) {
	c, _, err := t.Purchase.Lock(ctx, of)
	return c, t.clock.Now(), err
}

func (t clockedTx) LockWithStock(
	ctx context.Context, of id.Checkout, needs []catalog.Need, payers []string,
) (*checkout.Checkout, []catalog.Level, time.Time, error) {
	c, levels, _, err := t.Purchase.LockWithStock(ctx, of, needs, payers)
	return c, levels, t.clock.Now(), err
}

// clockedHaggling reads baskets with the test's clock.
type clockedHaggling struct {
	ports.Haggling
	clock *manualClock
}

func (h clockedHaggling) Basket(ctx context.Context, p id.Project, ask ports.BasketAsk) (ports.Basket, error) {
	basket, err := h.Haggling.Basket(ctx, p, ask)
	basket.Now = h.clock.Now()
	return basket, err
}

// Refund records the request and succeeds.
func (p *fakeProvider) Refund(_ ports.Outbound, r ports.RefundRequest) (order.RefundOutcome, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refunds = append(p.refunds, r)
	return order.Refunded{Provider: "re_" + r.Key}, nil
}
