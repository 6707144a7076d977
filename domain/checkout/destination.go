package checkout

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// firstDestination is the ID of an address that has none: those of Haggle's own protocol and of older programs.
const firstDestination = "dest_1"

// ErrDestination means that a request selects a destination that it does not have, and that is not the checkout's.
var ErrDestination = fault.New(fault.Conflict, "destination_unknown",
	"The selected destination is none of those that were sent, and not the checkout's.")

// IsZero reports whether nothing is known of an address. Its ID alone is nothing.
func (a Address) IsZero() bool { return a.Place() == Address{} }

// Place is the address without its ID, which names it within its checkout alone.
func (a Address) Place() Address {
	a.ID = ""
	return a
}

// Key is by what an agent selects the address of a checkout.
func (a Address) Key() string { return cmp.Or(a.ID, firstDestination) }

// Choose is the address that a request selects among those that it sends, or else the one that the checkout holds. An ID alone
// stands for the one held. Without a selection it is the first. An address that is sent alone, without an ID, gets the selected
// one. Nothing sent and nothing selected is no address.
func Choose(sent []Address, selected string, held Address) (Address, error) {
	switch {
	case selected == "" && len(sent) == 0:
		return Address{}, nil
	case selected == "":
		return resolve(sent[0], held)
	}
	at := slices.IndexFunc(sent, func(a Address) bool { return a.ID == selected })
	switch {
	case at >= 0:
		return resolve(sent[at], held)
	case len(sent) == 1 && sent[0].ID == "" && !sent[0].IsZero():
		only := sent[0]
		only.ID = selected
		return only, nil
	}
	return resolve(Address{ID: selected}, held)
}

// resolve is an address, or the one that an ID alone stands for.
func resolve(a, held Address) (Address, error) {
	switch {
	case !a.IsZero(), a.ID == "":
		return a, nil
	case held.IsZero() || held.Key() != a.ID:
		return Address{}, ErrDestination
	}
	return held, nil
}

// named is the address with an ID. The same address keeps the one that it had before, another one gets that of the revision.
func (a Address) named(before Address, revision int) Address {
	if a.IsZero() {
		return Address{}
	}
	if a.ID == "" {
		a.ID = "dest_" + strconv.Itoa(revision)
		if a.Place() == before.Place() {
			a.ID = before.Key()
		}
	}
	return a
}
