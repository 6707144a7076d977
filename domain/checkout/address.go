package checkout

import "strings"

// Address is a shipping address. Name is the full name; First and Last are its parts if they were given separately. An
// agent selects an address within its checkout by ID; "": see Key.
type Address struct {
	ID                                                                       string
	Name, First, Last, Line1, Line2, City, State, PostalCode, Country, Phone string
}

// For returns the address with a full name. The name is built from the parts if only they were given, and taken from
// the buyer if the address has no name.
func (a Address) For(b Buyer) Address {
	blank := func(text string) bool { return strings.TrimSpace(text) == "" }
	if blank(a.Name) && blank(a.First) && blank(a.Last) {
		a.First, a.Last = b.First, b.Last
	}
	if blank(a.Name) {
		a.Name = strings.TrimSpace(strings.TrimSpace(a.First) + " " + strings.TrimSpace(a.Last))
	}
	return a
}

// Names returns the first and the last name. A full name is split at its last space; without a space it is the last
// name.
func (a Address) Names() (first, last string) {
	if a.First != "" || a.Last != "" {
		return a.First, a.Last
	}
	name := strings.TrimSpace(a.Name)
	at := strings.LastIndexByte(name, ' ')
	if at < 0 {
		return "", name
	}
	return strings.TrimSpace(name[:at]), name[at+1:]
}
