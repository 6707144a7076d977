package market

// Item is one piece on sale. Prices are in minor units.
type Item struct{ List, Cost int64 }

// Seller opens negotiations, from many goroutines at once.
type Seller interface {
	Open(Item) Negotiation
}

// Negotiation is one buyer's. It is used by one goroutine.
type Negotiation interface {
	// Offer answers an offer of a price. Nothing follows an accepted one.
	Offer(price int64) Answer
}

// Verdict is the kind of an answer.
type Verdict uint8

// The verdicts.
const (
	Rejected  Verdict = iota // too little to be talked about
	Countered                // the price stands: who offers it gets it
	Accepted
)

// Answer is a seller's to one offer.
type Answer struct {
	Verdict Verdict
	Price   int64 // agreed, or countered; with Rejected the hint, zero for none
	Over    bool  // no better answer will follow: take what stands, or leave
}

// Secrets are what a seller keeps from buyers. Only reports and the watch over promises know them.
type Secrets struct{ Floor, Hint int64 }

// Promise is one that a seller must not break.
type Promise uint8

// The promises.
const (
	kept Promise = iota
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
	RisingCounter:        "a counter was above an earlier one",
	CounterUnderTheOffer: "a counter was not above the offer",
	ChangingHint:         "the hint changed within a negotiation",
	BrokenCommitment:     "an offer of a price that stood was not accepted",
}

func (p Promise) String() string { return promises[p] }

// judge tells which promise an answer to the latest offer breaks. Nothing but what the buyer saw, and the floor
// where it is known, is held against it.
func (t *talk) judge(a Answer, offer, floor int64) Promise {
	switch {
	case a.Verdict != Accepted && offer >= t.standing:
		return BrokenCommitment
	case a.Verdict == Rejected && t.hint > 0 && a.Price != t.hint:
		return ChangingHint
	case a.Verdict == Rejected:
		return kept
	case a.Price > t.item.List:
		return AboveList
	case a.Price < floor:
		return UnderTheFloor
	case a.Verdict == Accepted && a.Price != min(offer, t.item.List):
		return AboveTheOffer
	case a.Verdict == Countered && a.Price > t.standing:
		return RisingCounter
	case a.Verdict == Countered && a.Price <= offer:
		return CounterUnderTheOffer
	}
	return kept
}
