package market

// Outcome is the end of one negotiation.
type Outcome struct {
	Buyer
	Price  int64 // zero: no deal
	Rounds int   // offers made; accepting the current price does not count
	Broken Promise
	Lost   bool // the seller did not answer
}

// thread is a negotiation from the buyer's side: what it wants, and everything that it has seen.
type thread struct {
	item     Item
	buyer    Buyer
	most     int64 // the highest offer that it makes
	deadline int
	firm     float64 // share of V that a hardliner offers
	scouted  int64   // the hint from an earlier session
	random   Random

	round    int   // of the next offer, from 1
	offer    int64 // the latest
	current  int64 // the current price: the lowest that an answer named, or the list price
	given    int64 // by how much the latest answer lowered current
	rejected bool  // the latest offer was
	hint     int64 // named by the rejections
	low      int64 // the floor is above this
	high     int64 // the floor is at most this, if the buyer can pay it at all
	over     bool

	// These are of Families.
	private [2]float64        // drawn by Tactic.prepare
	learnt  int64             // the lowest price of the sessions before
	prices  [MostRounds]int64 // current price after each round
}

func newThread(item Item, buyer Buyer, tactic Tactic, random Random) thread {
	t := thread{
		item:     item,
		buyer:    buyer,
		most:     min(buyer.Worth, item.List),
		deadline: buyer.Deadline,
		random:   random,
		current:  item.List,
	}
	if tactic.rounds > 0 {
		t.deadline = min(t.deadline, tactic.rounds)
	}
	t.high = t.most
	t.low = min(buyer.First, item.List/2, t.high)
	return t
}

// Step is one round: an offer and its answer.
type Step struct {
	Offer    int64
	Took     bool // the offer was the current price
	Answer   Answer
	Estimate int64 // of the floor, after the answer
}

// Rules are common to the negotiations of a group of buyers.
type Rules struct {
	Seller Seller
	Item   Item
	Floor  int64                // the lowest price allowed; zero: not known
	Firm   float64              // share of V that hardliners offer
	Heed   bool                 // buyers use hints
	Watch  func(int, int, Step) // sees each step with the number of the negotiation and the round; may be nil
}

// Haggle lets a buyer negotiate until it has bought or leaves. number is passed to Watch.
func (r *Rules) Haggle(number int, buyer Buyer, tactic Tactic, random Random) Outcome {
	t, out := newThread(r.Item, buyer, tactic, random), Outcome{Buyer: buyer}
	t.firm = r.Firm
	if tactic.Scouts && !r.scout(&t, &out) {
		return out
	}
	if tactic.prepare != nil {
		tactic.prepare(&t)
		if t.most < min(buyer.Worth, r.Item.List) {
			out.Buyer.Worth = t.most // it would pay no higher posted price either
		}
	}
	if tactic.before > 0 && !r.learnBefore(&t, tactic.before, &out) {
		return out
	}
	table := r.Seller.Open(r.Item)
	for t.round = 1; ; t.round++ {
		price, leaves := t.next(tactic, r.Heed)
		if leaves {
			return out
		}
		took := t.round > 1 && price >= t.current
		if !took {
			out.Rounds++
		}
		answer := table.Offer(price)
		if answer.Verdict == NoAnswer {
			out.Lost = true
			return out
		}
		if out.Broken = t.judge(answer, price, r.Floor); out.Broken != Kept {
			return out
		}
		t.learn(price, answer)
		if r.Watch != nil {
			r.Watch(number, t.round, Step{price, took, answer, t.estimate()})
		}
		if answer.Verdict == Accepted {
			out.Price = answer.Price
			return out
		}
	}
}

// scout makes an offer of 1 in a separate session to learn the hint, which costs one of the buyer's offers. It reports
// whether the buyer goes on.
func (r *Rules) scout(t *thread, out *Outcome) bool {
	answer := r.Seller.Open(r.Item).Offer(1)
	out.Rounds++
	if answer.Verdict == NoAnswer {
		out.Lost = true
		return false
	}
	if out.Broken = t.judge(answer, 1, r.Floor); out.Broken != Kept {
		return false
	}
	if answer.Verdict == Rejected {
		t.scouted = answer.Price
	}
	t.deadline--
	return answer.Verdict != Accepted && t.deadline > 0
}

// next returns the buyer's next offer, which accepts the current price if that is no more, or reports that the buyer
// leaves.
func (t *thread) next(tactic Tactic, heed bool) (price int64, leaves bool) {
	if t.round > t.deadline || t.over {
		return t.current, t.current > t.most
	}
	price = tactic.aspire(t)
	if heed && t.hint > 0 && !tactic.Probes {
		if t.hint > t.most {
			return t.current, t.current > t.most
		}
		price = max(price, t.hint)
	}
	price = min(max(price, 1), t.most)
	take := price
	if tactic.accept != nil {
		take = min(tactic.accept(t), t.most)
	}
	if t.current <= take || tactic.greedy && t.current < t.item.List && t.current <= t.most {
		return t.current, false
	}
	if tactic.leaves != nil && t.round > 1 && tactic.leaves(t) {
		return t.current, true
	}
	return min(price, t.current), false
}

func (t *thread) learn(offer int64, a Answer) {
	before := t.current
	t.offer, t.rejected, t.over = offer, a.Verdict == Rejected, a.Over
	switch a.Verdict {
	case Rejected:
		t.low, t.hint = max(t.low, min(offer, t.high)), a.Price
		if a.CurrentPrice > 0 {
			t.current = a.CurrentPrice
		}
	case Countered:
		t.current = a.Price
		fallthrough
	case Accepted:
		t.high, t.low = min(t.high, offer), min(t.low, offer)
	}
	t.given = before - t.current
	t.prices[t.round-1] = t.current
}
