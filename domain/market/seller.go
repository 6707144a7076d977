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
	Rejected  Verdict = iota // too little to be talked about; what stands may come down all the same
	Countered                // the price stands: who offers it gets it
	Accepted
	NoAnswer // the seller is gone: the buyer leaves, and nothing is held against anybody
)

// Answer is a seller's to one offer.
type Answer struct {
	Verdict Verdict
	Price   int64 // agreed, or countered; with Rejected the hint, zero for none
	// Standing is the price that stands after a rejection, as a counter would. Zero: what stood before.
	Standing int64
	Over     bool // no better answer will follow: take what stands, or leave
}

// Commits is the price that whoever offers it gets, zero where the answer changes nothing.
func (a Answer) Commits() int64 {
	if a.Verdict == Rejected {
		return a.Standing
	}
	return a.Price
}

// Secrets are what a seller keeps from buyers. Only reports and the watch over promises know them.
type Secrets struct{ Floor, Hint int64 }

// Promise is one that a seller must not break.
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
	BrokenCommitment:     "an offer of a price that stood was not accepted",
}

func (p Promise) String() string { return promises[p] }

// Promises are all that can be broken.
func Promises() (all []Promise) {
	for p := Kept + 1; int(p) < len(promises); p++ {
		all = append(all, p)
	}
	return all
}

// judge returns the promise that an answer to the latest offer breaks. It uses what the buyer saw, and the floor where
// it is known.
func (t *talk) judge(a Answer, offer, floor int64) Promise {
	switch {
	case a.Verdict != Accepted && offer >= t.standing:
		return BrokenCommitment
	case a.Verdict == Rejected && t.hint > 0 && a.Price != t.hint:
		return ChangingHint
	case a.Verdict == Rejected && a.Standing == 0:
		return Kept
	case a.Verdict == Accepted && a.Price <= t.item.List && a.Price != min(offer, t.item.List):
		return AboveTheOffer
	}
	return t.judgePrice(a, offer, floor)
}

// judgePrice is about the price that an answer commits to.
func (t *talk) judgePrice(a Answer, offer, floor int64) Promise {
	price := a.Commits()
	switch {
	case price > t.item.List:
		return AboveList
	case price < floor:
		return UnderTheFloor
	case a.Verdict == Accepted:
		return Kept
	case price > t.standing:
		return RisingCounter
	case price <= offer:
		return CounterUnderTheOffer
	}
	return Kept
}
