// Package dealtoken derives checkout tokens, which redeem an agreed price. It stores nothing.
//
// A token is derived from the master key and a random salt that is stored with the quote. So the buyer who made the deal can be
// shown it again although no token is stored, and neither the database nor the master key alone reveals one.
package dealtoken

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Prefix begins every token.
const Prefix = "ct_"

// Tokens derives the tokens of quotes. The zero Tokens makes random ones, which cannot be derived again.
type Tokens struct{ Secrets ports.DerivedSecrets }

// New returns the token of a new quote. salt is 160 random bits, as text.
func (t Tokens) New(of id.Quote, salt string) string {
	if t.Secrets == nil {
		return Prefix + salt
	}
	return t.derived(of, salt)[0]
}

// Of derives the token of a quote again; hash is the token's. It returns "" if the master key that the token was made with is
// gone.
func (t Tokens) Of(quote id.Quote, salt, hash string) string {
	if t.Secrets == nil || salt == "" {
		return ""
	}
	tokens := t.derived(quote, salt)
	if i := slices.IndexFunc(tokens, func(token string) bool { return id.Hash(token) == hash }); i >= 0 {
		return tokens[i]
	}
	return ""
}

// derived returns the quote's tokens under each of the master keys, the newest first.
func (t Tokens) derived(of id.Quote, salt string) []string {
	tokens := t.Secrets.Derive(of.String()+" "+salt, "checkout token")
	for i, secret := range tokens {
		tokens[i] = Prefix + secret
	}
	return tokens
}
