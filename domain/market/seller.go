package market

// Item is one item on sale. Prices are in minor units.
type Item struct{ List, Cost int64 }

// Seller opens negotiations. It is used by many goroutines at once.
type Seller interface {
	Open(Item) Negotiation
}

// Negotiation is with one buyer. It is used by one goroutine.
type Negotiation interface {
	// Offer answers an offer of a price. It is not called after an accepted one.
	Offer(price int64) Answer
}

// Verdict is the kind of an answer.
type Verdict uint8

// The verdicts.
const (
	Rejected  Verdict = iota // too low to negotiate; the current price may fall all the same
	Countered                // an offer of the price will be accepted
	Accepted
	NoAnswer // the seller is gone: the buyer leaves, and the negotiation counts for neither
)

// Answer is a seller's answer to one offer.
type Answer struct {
	Verdict Verdict
	Price   int64 // agreed, or countered; with Rejected the hint, zero for none
	// CurrentPrice is the current price after a rejection, binding as a counter is. Zero: unchanged.
	CurrentPrice int64
	Over         bool // no better answer will follow: accept the current price, or leave
}

// Commits returns the price that the answer commits the seller to, or zero if the answer does not change it.
func (a Answer) Commits() int64 {
	if a.Verdict == Rejected {
		return a.CurrentPrice
	}
	return a.Price
}

// Secrets are hidden from buyers. Only reports and the check of promises use them.
type Secrets struct{ Floor, Hint int64 }

// Promise is a rule that a seller must not break.
type Promise uint8

// The promises.
const (
	Kept Promise = iota
	AboveTheOffer
	AboveList
	UnderTheFloor
	RisingCounter
	CounterUnderTheOffer
	ChangingHint
	BrokenCommitment
)

var promises = [...]string{
	AboveTheOffer:        "an offer was accepted at another price",
	AboveList:            "a price was above list",
	UnderTheFloor:        "a price was under the floor",
	RisingCounter:        "a counter, or a price standing after a rejection, was above an earlier one",
	CounterUnderTheOffer: "a counter, or a price standing after a rejection, was not above the offer",
	ChangingHint:         "the hint changed within a negotiation",
	BrokenCommitment:     "an offer of the standing price was not accepted",
}

func (p Promise) String() string { return promises[p] }

// Promises returns all promises that can be broken.
func Promises() (all []Promise) {
	for p := Kept + 1; int(p) < len(promises); p++ {
		all = append(all, p)
	}
	return all
}

// judge returns the promise that an answer to the latest offer breaks, or Kept. It uses what the buyer saw, and the
// floor if it is known.
func (t *thread) judge(a Answer, offer, floor int64) Promise {
	switch {
	case a.Verdict != Accepted && offer >= t.current:
		return BrokenCommitment
	case a.Verdict == Rejected && t.hint > 0 && a.Price != t.hint:
		return ChangingHint
	case a.Verdict == Rejected && a.CurrentPrice == 0:
		return Kept
	case a.Verdict == Accepted && a.Price <= t.item.List && a.Price != min(offer, t.item.List):
		return AboveTheOffer
	}
	return t.judgePrice(a, offer, floor)
}

// judgePrice checks the price that an answer commits to.
func (t *thread) judgePrice(a Answer, offer, floor int64) Promise {
	price := a.Commits()
	switch {
	case price > t.item.List:
		return AboveList
	case price < floor:
		return UnderTheFloor
	case a.Verdict == Accepted:
		return Kept
	case price > t.current:
		return RisingCounter
	case price <= offer:
		return CounterUnderTheOffer
	}
	return Kept
}
