// Package dealtoken makes checkout tokens, by which an agreed price is redeemed.
//
// A token is derived from the master key and a random salt that its quote keeps. So it can be shown again to whoever made the
// deal, no token is stored, and neither the database nor the master key alone tells one.
package dealtoken

import (
	"slices"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Prefix begins every token.
const Prefix = "ct_"

// Tokens are those of all quotes. The zero Tokens make random ones, which cannot be made again.
type Tokens struct{ Secrets ports.DerivedSecrets }

// New makes the token of a quote. salt is 160 random bits, as text.
func (t Tokens) New(of id.Quote, salt string) string {
	if t.Secrets == nil {
		return Prefix + salt
	}
	return t.derived(of, salt)[0]
}

// Of is a quote's token, which has the hash; "" if the key that it was made with is gone.
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

// derived are the quote's tokens under each of the master keys, the newest first.
func (t Tokens) derived(of id.Quote, salt string) []string {
	tokens := t.Secrets.Derive(of.String()+" "+salt, "checkout token")
	for i, secret := range tokens {
		tokens[i] = Prefix + secret
	}
	return tokens
}
