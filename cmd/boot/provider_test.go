package boot_test

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

// hands is a clock that stands still until the test moves it. A store's clock may follow.
type hands struct {
	millis atomic.Int64
	store  interface{ SetClock(time.Time) }
}

func newHands(at time.Time) *hands {
	h := &hands{}
	h.millis.Store(at.UnixMilli())
	return h
}

func (h *hands) Now() time.Time { return time.UnixMilli(h.millis.Load()).UTC() }

func (h *hands) advance(d time.Duration) {
	h.millis.Add(d.Milliseconds())
	if h.store != nil {
		h.store.SetClock(h.Now())
	}
}

// drive has a store's clock follow.
func (h *hands) drive(store interface{ SetClock(time.Time) }) {
	h.store = store
	store.SetClock(h.Now())
}

var errNoAnswer = errors.New("the provider did not answer")

// provider takes money by a script. Like a real one it has one outcome for each key, whoever asks, and
// never takes a key that it was asked about before it saw it.
type provider struct {
	ports.Gateway // it gives nothing back but orphan charges

	refunds []ports.RefundRequest

	mu      sync.Mutex
	steps   []step
	known   map[string]checkout.Outcome
	charged []string // keys, as the requests set out
	asked   []string // keys that Resolve was asked about
}

// step is what becomes of one charge. The zero step is paid.
type step struct {
	before  func(context.Context) // while the request is on its way
	unseen  bool                  // the request never arrives
	outcome checkout.Outcome      // nil: paid
	after   func(context.Context) // while the answer is on its way
	lost    bool                  // the answer never arrives
}

func newProvider() *provider { return &provider{known: map[string]checkout.Outcome{}} }

// script says what becomes of the next charges. Those after them are paid.
func (p *provider) script(steps ...step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.steps = append(p.steps, steps...)
}

func (p *provider) next(key string) (s step) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.charged = append(p.charged, key)
	if len(p.steps) > 0 {
		s, p.steps = p.steps[0], p.steps[1:]
	}
	return s
}

func (p *provider) Charge(ctx ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	s := p.next(r.Charge.Key)
	if s.before != nil {
		s.before(ctx)
	}
	if s.unseen {
		return nil, errNoAnswer
	}
	if s.outcome == nil {
		s.outcome = checkout.Paid{Provider: "ch_" + r.Charge.Key, Label: "Test card"}
	}
	outcome := p.once(r.Charge.Key, s.outcome)
	if s.after != nil {
		s.after(ctx)
	}
	if s.lost {
		return nil, errNoAnswer
	}
	return outcome, nil
}

func (p *provider) Resolve(_ ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	p.mu.Lock()
	p.asked = append(p.asked, r.Charge.Key)
	p.mu.Unlock()
	return p.once(r.Charge.Key, checkout.NotCharged{}), nil
}

func (p *provider) once(key string, outcome checkout.Outcome) checkout.Outcome {
	p.mu.Lock()
	defer p.mu.Unlock()
	if decided, ok := p.known[key]; ok {
		return decided
	}
	p.known[key] = outcome
	return outcome
}

// keys are those of all charges so far, in order, and those that were asked about.
func (p *provider) keys() (charged, asked []string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	return slices.Clone(p.charged), slices.Clone(p.asked)
}

// paid is how many keys money was taken for.
func (p *provider) paid() (n int) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for _, outcome := range p.known {
		if _, ok := outcome.(checkout.Paid); ok {
			n++
		}
	}
	return n
}

// stubborn is a provider whose Resolve gives no answer either.
type stubborn struct{ *provider }

func (stubborn) Resolve(ports.Outbound, ports.ChargeRequest) (checkout.Outcome, error) {
	return nil, errNoAnswer
}

// watched tells how each transaction on checkouts ended.
type watched struct {
	ports.Checkouts
	ended func(error)
}

func (w watched) InTx(ctx context.Context, project id.Project, work func(ports.Purchase) error) error {
	err := w.Checkouts.InTx(ctx, project, work)
	w.ended(err)
	return err
}

// clocked are checkouts in a database whose clock the test moves.
type clocked struct {
	ports.Checkouts
	clock *hands
}

func (c clocked) Standing(ctx context.Context, p id.Project, of id.Checkout, client string, window time.Duration) (ports.Standing, error) {
	standing, err := c.Checkouts.Standing(ctx, p, of, client, window)
	standing.Now = c.clock.Now()
	return standing, err
}

func (c clocked) InTx(ctx context.Context, p id.Project, work func(ports.Purchase) error) error {
	return c.Checkouts.InTx(ctx, p, func(tx ports.Purchase) error { return work(clockedTx{tx, c.clock}) })
}

type clockedTx struct {
	ports.Purchase
	clock *hands
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

// clockedHaggling reads baskets in such a database.
type clockedHaggling struct {
	ports.Haggling
	clock *hands
}

func (h clockedHaggling) Basket(ctx context.Context, p id.Project, ask ports.BasketAsk) (ports.Basket, error) {
	basket, err := h.Haggling.Basket(ctx, p, ask)
	basket.Now = h.clock.Now()
	return basket, err
}

// Refund gives everything back.
func (p *provider) Refund(_ ports.Outbound, r ports.RefundRequest) (order.RefundOutcome, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.refunds = append(p.refunds, r)
	return order.Refunded{Provider: "re_" + r.Key}, nil
}
