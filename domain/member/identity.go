package member

import "strings"

// Identity identifies a person at an OpenID Connect provider. Only the issuer and the subject together identify a
// person permanently, because email addresses change hands (OpenID Connect Core 1.0, section 5.7).
type Identity struct {
	Issuer  string
	Subject string
}

// longestSubject is the largest length of a subject in ASCII characters (OpenID Connect Core 1.0, section 2).
const longestSubject = 255

// Valid reports whether issuer and subject are well-formed.
func (i Identity) Valid() bool {
	printable := func(r rune) bool { return r >= ' ' && r < 0x7f }
	return i.Issuer != "" && i.Subject != "" && len(i.Subject) <= longestSubject &&
		!strings.ContainsFunc(i.Subject, func(r rune) bool { return !printable(r) })
}

// Vouched has a provider's claims about a person who signed in there.
type Vouched struct {
	Identity
	Email         string
	EmailVerified bool // by the provider
	Name          string
}

// Address returns the person's email address if the provider has verified one.
func (v Vouched) Address() (string, bool) {
	address, ok := Address(v.Email)
	return address, ok && v.EmailVerified
}

// Called returns the person's name, or a substitute for it.
func (v Vouched) Called() string {
	name := strings.TrimSpace(v.Name)
	if nameProblem(name) {
		name, _, _ = strings.Cut(v.Email, "@")
	}
	return name
}
