package member

import "strings"

// Identity is who a person is to an OpenID Connect provider. Of all claims only the issuer and the subject together name a
// person for good: e-mail addresses change hands (OpenID Connect Core 1.0, section 5.7).
type Identity struct {
	Issuer  string
	Subject string
}

// longestSubject is how many ASCII characters a subject has at most (OpenID Connect Core 1.0, section 2).
const longestSubject = 255

// Valid reports whether the identity can be one.
func (i Identity) Valid() bool {
	printable := func(r rune) bool { return r >= ' ' && r < 0x7f }
	return i.Issuer != "" && i.Subject != "" && len(i.Subject) <= longestSubject &&
		!strings.ContainsFunc(i.Subject, func(r rune) bool { return !printable(r) })
}

// Vouched is what a provider says of somebody who signed in there.
type Vouched struct {
	Identity
	Email         string
	EmailVerified bool // the provider made sure that the address is the person's
	Name          string
}

// Address is the person's e-mail address, if the provider has verified one.
func (v Vouched) Address() (string, bool) {
	address, ok := Address(v.Email)
	return address, ok && v.EmailVerified
}

// Called is the person's name, or what stands for it.
func (v Vouched) Called() string {
	name := strings.TrimSpace(v.Name)
	if nameProblem(name) {
		name, _, _ = strings.Cut(v.Email, "@")
	}
	return name
}
