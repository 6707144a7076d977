// Package personalization names the personal signals that can move a price, and has a shop's rules for them by region: whether
// they count, and the text that is shown with a price that they moved. It computes no prices.
package personalization

import (
	"slices"
	"strings"
)

// Signals is a set of personal signals: inputs of a price that are about one buyer or its device. The zero Signals is
// the empty set.
type Signals struct{ bits uint8 }

// The personal signals. Claims are what the buyer's agent says; the shop's own systems know the verified ones. The
// limit on probing counts the sessions of one client.
var (
	ClaimedLoyalty    = Signals{1}
	ClaimedPurchases  = Signals{2}
	ClaimedUrgency    = Signals{4}
	VerifiedLoyalty   = Signals{8}
	VerifiedPurchases = Signals{16}
	ProbingLimit      = Signals{32}
)

// Each returns the set of every personal signal, in a fixed order.
func Each() []Signals {
	return []Signals{ClaimedLoyalty, ClaimedPurchases, ClaimedUrgency, VerifiedLoyalty, VerifiedPurchases, ProbingLimit}
}

// names are those of Each, in its order.
var names = [...]string{"claimed_loyalty", "claimed_purchases", "claimed_urgency", "verified_loyalty", "verified_purchases", "probing_limit"}

// And returns the signals in either set.
func (s Signals) And(other Signals) Signals { return Signals{s.bits | other.bits} }

// Without returns the signals that are not in other.
func (s Signals) Without(other Signals) Signals { return Signals{s.bits &^ other.bits} }

// Has reports whether all signals of other are in the set.
func (s Signals) Has(other Signals) bool { return s.bits&other.bits == other.bits }

// Any reports whether the set has a signal.
func (s Signals) Any() bool { return s.bits != 0 }

// Names returns the names of the signals in the set, in the order of Each.
func (s Signals) Names() []string {
	list := []string{}
	for i, one := range Each() {
		if s.Has(one) {
			list = append(list, names[i])
		}
	}
	return list
}

// String returns the names with commas between them, or "" for the empty set.
func (s Signals) String() string { return strings.Join(s.Names(), ",") }

// StoredSignals reads what String wrote. It ignores unknown names.
func StoredSignals(text string) (s Signals) {
	for name := range strings.SplitSeq(text, ",") {
		for i, one := range Each() {
			if names[i] == name {
				s = s.And(one)
			}
		}
	}
	return s
}

// Use is how personal signals took part in a price. The zero Use is a price that they did not move.
type Use struct {
	Signals Signals
	Region  string // of the buyer when the price was made; "" if no signal moved it
}

// Notice informs a buyer about a price that personal signals moved.
type Notice struct {
	Signals    Signals
	Disclosure string // "": the shop's rules require no text
}

// Together returns one notice for several: all their signals, and each text once, on lines of their own. It skips those that are nil,
// and returns nil if all are.
func Together(notices []*Notice) (all *Notice) {
	var texts []string
	for _, n := range notices {
		if n == nil {
			continue
		}
		if all == nil {
			all = &Notice{}
		}
		if all.Signals = all.Signals.And(n.Signals); n.Disclosure != "" && !slices.Contains(texts, n.Disclosure) {
			texts = append(texts, n.Disclosure)
		}
	}
	if all != nil {
		all.Disclosure = strings.Join(texts, "\n")
	}
	return all
}
