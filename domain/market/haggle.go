package market

// Outcome is how one negotiation ended.
type Outcome struct {
	Buyer
	Price  int64 // zero: no deal
	Rounds int   // offers made; taking a price that stands is none
	Broken Promise
	Lost   bool // the seller did not answer
}

// talk is a negotiation from the buyer's side: what it wants, and all that it has seen.
type talk struct {
	item     Item
	buyer    Buyer
	most     int64 // it never offers more
	deadline int
	firm     float64 // share of V that a hardliner offers
	scouted  int64   // the hint that the buyer was given in an earlier session
	random   Random

	round    int   // of the coming offer, from 1
	offer    int64 // the latest
	standing int64 // the lowest price that an answer named, the list price where there is none
	given    int64 // how much lower the latest answer made it
	rejected bool  // so was the latest offer
	hint     int64 // of the rejections
	low      int64 // the floor is above this
	high     int64 // and no higher than this, if the buyer can pay it at all
	over     bool
}

func newTalk(item Item, buyer Buyer, tactic Tactic, random Random) talk {
	t := talk{
		item:     item,
		buyer:    buyer,
		most:     min(buyer.Worth, item.List),
		deadline: buyer.Deadline,
		random:   random,
		standing: item.List,
	}
	if tactic.rounds > 0 {
		t.deadline = min(t.deadline, tactic.rounds)
	}
	t.high = t.most
	t.low = min(buyer.First, item.List/2, t.high)
	return t
}

// Step is one round: what was offered, and what came back.
type Step struct {
	Offer    int64
	Took     bool // the offer was the standing price
	Answer   Answer
	Estimate int64 // of the floor, after the answer
}

// Rules are what the negotiations of a group of buyers have in common.
type Rules struct {
	Seller Seller
	Item   Item
	Floor  int64                // no price may be under it; zero: not known
	Firm   float64              // share of V that hardliners offer
	Heed   bool                 // buyers use hints
	Watch  func(int, int, Step) // sees each step with the number of the negotiation and the round; may be nil
}

// Haggle lets a buyer negotiate until it has bought or walks away. number goes to Watch.
func (r *Rules) Haggle(number int, buyer Buyer, tactic Tactic, random Random) Outcome {
	t, out := newTalk(r.Item, buyer, tactic, random), Outcome{Buyer: buyer}
	t.firm = r.Firm
	if tactic.Scouts && !r.scout(&t, &out) {
		return out
	}
	table := r.Seller.Open(r.Item)
	for t.round = 1; ; t.round++ {
		price, leaves := t.next(tactic, r.Heed)
		if leaves {
			return out
		}
		took := t.round > 1 && price >= t.standing
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

// scout offers next to nothing in a session of its own to hear the hint, which costs one of the buyer's offers. It
// reports whether the buyer goes on.
func (r *Rules) scout(t *talk, out *Outcome) bool {
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

// next is the buyer's move: an offer, which takes the standing price if that is no more, or to leave.
func (t *talk) next(tactic Tactic, heed bool) (price int64, leaves bool) {
	if t.round > t.deadline || t.over {
		return t.standing, t.standing > t.most
	}
	price = tactic.aspire(t)
	if heed && t.hint > 0 && !tactic.Probes {
		if t.hint > t.most {
			return t.standing, t.standing > t.most
		}
		price = max(price, t.hint)
	}
	price = min(max(price, 1), t.most)
	if t.standing <= price || tactic.greedy && t.standing < t.item.List && t.standing <= t.most {
		return t.standing, false
	}
	return price, false
}

func (t *talk) learn(offer int64, a Answer) {
	before := t.standing
	t.offer, t.rejected, t.over = offer, a.Verdict == Rejected, a.Over
	switch a.Verdict {
	case Rejected:
		t.low, t.hint = max(t.low, min(offer, t.high)), a.Price
		if a.Standing > 0 {
			t.standing = a.Standing
		}
	case Countered:
		t.standing = a.Price
		fallthrough
	case Accepted:
		t.high, t.low = min(t.high, offer), min(t.low, offer)
	}
	t.given = before - t.standing
}
