package checkout

import "strings"

// Address is where the goods go. Name is whole; First and Last are its parts where somebody gave them apart. ID is by what an
// agent selects it within its checkout; "": see Key.
type Address struct {
	ID                                                                       string
	Name, First, Last, Line1, Line2, City, State, PostalCode, Country, Phone string
}

// For is the address with a name, if there is any: it is made of the parts where only they were given, and an address
// without either takes those of the buyer.
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

// Names are the first and the last name, for those who want them apart. A name that was given whole is split at its last
// space; without one it is all last name.
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
