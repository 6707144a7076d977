package simulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/jobs"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/ledger"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/memstore"
)

// active is how long buyers buy and servers fail.
const active = 45 * time.Second

// cardTesting has somebody try out cards in some schedules, all at once. It is off until a claim counts the
// attempts in flight: without that the limit on declines is passed within seconds (seed 245).
const cardTesting = false

// simulation is one schedule: a shop, its servers, its buyers and its payment provider.
type simulation struct {
	*scheduler
	seed       uint64
	store      *memstore.Store
	stripe     *stripeModel
	actors     uint64
	shop       *project.Project
	product    *catalog.Product
	stock      int
	session    *session.Session
	opened     []*checkout.Checkout
	replicas   []*replica
	heard      map[string]map[string]int // events that a receiver got, by its URL
	subs       []time.Time               // when each subscription was made
	keptErrors bool                      // Stripe keeps errors of charges that did not happen, which takes a day to be decided
	carding    bool                      // somebody tries out cards
	poisoned   id.Checkout
	broken     []string
	declined   []time.Time // by the provider, of the session's cards
}

// replica is a server that is started again when it dies.
type replica struct {
	*server
	number int
	lives  int
}

func simulate(t *testing.T, seed uint64, keep bool) *simulation {
	s := &simulation{scheduler: newScheduler(seed, keep), seed: seed, heard: map[string]map[string]int{}}
	s.open(t)
	s.start()
	s.run(s.begun.Add(active))
	s.settle()
	s.judge()
	s.finish()
	return s
}

func (s *simulation) violated(format string, args ...any) {
	s.broken = append(s.broken, fmt.Sprintf(format, args...))
}

// own is a source of chance for one actor.
func (s *simulation) own() *rand.Rand {
	s.actors++
	return rand.New(rand.NewPCG(s.seed, 1000+s.actors))
}

var noReason = context.Background()

func (s *simulation) must(err error) {
	if err != nil {
		panic(err)
	}
}

// open opens the shop and its buyers' checkouts.
func (s *simulation) open(t *testing.T) {
	s.rate = []int{0, 15, 40, 80, 160}[s.chance.IntN(5)]
	s.store = memstore.New(time.Now)
	off := clock(time.Duration(s.chance.IntN(7200)-3600) * time.Second / 4)
	stripe := &process{name: "stripe"}
	troubled := []int{0, 0, 100, 400}[s.chance.IntN(4)]
	s.keptErrors, s.carding = s.chance.IntN(64) == 0, s.chance.IntN(64) == 0 && cardTesting
	s.stripe = &stripeModel{
		now: func() time.Time { return off.Now() }, keys: map[string]*keptAnswer{}, told: s.tell,
		work: func(what string) (t trouble) {
			if s.wait(stripe, what); what == "payment_intents page" && s.stripe.busy > 0 {
				time.Sleep(3 * time.Second)
				_ = s.again(stripe, what)
			}
			if s.calm {
				return t
			}
			if s.chance.IntN(1000) < troubled {
				switch s.chance.IntN(3) {
				case 0:
					time.Sleep(time.Duration(1+s.chance.IntN(20_000)) * time.Millisecond)
					_ = s.again(stripe, what)
				case 1:
					t.after = true
				default:
					t.before = s.keptErrors
				}
			}
			return t
		},
	}
	if s.chance.IntN(8) == 0 {
		s.stripe.busy, s.stripe.unsearchable = 3+s.chance.IntN(6), s.chance.IntN(2) == 0
	}
	var bits entropy
	p, err := project.Open(id.New[id.Project](bits.Bits128()), id.New[id.Account](bits.Bits128()), project.Draft{Name: "Tents", Slug: "tents"}, s.store.Now())
	s.must(err)
	p.Routes = map[string]project.PaymentRoute{"psp_spt": {Provider: "stripe", Integration: id.New[id.Integration](bits.Bits128())}}
	s.shop = p
	s.must(memstore.Projects{Store: s.store}.Create(noReason, p))
	v := catalog.Variant{ID: id.New[id.Variant](bits.Bits128()), SKU: "tent"}
	s.product = &catalog.Product{
		ID: id.New[id.Product](bits.Bits128()), Project: p.ID, SKU: "tent", Name: "Tent", Price: money.Of(100_00, money.USD), Status: catalog.Active,
		Variants: []catalog.Variant{v},
	}
	s.stock = 1 + s.chance.IntN(4)
	if s.carding {
		s.stock = 100
	}
	s.must(memstore.Products{Store: s.store}.Create(noReason, ports.ProductWrite{
		Product: s.product, Stock: []catalog.Stock{{Variant: v.ID, Quantity: s.stock}},
	}))
	s.session = session.Open(id.New[id.Session](bits.Bits128()), p.ID, session.Claims{}, time.Hour, s.store.Now())
	s.must(memstore.Sessions{Store: s.store}.Create(noReason, s.session))
	checkouts := 1 + s.chance.IntN(3)
	if s.carding {
		checkouts = checkout.MostDeclined + 4
	}
	for range checkouts {
		s.checkout(id.New[id.Checkout](bits.Bits128()))
	}
}

func (s *simulation) checkout(name id.Checkout) {
	v := s.product.Variants[0]
	c, err := checkout.Open(name, s.shop, checkout.Cart{
		Session: s.session.ID,
		Lines: []checkout.Line{{
			Product: s.product.ID, Variant: v.ID, SKU: v.SKU, Name: "Tent", Quantity: 1, Unit: s.product.Price, Original: s.product.Price,
		}},
		Address: checkout.Address{Name: "A. Buyer", Line1: "1 Main St", City: "Springfield", State: "IL", PostalCode: "62701", Country: "US"},
	}, s.store.Now())
	s.must(err)
	s.must(memstore.Checkouts{Store: s.store}.Create(noReason, c))
	s.opened = append(s.opened, c)
}

// start starts the servers, the buyers and what else happens.
func (s *simulation) start() {
	for n := range 2 + s.chance.IntN(2) {
		off := clock(0)
		if s.chance.IntN(2) == 0 {
			off = clock(time.Duration(s.chance.IntN(4200)-600) * time.Second)
		}
		r := &replica{number: n, server: &server{scheduler: s.scheduler, store: s.store, stripe: s.stripe, posts: s.post, off: off, last: &s.actors}}
		s.replicas = append(s.replicas, r)
		s.live(r)
	}
	for i, c := range s.opened {
		for n := range 1 + s.chance.IntN(2) {
			buyer := s.own()
			go s.buy(fmt.Sprintf("buyer %d.%d", i, n), c.ID(), buyer)
		}
	}
	go s.operate(s.own())
	s.subscribe()
}

// live starts a replica's background work, in a new process.
func (s *simulation) live(r *replica) {
	r.lives++
	fresh := *r.server
	fresh.of = &process{name: fmt.Sprintf("replica %d.%d", r.number, r.lives), fails: true}
	fresh.provider = fresh.gateway()
	r.server = &fresh
	s.note("%s starts, its clock off by %s", r.of.name, time.Duration(r.off))
	lapsed, refunds, deliveries := jobs.NewWorker(r.purchase().Reconciliation()), jobs.NewWorker(r.aftersales().Refunding()),
		jobs.NewWorker(r.publisher().Job())
	s.loop(r.of, 0, func() bool { return due(s.store.Lapsed()) }, lapsed.Once)
	s.loop(r.of, 1, func() bool { return due(s.store.DueRefunds()) }, refunds.Once)
	s.loop(r.of, 2, func() bool { return due(s.store.Outbox()) || s.store.EventsDue() }, deliveries.Once)
}

func due[T any](q ports.Queue[T]) bool {
	groups, err := q.Waiting(noReason)
	return err == nil && len(groups) > 0
}

// loop does a piece of work again and again as long as its process lives. Nothing is asked while nothing is due,
// which saves most of a schedule's time.
func (s *simulation) loop(of *process, n int, due func() bool, once func(context.Context) (int, error)) {
	s.actors++
	often := 3*time.Second + time.Duration(s.actors*7+uint64(n))*time.Microsecond
	pause := often
	go func() {
		for s.pause(pause) && !of.dead {
			if !due() {
				if s.calm {
					pause = min(2*pause, 10*time.Minute)
				}
				continue
			}
			pause = often
			_, _ = once(tagged(noReason, fmt.Sprint("job ", n)))
		}
	}()
}

// pause waits, and reports whether the schedule goes on.
func (s *simulation) pause(d time.Duration) bool {
	timer := time.NewTimer(d)
	defer timer.Stop()
	select {
	case <-timer.C:
		return true
	case <-s.stop:
		return false
	}
}

// buy pays a checkout as a buyer does, from one server or another, with the same token or another one.
func (s *simulation) buy(name string, of id.Checkout, chance *rand.Rand) {
	actor := &process{name: name}
	token := s.token(chance)
	for try := range 1 + chance.IntN(5) {
		if !s.pause(time.Duration(chance.IntN(8_000_000)) * time.Microsecond) {
			return
		}
		s.wait(actor, "finalizes with "+token)
		r := s.replicas[chance.IntN(len(s.replicas))].server
		service := r.purchase()
		done := make(chan purchase.Result, 1)
		ctx, cancel := context.WithCancel(tagged(noReason, fmt.Sprint(name, " try ", try)))
		go func() {
			defer close(done)
			result, err := service.Finalize(ctx, s.shop, purchase.FinalizeRequest{
				Checkout: of, Method: "psp_spt", Token: token, Client: "client", Email: "ada@example.com",
			})
			if err == nil {
				done <- result
			}
		}()
		timer := time.NewTimer(time.Duration(1+chance.IntN(40_000)) * time.Millisecond)
		var result purchase.Result
		select {
		case result = <-done:
		case <-timer.C:
		case <-s.stop:
		}
		cancel()
		if r.of.dead {
			result = purchase.Result{} // whatever it was, nobody was told
		}
		if result.Order != nil {
			if chance.IntN(2) == 0 {
				s.giveBack(actor, result.Order, chance)
			}
			return
		}
		if result.Declined != nil || chance.IntN(4) == 0 {
			token = s.token(chance)
		}
	}
}

// token is a card that is taken, or declined.
func (s *simulation) token(chance *rand.Rand) string {
	kind := "taken"
	if s.carding || chance.IntN(3) == 0 {
		kind = "declined"
	}
	return fmt.Sprintf("%s-%d", kind, chance.IntN(1_000_000))
}

// giveBack asks for a refund, of all or of a part.
func (s *simulation) giveBack(actor *process, o *order.Order, chance *rand.Rand) {
	s.wait(actor, "asks for a refund")
	r := s.replicas[chance.IntN(len(s.replicas))].server
	service := r.aftersales()
	var amount *money.Amount
	if chance.IntN(2) == 0 {
		part := money.Of(1+int64(chance.IntN(100_00)), money.USD)
		amount = &part
	}
	cancel := chance.IntN(3) == 0
	go func() {
		if cancel {
			_, _, _ = service.Cancel(tagged(noReason, actor.name), s.shop.ID, o.ID, "")
			return
		}
		_, _ = service.Refund(tagged(noReason, actor.name), s.shop.ID, refundOf(o, amount))
	}()
}

// operate starts dead servers again, subscribes at a bad time, and spoils rows.
func (s *simulation) operate(chance *rand.Rand) {
	actor := &process{name: "operator"}
	poisonAt := 1 + chance.IntN(24)
	for n := 0; s.pause(4*time.Second + 13*time.Microsecond); n++ {
		s.wait(actor, "looks")
		for _, r := range s.replicas {
			if r.of.dead {
				s.live(r)
			}
		}
		if n == poisonAt && !s.calm {
			s.poisoned = s.opened[chance.IntN(len(s.opened))].ID()
			s.note("%s cannot be read any more", s.poisoned)
			s.store.PoisonCheckout(s.shop.ID, s.poisoned, true)
		}
		if n == poisonAt/2 && len(s.subs) < 2 {
			s.subscribe()
		}
		if s.calm {
			return
		}
	}
}

// subscribe makes a subscription by one of the servers, whose clock it has.
func (s *simulation) subscribe() {
	r := s.replicas[s.own().IntN(len(s.replicas))]
	url := fmt.Sprintf("https://receiver.example/%d", len(s.subs))
	sub, err := event.Subscribe(id.New[id.Subscription](r.entropy().Bits128()), s.shop.ID, event.Draft{URL: url, Types: []string{"*"}}, []byte("whsec"), event.Rules{}, r.off.Now())
	s.must(err)
	s.must(memstore.Events{Store: s.store}.Add(noReason, sub))
	s.subs = append(s.subs, s.store.Now())
	s.heard[url] = map[string]int{}
}

func (s *simulation) post(w ports.Webhook) event.Result {
	s.heard[w.URL][w.ID.String()]++
	return event.Result{Code: 200}
}

// tell has the provider tell of an intent: late, twice or not at all.
func (s *simulation) tell(i stripeIntent) {
	if i.code != "" {
		s.declined = append(s.declined, s.store.Now())
	}
	if i.void() {
		return
	}
	for n := range s.chance.IntN(3) {
		after := time.Duration(s.chance.IntN(100_000_000)) * time.Microsecond
		number := s.chance.IntN(len(s.replicas))
		actor := &process{name: "stripe's webhook"}
		go func() {
			if !s.pause(after) {
				return
			}
			s.wait(actor, fmt.Sprintf("tells of %s, %d", i.id, n))
			r := s.replicas[number].server
			service := r.purchase()
			var outcome checkout.Outcome = checkout.Paid{Provider: i.id, Label: "Card"}
			if i.code != "" {
				outcome = checkout.Declined{Code: i.code, Message: "The payment was declined."}
			}
			go func() { _ = service.Heard(tagged(noReason, i.id+" heard"), s.shop.ID, i.metadata["key"], outcome) }()
		}()
	}
}

// settle lets everything come to rest. A row that cannot be read delays nobody else, for longer than a quarter of an
// hour; then it is repaired.
func (s *simulation) settle() {
	s.calm = true
	for _, r := range s.replicas {
		if r.of.dead {
			s.live(r)
		}
		r.of.until = time.Time{}
	}
	s.note("nothing fails any more")
	for end := time.Now().Add(15 * time.Minute); time.Now().Before(end) && !s.atRest(); {
		s.run(time.Now().Add(time.Minute))
	}
	for _, c := range s.opened {
		now, err := memstore.Checkouts{Store: s.store}.Get(noReason, s.shop.ID, c.ID())
		if err == nil && now.Status() == checkout.Processing && !s.keptErrors {
			s.violated("%s is undecided a quarter of an hour after the last failure; poisoned: %q", c.ID(), s.poisoned)
		}
	}
	if !s.poisoned.IsZero() {
		s.store.PoisonCheckout(s.shop.ID, s.poisoned, false)
		s.note("%s can be read again", s.poisoned)
	}
	for end := time.Now().Add(30 * time.Hour); time.Now().Before(end) && !s.atRest(); {
		s.run(time.Now().Add(15 * time.Minute))
	}
}

func (s *simulation) atRest() bool {
	for _, c := range s.opened {
		if now, err := (memstore.Checkouts{Store: s.store}).Get(noReason, s.shop.ID, c.ID()); err != nil || now.Status() == checkout.Processing {
			return false
		}
	}
	return s.store.AtRest()
}

// judge checks what must hold once everything is at rest.
func (s *simulation) judge() {
	orders := memstore.Orders{Store: s.store}
	captured, sold, kept := s.stripe.captured(), 0, int64(0)
	for _, c := range s.opened {
		now, err := memstore.Checkouts{Store: s.store}.Get(noReason, s.shop.ID, c.ID())
		if err != nil || now.Status() == checkout.Processing {
			s.violated("%s is still undecided: %v", c.ID(), err)
			continue
		}
		taken := captured[c.ID().String()]
		o, err := orders.ByCheckout(noReason, s.shop.ID, c.ID())
		if (err == nil) != (len(taken) > 0) {
			s.violated("%s was charged %d times, and its order is %v", c.ID(), len(taken), err)
			continue
		}
		if err != nil {
			continue
		}
		s.judgeOrder(o, taken)
		if o.Status != order.Canceled {
			sold++
		}
		kept += o.Total.Minor() - s.stripe.refunded(o.Payment.Provider)
	}
	s.judgeStock(sold)
	s.judgeLedger(kept)
	s.judgeEvents()
	s.judgeDeclines()
}

func (s *simulation) judgeOrder(o *order.Order, taken []*stripeIntent) {
	mine := slices.IndexFunc(taken, func(i *stripeIntent) bool { return i.id == o.Payment.Provider })
	if mine < 0 || taken[mine].amount != o.Total.Minor() {
		s.violated("%s was paid by %s, of which the provider knows nothing", o.ID, o.Payment.Provider)
	}
	for n, i := range taken {
		if n != mine && s.stripe.refunded(i.id) != i.amount {
			s.violated("%s: the buyer was charged twice, %d of %d was given back", o.Checkout, s.stripe.refunded(i.id), i.amount)
		}
	}
	c, err := memstore.Orders{Store: s.store}.Case(noReason, s.shop.ID, o.ID)
	s.must(err)
	booked := int64(0)
	for _, r := range c.Refunds {
		if r.Status == order.RefundIsPending {
			s.violated("refund %s is still pending", r.ID)
		}
		if r.Status == order.RefundSucceeded {
			booked += r.Amount.Minor()
		}
	}
	if given := s.stripe.refunded(o.Payment.Provider); given != booked || given > o.Total.Minor() || c.Order.Payment.Refunded.Minor() != booked {
		s.violated("%s: the provider gave %d back, our books say %d, the payment %s", o.ID, given, booked, c.Order.Payment.Refunded)
	}
}

func (s *simulation) judgeStock(sold int) {
	levels, err := memstore.Inventory{Store: s.store}.LevelsOf(noReason, s.shop.ID, []id.Product{s.product.ID})
	s.must(err)
	if len(levels) != 1 || levels[0].Quantity != s.stock-sold {
		s.violated("of %d pieces %d were sold, and %+v are left", s.stock, sold, levels)
	}
}

func (s *simulation) judgeLedger(kept int64) {
	list, _, err := memstore.Ledger{Store: s.store}.Transactions(noReason, s.shop.ID, ports.TransactionFilter{}, ports.Page{Limit: 1000})
	s.must(err)
	sum, funds := int64(0), int64(0)
	for _, t := range list {
		for _, e := range t.Entries() {
			sum += e.Amount.Minor()
			if e.Account == ledger.Funds("stripe") {
				funds += e.Amount.Minor()
			}
		}
	}
	if sum != 0 || funds != kept {
		s.violated("the ledger sums to %d, and says that the provider holds %d, which holds %d", sum, funds, kept)
	}
}

// judgeEvents checks that each subscription got each event that was written since it is active.
func (s *simulation) judgeEvents() {
	all, _, err := memstore.Events{Store: s.store}.Events(noReason, s.shop.ID, event.OrderCompletedType, ports.Page{Limit: 1000})
	s.must(err)
	for n, since := range s.subs {
		for _, e := range all {
			if e.At.After(since) && s.heard[fmt.Sprintf("https://receiver.example/%d", n)][e.ID.String()] == 0 {
				s.violated("%s of %s was never delivered to subscription %d, made at %s", e.ID, e.At, n, since)
			}
		}
	}
}

func (s *simulation) judgeDeclines() {
	for i, first := range s.declined {
		n := 0
		for _, at := range s.declined[i:] {
			if at.Sub(first) < checkout.DeclineWindow {
				n++
			}
		}
		if n > checkout.MostDeclined {
			s.violated("%d cards were declined within %s of %s", n, checkout.DeclineWindow, first)
			return
		}
	}
}

func (s *simulation) report() string {
	return fmt.Sprintf("seed %d: %s\n%s", s.seed, strings.Join(s.broken, "\n"), strings.Join(s.trace, "\n"))
}
