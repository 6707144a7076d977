package negotiation_test

import (
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// history is one buyer who haggles over one item in one session, with any number of quotes.
type history struct {
	policy  negotiation.Policy
	signals negotiation.Signals
	quote   *negotiation.Quote
	now     time.Time
}

func newHistory(t *rapid.T) *history {
	h := &history{
		policy:  shopPolicies().Draw(t, "policy"),
		signals: signals().Draw(t, "signals"),
		now:     noon,
	}
	h.open(nil)
	return h
}

func (h *history) open(prior *negotiation.Quote) {
	next := negotiation.Start(id.New[id.Quote]([16]byte{7}), shop, item, h.policy, h.signals, prior, h.now)
	if prior != nil {
		prior.Supersede()
	}
	h.quote = next
}

// turn lets time pass and makes the buyer's next request, on its quote or on a new one. The built-in rules or an
// arbitrary agent answer.
func (h *history) turn(t *rapid.T) (table negotiation.Table, d negotiation.Decision) {
	h.now = h.now.Add(time.Duration(rapid.SampledFrom([]int{0, 1, 5, 14, 15, 40}).Draw(t, "minutes pass")) * time.Minute)
	if h.quote.Snapshot().State != negotiation.Open || h.quote.Expired(h.now) || rapid.IntRange(0, 3).Draw(t, "anew") == 0 {
		h.open(h.quote)
	} else if err := h.quote.Resume(h.policy, h.signals, h.now); err != nil {
		t.Fatalf("an open quote cannot be resumed: %v", err)
	}
	table = h.quote.Table(h.policy.Terms(h.signals), nil)
	if rapid.IntRange(0, 4).Draw(t, "asks only") > 0 {
		table = with(table, offersOn(table).Draw(t, "offer"))
	}
	d = negotiation.Decide(table)
	if rapid.IntRange(0, 3).Draw(t, "agent") == 0 {
		d = negotiation.Guard(table, proposals(table).Draw(t, "agent says"))
	}
	checkGuarded(t, table, d)
	h.quote.Record(table, d, h.now)
	return table, d
}

// While a promise is valid the bounds stay, whatever a buyer does. After that they are the current ones. Prices rise
// only if the floor has risen above them.
func TestQuote_boundsDuringPromise(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		bounds := negotiation.Bound(h.policy, h.signals)
		lowest := bounds.List()
		for range rapid.IntRange(1, 25).Draw(t, "turns") {
			h.signals = reconsider(h.signals).Draw(t, "circumstances")
			until := h.quote.Snapshot().ValidUntil
			table, d := h.turn(t)
			if !h.now.Before(until) {
				bounds = negotiation.Bound(h.policy, h.signals)
				if lowest.Minor() < bounds.Floor().Minor() {
					lowest = bounds.List()
				}
			}
			mustHold(t, table.Bounds == bounds, "bounds %+v became %+v", bounds, table.Bounds)
			price := negotiation.PriceIn(d)
			mustHold(t, price.Minor() >= bounds.Floor().Minor(), "%s under the floor %s", price, bounds.Floor())
			if _, taken := d.(negotiation.Accepted); !taken {
				mustHold(t, price.Minor() <= lowest.Minor(), "%s after %s", price, lowest)
			}
			lowest = money.Of(min(lowest.Minor(), price.Minor()), lowest.Currency())
		}
	})
}

// The round cap holds over all quotes of a session.
func TestQuote_Record_roundCapOfSession(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		var last *money.Amount
		counters := 0 // and absurd offers
		for range 30 {
			table, d := h.turn(t)
			if table.Offer != nil && absurd(table) {
				counters++
			}
			if c, ok := d.(negotiation.Countered); ok {
				counters++
				mustHold(t, c.Final == (counters >= h.policy.RoundCap), "counter %d is final: %v", counters, c.Final)
			}
			price := *negotiation.PriceIn(d)
			mustHold(t, last == nil || price.Minor() <= last.Minor() || class(d) == 2, "a price rose after the last round")
			mustHold(t, last == nil || class(d) == 2 || price == *last, "a price moved after the last round")
			if counters >= h.policy.RoundCap && (last == nil || price.Minor() < last.Minor()) {
				last = &price
			}
		}
	})
}

// promise is a price that the shop committed to while its own rules allowed it, and when it expires.
type promise struct {
	price money.Amount
	until time.Time
}

// The shop changes its list price, cost, discount and whether it negotiates while the buyer haggles. A promised price
// holds until it expires or the buyer accepts it, and no other price is below the current floor.
func TestQuote_promisesOutliveShopChanges(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := newHistory(t)
		var promises []promise
		for range rapid.IntRange(1, 25).Draw(t, "turns") {
			if rapid.IntRange(0, 3).Draw(t, "shop changes") == 0 {
				h.changeShop(t)
			}
			before := h.quote.Snapshot()
			table, d := h.turn(t)
			list, floor := table.Bounds.List(), table.Bounds.Floor()
			if before.State == negotiation.Agreed && before.Progress.Counter.Minor() < floor.Minor() {
				promises = nil
			}
			checkHardFloor(t, h, table.Bounds)
			lowest := int64(money.Limit)
			for _, p := range promises {
				if h.now.Before(p.until) {
					lowest = min(lowest, p.price.Minor(), list.Minor())
				}
			}
			if table.Offer != nil && table.Offer.Minor() >= lowest {
				mustHold(t, class(d) == 2, "%s was promised, %s offered, and the answer is %+v", money.Of(lowest, list.Currency()), table.Offer, d)
			}
			price := negotiation.PriceIn(d)
			mustHold(t, price.Minor() >= min(floor.Minor(), lowest), "%s under the floor %s, promised %d", price, floor, lowest)
			mustHold(t, class(d) == 2 || price.Minor() <= lowest, "%s, promised %d", price, lowest)
			after := h.quote.Snapshot()
			if counter := after.Progress.Counter; counter.IsPositive() && counter.Minor() >= floor.Minor() {
				promises = append(promises, promise{counter, after.ValidUntil})
			}
		}
	})
}

func (h *history) changeShop(t *rapid.T) {
	next := signals().Filter(func(s negotiation.Signals) bool { return s.List.Currency() == h.signals.List.Currency() }).Draw(t, "new signals")
	switch rapid.IntRange(0, 3).Draw(t, "what changes") {
	case 0:
		h.policy = shopPolicies().Draw(t, "new policy")
	case 1:
		h.signals = next
	case 2:
		h.signals.Negotiable = !h.signals.Negotiable
	case 3:
		cost := money.Of(rapid.Int64Range(0, h.signals.List.Minor()).Draw(t, "new cost"), h.signals.List.Currency())
		h.signals.Cost = &cost
	}
}

func checkHardFloor(t rapid.TB, h *history, b negotiation.Bounds) {
	t.Helper()
	mustHold(t, b.List() == h.signals.List, "list %s, not %s", b.List(), h.signals.List)
	hard := min(least(h.policy, h.signals), h.signals.List.Minor())
	mustHold(t, b.Floor().Minor() >= hard, "floor %s under the hard floor %d", b.Floor(), hard)
	mustHold(t, h.policy.Enabled && h.signals.Negotiable || b.Fixed(), "negotiable though the shop does not negotiate")
}

// A prober sees only answers. It bisects to the price where rejections end, in one session and with a new quote for
// every offer, and finds the hint that every rejection had named.
func TestBounds_Hint_prober(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		h := &history{policy: patient, now: noon}
		h.signals = negotiation.Signals{
			List:       money.Of(rapid.Int64Range(100_00, 5_000_00).Draw(t, "list"), money.USD),
			Negotiable: true,
			Quantity:   1,
			Stock:      20,
		}
		h.open(nil)
		low, high := int64(0), h.signals.List.Minor() // rejected, not rejected
		var hint money.Amount
		for high-low > 1 {
			middle := money.Of((low+high)/2, money.USD)
			h.open(h.quote)
			table := h.quote.Table(h.policy.Terms(h.signals), &middle)
			d := negotiation.Decide(table)
			if r, rejected := d.(negotiation.Rejected); rejected {
				mustHold(t, hint == money.Amount{} || r.Hint == hint, "hint %s, then %s", hint, r.Hint)
				low, hint = middle.Minor(), r.Hint
			} else {
				high = middle.Minor()
			}
			h.quote.Record(table, d, h.now)
		}
		mustHold(t, high == hint.Minor(), "rejections end at %d, the hint is %s", high, hint)
	})
}
