package simulation

import (
	"bytes"
	"context"
	"encoding/binary"
	"io"
	"log/slog"
	"net/http"
	"strings"
	"sync/atomic"
	"time"

	"github.com/haggle-commerce/haggle/adapters/payments/stripe"
	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/app/ordertoken"
	"github.com/haggle-commerce/haggle/app/publishing"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/memstore"
)

// clock is a machine's clock, and its value the offset from the bubble's.
type clock time.Duration

func (c clock) Now() time.Time {
	return time.Now().Add(time.Duration(c)).UTC().Truncate(time.Millisecond)
}

// entropy returns an actor's counter in place of random bits.
type entropy struct {
	actor uint64
	n     atomic.Uint64
}

func (e *entropy) Bits128() (bits [16]byte) {
	n := e.n.Add(1)
	// The bits are spread, because a confirmation number is the first bits of an id and has to differ.
	binary.BigEndian.PutUint64(bits[:8], (e.actor<<20|n)*0x9e3779b97f4a7c15)
	binary.BigEndian.PutUint64(bits[8:], e.actor<<32|n)
	return bits
}

func (e *entropy) IDBits() [16]byte { return e.Bits128() }

func (*entropy) Secret(n int) string { return string(bytes.Repeat([]byte("a"), n)) }

var quiet = slog.New(slog.DiscardHandler)

// server is a replica's connections to the store and to providers: each call waits for its turn.
type server struct {
	*scheduler
	of       *process
	store    *memstore.Store
	posts    func(ports.Webhook) event.Result
	off      clock
	last     *uint64 // of the actor
	provider ports.Gateway
}

func (s *server) entropy() *entropy {
	*s.last++
	return &entropy{actor: *s.last}
}

// on makes a call that returns a result.
func on[T any](ctx context.Context, s *server, name string, effect func() (T, error)) (result T, err error) {
	err = s.call(ctx, s.of, name, func() (err error) {
		result, err = effect()
		return err
	})
	if err != nil {
		var none T
		return none, err
	}
	return result, nil
}

type checkouts struct {
	ports.Checkouts
	*server
}

func (v checkouts) Get(ctx context.Context, p id.Project, c id.Checkout) (*checkout.Checkout, error) {
	return on(ctx, v.server, "get "+c.String(), func() (*checkout.Checkout, error) { return v.Checkouts.Get(ctx, p, c) })
}

func (v checkouts) InTx(ctx context.Context, p id.Project, work func(ports.Purchase) error) error {
	return v.call(ctx, v.of, "purchase", func() error { return v.Checkouts.InTx(ctx, p, work) })
}

func (v checkouts) PayAttempts(ctx context.Context, p id.Project, c id.Checkout, client string, window time.Duration) (ports.PayAttempts, error) {
	return on(ctx, v.server, "standing "+c.String(), func() (ports.PayAttempts, error) { return v.Checkouts.PayAttempts(ctx, p, c, client, window) })
}

type orders struct {
	ports.Orders
	ports.Refunds
	*server
}

func (v orders) ByCheckout(ctx context.Context, p id.Project, c id.Checkout) (*order.Order, error) {
	return on(ctx, v.server, "order of "+c.String(), func() (*order.Order, error) { return v.Orders.ByCheckout(ctx, p, c) })
}

func (v orders) Case(ctx context.Context, p id.Project, o id.Order) (*order.Case, error) {
	return on(ctx, v.server, "case "+o.String(), func() (*order.Case, error) { return v.Orders.Case(ctx, p, o) })
}

func (v orders) Change(ctx context.Context, p id.Project, o id.Order, change func(*order.Case) error) (*order.Case, error) {
	return on(ctx, v.server, "change "+o.String(), func() (*order.Case, error) { return v.Orders.Change(ctx, p, o, change) })
}

func (v orders) RefundByID(ctx context.Context, p id.Project, r id.Refund) (*order.Refund, error) {
	return on(ctx, v.server, "refund "+r.String(), func() (*order.Refund, error) { return v.Refunds.RefundByID(ctx, p, r) })
}

type orphans struct {
	ports.OrphanCharges
	*server
}

func (v orphans) ChangeOrphan(ctx context.Context, p id.Project, o string, change func(*checkout.Orphan, time.Time) (*event.Event, error)) error {
	return v.call(ctx, v.of, "change "+o, func() error { return v.OrphanCharges.ChangeOrphan(ctx, p, o, change) })
}

type payments struct {
	paymentsPort
	*server
}

type paymentsPort = ports.Payments

func (v payments) PaymentByID(ctx context.Context, p id.Project, of id.Payment) (*ports.OrderPayment, error) {
	return on(ctx, v.server, "payment "+of.String(), func() (*ports.OrderPayment, error) { return v.paymentsPort.PaymentByID(ctx, p, of) })
}

func (v payments) PaymentByCharge(ctx context.Context, p id.Project, charge string) (*ports.OrderPayment, error) {
	return on(ctx, v.server, "payment of "+charge, func() (*ports.OrderPayment, error) { return v.paymentsPort.PaymentByCharge(ctx, p, charge) })
}

// queue is a work queue of the store, as the server sees it.
type queue[T any] struct {
	ports.Queue[T]
	*server
	name string
}

func (q queue[T]) Waiting(ctx context.Context) ([]string, error) {
	return on(ctx, q.server, q.name+" waiting", func() ([]string, error) { return q.Queue.Waiting(ctx) })
}

func (q queue[T]) Claim(ctx context.Context, lease time.Duration, shares []ports.Share) ([]ports.Leased[T], error) {
	return on(ctx, q.server, q.name+" claim", func() ([]ports.Leased[T], error) { return q.Queue.Claim(ctx, lease, shares) })
}

func (q queue[T]) SetAside(ctx context.Context, h ports.Held, why string) error {
	return q.call(ctx, q.of, q.name+" set aside "+h.Key, func() error { return q.Queue.SetAside(ctx, h, why) })
}

func (q queue[T]) Restore(ctx context.Context, h ports.Held) error {
	return q.call(ctx, q.of, q.name+" restore "+h.Key, func() error { return q.Queue.Restore(ctx, h) })
}

type outbox struct {
	queue[ports.Parcel]
	all memstore.Outbox
}

type fanned struct {
	n     int
	aside []ports.SetAside
}

func (v outbox) FanOut(ctx context.Context, limit int, route func(ports.Announced, ports.Audience) []*event.Delivery) (int, []ports.SetAside, error) {
	f, err := on(ctx, v.server, "fan out", func() (f fanned, err error) {
		f.n, f.aside, err = v.all.FanOut(ctx, limit, route)
		return f, err
	})
	return f.n, f.aside, err
}

func (v outbox) Record(ctx context.Context, outcomes []ports.Outcome) error {
	return v.call(ctx, v.of, "record deliveries", func() error { return v.all.Record(ctx, outcomes) })
}

type webhooks struct{ *server }

func (v webhooks) Post(ctx ports.Outbound, w ports.Webhook) event.Result {
	r, err := on(ctx, v.server, "post "+w.ID.String()+" to "+w.URL, func() (event.Result, error) { return v.posts(w), nil })
	if err != nil {
		return event.Result{Error: "no answer"}
	}
	return r
}

// ask sends a request to a provider and returns its response. The provider continues even if the client stops waiting.
func ask[T any](ctx context.Context, s *server, name string, serve func() T) (answer T, err error) {
	came := make(chan T, 1)
	err = s.call(ctx, s.of, name, func() error {
		go func() { came <- serve() }()
		return nil
	})
	if err != nil {
		return answer, err
	}
	if ctx.Err() != nil && s.chance.IntN(2) == 0 { // after a stop both the response and the deadline may be ready
		return answer, ctx.Err()
	}
	select {
	case answer = <-came:
	default:
		select {
		case answer = <-came:
		case <-ctx.Done():
			return answer, ctx.Err()
		}
	}
	return answer, s.call(ctx, s.of, name+" answers", func() error { return nil })
}

// stripeTransport is the real adapter's transport to the model of Stripe.
type stripeTransport struct {
	*server
	stripe *stripeModel
}

func (v stripeTransport) RoundTrip(r *http.Request) (*http.Response, error) {
	type answer struct {
		status int
		body   string
	}
	name := r.Method + " " + r.URL.Path
	if strings.Count(name, "/") == 2 { // otherwise the library generated the key
		name += " " + r.Header.Get("Idempotency-Key")
	}
	if r.Body != nil { // the client may close it
		text, err := io.ReadAll(r.Body)
		if err != nil {
			return nil, err
		}
		r.Body = io.NopCloser(bytes.NewReader(text))
	}
	a, err := ask(r.Context(), v.server, name, func() answer {
		status, body := v.stripe.serve(r)
		return answer{status, body}
	})
	if err != nil {
		return nil, err
	}
	return &http.Response{
		StatusCode: a.status,
		Request:    r,
		Body:       io.NopCloser(strings.NewReader(a.body)),
		Header:     http.Header{"Date": {v.stripe.now().UTC().Format(http.TimeFormat)}, "Content-Type": {"application/json"}},
	}, nil
}

// overHTTP is the real adapter over the model of Stripe. The model has only one account.
type overHTTP struct{ *stripe.Provider }

func (s *server) overHTTP(m *stripeModel) overHTTP {
	return overHTTP{stripe.New(stripe.Config{HTTP: &http.Client{Transport: stripeTransport{s, m}}, Clock: s.off})}
}

var account = ports.PaymentAccount{Key: "sk_test_simulation"}

func (g overHTTP) Charge(ctx ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	return g.Provider.Charge(ctx, account, r)
}

func (g overHTTP) Resolve(ctx ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	return g.Provider.Resolve(ctx, account, r)
}

func (g overHTTP) Refund(ctx ports.Outbound, r ports.RefundRequest) (order.RefundOutcome, error) {
	return g.Provider.Refund(ctx, account, r)
}

func (g overHTTP) Statement(ctx ports.Outbound, s ports.StatementRequest, each func(ports.Movement) error) error {
	return g.Provider.Statement(ctx, account, s, each)
}

// gateways maps each project to its provider.
type gateways map[id.Project]ports.Gateway

func (g gateways) Charge(ctx ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	return g[r.Project].Charge(ports.NewOutbound(tagged(ctx, r.Charge.Key)), r)
}

func (g gateways) Resolve(ctx ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	return g[r.Project].Resolve(ports.NewOutbound(tagged(ctx, r.Charge.Key)), r)
}

func (g gateways) Refund(ctx ports.Outbound, r ports.RefundRequest) (order.RefundOutcome, error) {
	return g[r.Project].Refund(ports.NewOutbound(tagged(ctx, r.Key)), r)
}

func (g gateways) Statement(ctx ports.Outbound, s ports.StatementRequest, each func(ports.Movement) error) error {
	return g[s.Project].Statement(ctx, s, each)
}

// consenting is an agent that refuses nothing.
type consenting struct{ ports.Agent }

func (consenting) Finalize(ports.Outbound, agent.FinalizeInput) (agent.Verdict, error) {
	return agent.Verdict{}, nil
}

type mandates struct{}

func (mandates) Mandate(context.Context, *project.Project, id.Session) (agent.Mandate, error) {
	return agent.Mandate{}, nil
}

// noIndex is an index without products.
type noIndex struct{ ports.Index }

func (noIndex) Version(id.Project) int64 { return 0 }

type plainVault struct{}

func (plainVault) Seal(plain []byte, _ string) []byte           { return plain }
func (plainVault) Open(sealed []byte, _ string) ([]byte, error) { return sealed, nil }

func (plainVault) Derive(text, _ string) []string { return []string{text} }

func (s *server) orders() orders {
	all := memstore.Orders{Store: s.store}
	return orders{all, all, s}
}

func (s *server) purchase() *purchase.Service {
	return &purchase.Service{
		Stores: &ports.Stores{
			Storefronts: memstore.Projects{Store: s.store},
			Checkouts:   checkouts{memstore.Checkouts{Store: s.store}, s},
			Orders:      s.orders(),
			Orphans:     orphans{memstore.Orphans{Store: s.store}, s},
		},
		Lapsed:     queue[*checkout.Checkout]{s.store.Lapsed(), s, "payments"},
		DueOrphans: queue[*checkout.Orphan]{s.store.DueOrphans(), s, "orphans"},
		Agent:      consenting{},
		Mandates:   mandates{},
		Gateway:    s.provider,
		Tokens:     ordertoken.Tokens{Secrets: plainVault{}},
		Clock:      s.off,
		Entropy:    s.entropy(),
		Log:        quiet,
	}
}

func (s *server) aftersales() *aftersales.Service {
	return &aftersales.Service{
		Stores: &ports.Stores{
			Orders:   s.orders(),
			Payments: payments{memstore.Payments{Store: s.store}, s},
			Refunds:  s.orders(),
			Index:    noIndex{},
		},
		Due:     queue[ports.DueRefund]{s.store.DueRefunds(), s, "refunds"},
		Gateway: s.provider,
		Clock:   s.off,
		Entropy: s.entropy(),
		Log:     quiet,
	}
}

func (s *server) publisher() *publishing.Publisher {
	all := s.store.Outbox()
	return &publishing.Publisher{
		Outbox:   outbox{queue[ports.Parcel]{all, s, "deliveries"}, all},
		Webhooks: webhooks{s},
		Vault:    plainVault{},
		Clock:    s.off,
		Entropy:  s.entropy(),
		Log:      quiet,
	}
}
