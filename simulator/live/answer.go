package live

// Item is a product with its prices in minor units.
type Item struct{ List, Cost int64 }

// Kind is the kind of answer to an offer.
type Kind uint8

// The kinds.
const (
	Rejected Kind = iota
	Countered
	Accepted
	NoAnswer // the Verdict has the reason
)

// Answer is the server's answer to one offer, in minor units.
type Answer struct {
	Kind         Kind
	Price        int64 // the agreed price, the counter, or with Rejected the hint
	CurrentPrice int64 // the price that still holds after a rejection
	Over         bool  // no better answer will follow
}

// Setting is a setting of the shop that a report shows.
type Setting struct{ Name, Value string }
