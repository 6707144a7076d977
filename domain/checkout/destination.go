package checkout

import (
	"cmp"
	"slices"
	"strconv"

	"github.com/haggle-commerce/haggle/domain/fault"
)

// firstDestination is the ID of an address without one: addresses of Haggle's own protocol and of older versions.
const firstDestination = "dest_1"

// ErrDestination means that a request selects a destination that is neither in the request nor the checkout's.
var ErrDestination = fault.New(fault.Conflict, "destination_unknown",
	"The selected destination is neither one of the destinations sent nor the checkout's.")

// IsZero reports whether the address is empty. An ID alone counts as empty.
func (a Address) IsZero() bool { return a.Place() == Address{} }

// Place returns the address without its ID, which is valid only within its checkout.
func (a Address) Place() Address {
	a.ID = ""
	return a
}

// Key returns the ID by which an agent selects the address of a checkout.
func (a Address) Key() string { return cmp.Or(a.ID, firstDestination) }

// Choose returns the selected address among those in a request, or else the one that the checkout has. An ID alone
// refers to the checkout's address. Without a selection it returns the first address. A single address without an ID
// gets the selected ID. It returns the zero Address if nothing is sent or selected.
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

// resolve returns an address, or the held address if a has only its ID.
func resolve(a, held Address) (Address, error) {
	switch {
	case !a.IsZero(), a.ID == "":
		return a, nil
	case held.IsZero() || held.Key() != a.ID:
		return Address{}, ErrDestination
	}
	return held, nil
}

// named returns the address with an ID: the previous ID if the address is unchanged, or else that of the revision.
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
