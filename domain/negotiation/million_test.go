package negotiation_test

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"runtime"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// A million buyers haggle with shops that change their settings, under any policy and with any agent. A judge that
// knows only the rules of features/PROTOCOL.md#negotiation checks every answer. A history is identified by its number,
// which seeds its random source.
func TestQuote_millionHistories(t *testing.T) {
	histories := 1_000_000
	if testing.Short() {
		histories /= 20
	}
	workers := runtime.GOMAXPROCS(0)
	tallies, failures := make([]tally, workers), make([]error, workers)
	var wait sync.WaitGroup
	for w := range workers {
		wait.Go(func() {
			tallies[w] = tally{}
			source := rand.NewPCG(0, 0)
			for n := w; n < histories && failures[w] == nil; n += workers {
				source.Seed(2026, uint64(n))
				if err := haggle(draw{rand.New(source)}, tallies[w]); err != nil {
					failures[w] = fmt.Errorf("history %d: %w", n, err)
				}
			}
		})
	}
	wait.Wait()
	for _, err := range failures {
		if err != nil {
			t.Error(err)
		}
	}
	if !t.Failed() {
		checkTally(t, histories, tallies)
	}
}

var otherSession = id.New[id.Session]([16]byte{22})

// tally counts events by name.
type tally map[string]int

// checkTally checks that the histories have enough of every event for the judge to have tested it.
func checkTally(t *testing.T, histories int, tallies []tally) {
	t.Helper()
	sum := tally{}
	for _, one := range tallies {
		for what, n := range one {
			sum[what] += n
		}
	}
	t.Log(sum)
	for what, perThousand := range map[string]int{
		"quoted": 200, "accepted": 200, "countered": 200, "rejected": 200,
		negotiation.NoOffer.String(): 200, negotiation.ListOnly.String(): 200, negotiation.Commitment.String(): 200,
		negotiation.AtAsk.String(): 200, negotiation.Concession.String(): 50, negotiation.NoMovement.String(): 20,
		negotiation.FinalRound.String(): 20, negotiation.ProbingLimit.String(): 20, negotiation.BelowFloor.String(): 200,
		negotiation.AgentAnswer.String(): 50, "new quote": 200, "new bounds": 200, "overtaken": 100, "absurd": 100, "sold under the floor": 10,
		"price forgotten": 100, "lower price to a mover": 100, "same price to a non-mover": 100,
		"token redeemed": 200, "token of another session": 200, "token expired": 200, "token for another quantity": 200,
		"token before a newer quote": 200, "token with a bundle": 20, "token without its bundle": 20,
	} {
		if sum[what]*1000 < histories*perThousand {
			t.Errorf("%q happened %d times in %d histories", what, sum[what], histories)
		}
	}
}

// haggle runs one history: consecutive quotes on one item, with the offers on each.
func haggle(r draw, seen tally) error {
	p, s := r.policy(), r.signals([]money.Currency{money.USD, money.USD, jpy, bhd}[r.IntN(4)])
	now := noon
	var q *negotiation.Quote
	var j judge
	var sold deal
	for range r.IntN(20) + 1 {
		now = now.Add(r.pause())
		if r.chance(1, 6) {
			r.change(&p, &s)
		}
		r.reconsider(&s)
		if q != nil && q.Snapshot().State == negotiation.Agreed && r.chance(1, 2) {
			return nil // the buyer has bought
		}
		if q == nil || q.Snapshot().State != negotiation.Open || q.Expired(now) || r.chance(1, 6) {
			next := negotiation.Start(id.Quote{}, shop, item, p, s, q, now)
			if q != nil {
				q.Supersede()
				if err := sold.observeNewer(q, now, seen); err != nil {
					return err
				}
			}
			q = next
			seen["new quote"]++
		} else if err := q.Resume(p, s, now); err != nil {
			return err
		}
		table := q.Table(p.Terms(s), nil)
		table.Offer = r.offer(table)
		if err := j.open(table, p, s, now, seen); err != nil {
			return fmt.Errorf("%w: %+v", err, table)
		}
		d, err := answer(r, table)
		if err == nil {
			err = j.observe(table, d, seen)
		}
		q.Record(table, d, now)
		if err == nil {
			err = j.close(table, d, now, q.Snapshot().ValidUntil, seen)
		}
		if err == nil {
			sold, err = j.seal(r, q, table, seen)
		}
		if err != nil {
			return fmt.Errorf("%w: %+v to %+v, judged by %+v", err, d, table, j)
		}
	}
	return nil
}

// answer returns the answer of the rules or of an agent.
func answer(r draw, t negotiation.Table) (negotiation.Decision, error) {
	d := negotiation.Decide(t)
	if negotiation.Guard(t, d) != d {
		return d, errors.New("the guard does not let a decision pass")
	}
	if t.Offer != nil && r.chance(1, 4) {
		other := t
		if other.Offer = r.offer(t); other.Offer != nil && other.Offer.Minor() >= t.Offer.Minor() && class(negotiation.Decide(other)) < class(d) {
			return d, fmt.Errorf("the better offer %s gets a lesser answer", other.Offer)
		}
	}
	if r.chance(1, 5) {
		d = negotiation.Guard(t, r.proposal(t))
	}
	return d, nil
}

// judge remembers what a buyer and a merchant would hold later answers against. Prices are in minor units.
type judge struct {
	bounds negotiation.Bounds
	hint   money.Amount
	price  int64     // the lowest that was named and is still valid; 0: none
	until  time.Time // when price expires
	sold   bool      // the last offer was accepted
	best   int64     // the offer of the buyer's last move
	rounds int
	least  int64 // under the policy's discount and margin
	now    time.Time
}

// open checks the bounds of an answer. It forgets a price that has expired, or that was accepted and that the shop can
// no longer keep.
func (j *judge) open(t negotiation.Table, p negotiation.Policy, s negotiation.Signals, now time.Time, seen tally) error {
	list, floor := s.List.Minor(), t.Bounds.Floor().Minor()
	j.least, j.now = leastOf(p, s), now
	negotiable := p.Enabled && s.Negotiable && onGrid(p, s, j.least) < list
	if j.least = min(j.least, list); !negotiable {
		j.least = list
	}
	held := j.bounds.List() == s.List && j.bounds.Fixed() == !negotiable && j.bounds.Floor().Minor() >= j.least
	late := !now.Before(j.until)
	switch {
	case held && !late && t.Bounds != j.bounds:
		return errors.New("the bounds moved")
	case late && t.Bounds != negotiation.Bound(p, s):
		return errors.New("the bounds are not those of today, and nothing is promised")
	case t.Bounds.List() != s.List || t.Bounds.Fixed() == negotiable || floor < j.least:
		return fmt.Errorf("the floor is under the least price %d", j.least)
	case !t.Bounds.Fixed() && !validHint(list, t.Bounds.Hint().Minor()):
		return errors.New("the hint is not on the grid")
	case t.Bounds.Opening().Minor() < t.Bounds.Target().Minor() || t.Bounds.Target().Minor() < floor || t.Bounds.Opening().Minor() > list:
		return errors.New("the bounds are out of order")
	}
	if t.Bounds != j.bounds {
		j.bounds, j.hint = t.Bounds, money.Amount{}
		seen["new bounds"]++
	}
	overtaken := j.price < floor
	if j.price > 0 && (late && (!held || overtaken) || j.sold && overtaken) {
		j.price, j.best, j.rounds = 0, 0, 0
		seen["price forgotten"]++
	}
	j.price = min(j.price, list)
	return nil
}

// observe checks an answer against the earlier ones.
func (j *judge) observe(t negotiation.Table, d negotiation.Decision, seen tally) error {
	price, list, floor := negotiation.PriceIn(d).Minor(), t.Bounds.List().Minor(), t.Bounds.Floor().Minor()
	promised := j.price > 0 && j.now.Before(j.until) && price >= j.price
	_, taken := d.(negotiation.Accepted)
	switch {
	case negotiation.PriceIn(d).Currency() != t.Bounds.List().Currency() || price <= 0 || price > list:
		return errors.New("no price that can be")
	case price < j.least && !promised:
		return fmt.Errorf("a price under the least, %d", j.least)
	case price < floor && !promised:
		return errors.New("a price under the floor")
	case j.price > 0 && price > j.price && !taken:
		return errors.New("a price rose")
	case j.price > 0 && price < j.price && !taken && (j.rounds >= t.Terms.RoundCap || t.Terms.Firm):
		return errors.New("a price moved after the last round, or for a prober")
	case t.Offer == nil:
		return nil
	case j.price > 0 && t.Offer.Minor() >= j.price && !taken:
		return errors.New("a commitment was broken")
	case taken && price != min(t.Offer.Minor(), list):
		return errors.New("taken at another price than offered")
	case taken:
		return nil
	case price <= t.Offer.Minor():
		return errors.New("a price that was offered is asked for")
	case j.price > 0 && price < j.price && !j.moves(t):
		return errors.New("a buyer who did not move got something for it")
	}
	if !j.moves(t) {
		seen["same price to a non-mover"]++
	} else if price < j.price {
		seen["lower price to a mover"]++
	}
	return j.observeRefusal(t, d)
}

// moves reports whether the offer is at least 1/100 of list above the last move, and not far below the floor.
func (j *judge) moves(t negotiation.Table) bool {
	list, floor := t.Bounds.List().Minor(), t.Bounds.Floor().Minor()
	switch {
	case absurd(t):
		return false
	case j.best == 0:
		return t.Offer.Minor() > 0
	}
	return t.Offer.Minor()-j.best >= max(1, list/100) && t.Offer.Minor() >= floor-floor/4
}

// absurd reports whether the offer is below the floor and below half of list × (1 − max discount).
func absurd(t negotiation.Table) bool {
	allowed := 1000 - int64(min(max(t.Terms.MaxDiscount, 0), 1000))
	return t.Offer.Minor() < t.Bounds.Floor().Minor() && (t.Offer.Minor() < 0 || 2000*t.Offer.Minor() < t.Bounds.List().Minor()*allowed)
}

func (j *judge) observeRefusal(t negotiation.Table, d negotiation.Decision) error {
	switch d := d.(type) {
	case negotiation.Countered:
		if d.Final != (j.rounds+1 >= t.Terms.RoundCap || t.Terms.Firm) {
			return errors.New("the last counter is not final, or an earlier one is")
		}
	case negotiation.Rejected:
		if !t.Bounds.Fixed() && t.Offer.Minor() >= t.Bounds.Floor().Minor() {
			return errors.New("an offer that can be talked about was turned away")
		}
		if d.Hint.Minor() < t.Bounds.Floor().Minor() || !j.hint.IsZero() && d.Hint != j.hint {
			return fmt.Errorf("the hint was %s", j.hint)
		}
		j.hint = d.Hint
	default:
		return errors.New("no answer to an offer")
	}
	return nil
}

// close remembers the answer and its promise. A price that the floor has risen above keeps its expiry until it is
// accepted.
func (j *judge) close(t negotiation.Table, d negotiation.Decision, now, until time.Time, seen tally) error {
	price, floor := negotiation.PriceIn(d).Minor(), t.Bounds.Floor().Minor()
	overtaken := j.price > 0 && j.price < floor
	if overtaken {
		seen["overtaken"]++
	}
	if _, j.sold = d.(negotiation.Accepted); j.sold || !overtaken {
		j.until = now.Add(negotiation.Validity)
	}
	if j.price == 0 || price < j.price {
		j.price = price
	}
	if _, countered := d.(negotiation.Countered); countered || t.Offer != nil && absurd(t) {
		j.rounds++
		seen["absurd"] += map[bool]int{true: 0, false: 1}[countered]
	}
	if t.Offer != nil && j.moves(t) {
		j.best = t.Offer.Minor()
	}
	if j.sold && price < floor {
		seen["sold under the floor"]++
	}
	seen[d.Outcome().String()]++
	seen[d.Rule().String()]++
	if !until.Equal(j.until) {
		return fmt.Errorf("the price is promised until %s, not %s", until, j.until)
	}
	return nil
}

// deal is what the token of an accepted quote must redeem. The zero deal is none.
type deal struct {
	price  money.Amount
	until  time.Time
	bundle *negotiation.Bundle // nil: not part of the deal
}

// seal seals an accepted quote and checks that its token redeems the deal and nothing else. Before that, no token may
// redeem anything.
func (j *judge) seal(r draw, q *negotiation.Quote, t negotiation.Table, seen tally) (deal, error) {
	if _, covered := q.PriceFor(item.Product, item.Variant, item.Quantity); covered != j.sold {
		return deal{}, errors.New("a price is agreed without an accepted offer, or the other way round")
	}
	if !j.sold {
		if r.chance(1, 10) {
			q.Suggest(r.bundle(t.Bounds.List().Currency(), j.now))
		}
		return deal{}, nil
	}
	sold := deal{price: *t.Offer, until: j.until}
	if list := t.Bounds.List(); sold.price.Minor() > list.Minor() {
		sold.price = list
	}
	suggested, withBundle := q.Snapshot().Bundle, r.chance(1, 2)
	if withBundle {
		sold.bundle = suggested
	}
	q.Seal("hash", "salt", withBundle)
	switch {
	case sold.bundle != nil:
		seen["token with a bundle"]++
	case suggested != nil:
		seen["token without its bundle"]++
		if _, covered := q.PriceFor(suggested.Product, suggested.Variant, 1); covered {
			return sold, errors.New("the token covers a bundle that the buyer did not add")
		}
	}
	return sold, sold.check(q, j.now, seen)
}

// check checks that the token redeems the deal from now until it expires, in its own session and quantity.
func (d *deal) check(q *negotiation.Quote, now time.Time, seen tally) error {
	for _, at := range []time.Time{now, d.until.Add(-1)} {
		if err := q.Redeemable(item.Session, at); err != nil {
			return fmt.Errorf("the token is promised until %s, and refused at %s: %w", d.until, at, err)
		}
	}
	if price, covered := q.PriceFor(item.Product, item.Variant, item.Quantity); !covered || price != d.price {
		return fmt.Errorf("the token redeems %s, and %s was agreed", price, d.price)
	}
	seen["token redeemed"]++
	if q.Redeemable(otherSession, now) == nil {
		return errors.New("the token is redeemable in another session")
	}
	seen["token of another session"]++
	if q.Redeemable(item.Session, d.until) == nil {
		return fmt.Errorf("the token is redeemable at its expiry, %s", d.until)
	}
	seen["token expired"]++
	if _, covered := q.PriceFor(item.Product, item.Variant, item.Quantity+1); covered {
		return errors.New("the token redeems another quantity")
	}
	seen["token for another quantity"]++
	if d.bundle == nil {
		return nil
	}
	if price, covered := q.PriceFor(d.bundle.Product, d.bundle.Variant, 1); !covered || price != d.bundle.Price || !now.Before(d.bundle.ValidUntil) {
		return fmt.Errorf("the token redeems the bundle %+v at %s", *d.bundle, price)
	}
	if _, covered := q.PriceFor(d.bundle.Product, d.bundle.Variant, 2); covered {
		return errors.New("the token redeems a second piece of the bundle")
	}
	return nil
}

// observeNewer checks that a newer quote on the item leaves the token of an accepted one as it was.
func (d *deal) observeNewer(q *negotiation.Quote, now time.Time, seen tally) error {
	if d.until.IsZero() {
		return nil
	}
	seen["token before a newer quote"]++
	if err := q.Redeemable(item.Session, now); (err == nil) != now.Before(d.until) {
		return fmt.Errorf("the token is promised until %s, and at %s a newer quote was made: %w", d.until, now, err)
	}
	if price, covered := q.PriceFor(item.Product, item.Variant, item.Quantity); !covered || price != d.price {
		return fmt.Errorf("the token redeems %s after a newer quote, and %s was agreed", price, d.price)
	}
	return nil
}

// leastOf is least for numbers that fit in 64 bits.
func leastOf(p negotiation.Policy, s negotiation.Signals) int64 {
	up := func(minor int64, share money.Percent) int64 { return (minor*int64(share) + 999) / 1000 }
	floor := max(up(s.List.Minor(), 1000-min(max(p.MaxDiscount, 0), 1000)), 1)
	if s.Cost == nil {
		return floor
	}
	if margin := max(p.MinMargin, 0); margin < 1_000_000 {
		return max(floor, up(s.Cost.Minor(), 1000+margin))
	}
	return least(p, s)
}
