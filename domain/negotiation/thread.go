package negotiation

import (
	"math/bits"

	"github.com/haggle-commerce/haggle/domain/money"
)

// ThreadState is the state of a negotiation about an item in a session.
type ThreadState struct{ name string }

var (
	ThreadDeal = ThreadState{"deal"} // an offer was accepted, whether it was paid or not
	ThreadLeft = ThreadState{"left"} // no deal, and the buyer declined the last price or its session is over
	ThreadOpen = ThreadState{"open"} // no deal yet, and the session is active
)

// ThreadStates are all states by name.
var ThreadStates = map[string]ThreadState{"deal": ThreadDeal, "left": ThreadLeft, "open": ThreadOpen}

func (s ThreadState) String() string { return s.name }

// SessionState returns the combined state of a session's negotiations: deal if one has a deal, else open if one is
// open, else left.
func SessionState(of []ThreadState) ThreadState {
	all := ThreadLeft
	for _, s := range of {
		switch {
		case s == ThreadDeal:
			return ThreadDeal
		case s == ThreadOpen:
			all = ThreadOpen
		}
	}
	return all
}

// OffList returns by how much a price is below the list price, in thousandths of it, rounded down; 0 if it is not
// below.
func OffList(list, price money.Amount) int64 {
	off := list.Minor() - price.Minor()
	if !list.IsPositive() || off <= 0 {
		return 0
	}
	high, low := bits.Mul64(uint64(min(off, list.Minor())), 1000)
	share, _ := bits.Div64(high, low, uint64(list.Minor()))
	return int64(share)
}
