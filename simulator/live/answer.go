package live

// Item is one piece on sale. Prices are in minor units.
type Item struct{ List, Cost int64 }

// Kind is the kind of an answer to an offer.
type Kind uint8

// The kinds.
const (
	Rejected Kind = iota
	Countered
	Accepted
	NoAnswer // of which the Verdict tells why
)

// Answer is the server's to one offer, in minor units.
type Answer struct {
	Kind     Kind
	Price    int64 // agreed, or countered; with Rejected the hint
	Standing int64 // the price that stands after a rejection
	Over     bool  // no better answer will follow
}

// Setting is something that a report shows of the shop.
type Setting struct{ Name, Value string }
