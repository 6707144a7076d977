package dealtoken_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/app/dealtoken"
	"github.com/haggle-commerce/haggle/domain/id"
)

// keys are master keys, the newest first.
type keys []string

func (k keys) Derive(text, purpose string) []string {
	secrets := make([]string, len(k))
	for i, key := range k {
		secrets[i] = id.Hash(key + purpose + text)
	}
	return secrets
}

// A token can be derived again while its master key, salt and quote are known.
func TestTokens_Of(t *testing.T) {
	t.Parallel()
	of, other := id.New[id.Quote]([16]byte{1}), id.New[id.Quote]([16]byte{2})
	old, rotated := dealtoken.Tokens{Secrets: keys{"a"}}, dealtoken.Tokens{Secrets: keys{"b", "a"}}
	token := old.New(of, "salt")
	hash := id.Hash(token)
	for name, got := range map[string]string{
		"under its key":        old.Of(of, "salt", hash),
		"after a newer key":    rotated.Of(of, "salt", hash),
		"of random ones, none": token + (dealtoken.Tokens{}).Of(of, "salt", hash),
	} {
		if got != token {
			t.Errorf("%s: %q, want %q", name, got, token)
		}
	}
	for name, got := range map[string]string{
		"another quote's":   old.Of(other, "salt", hash),
		"another salt":      old.Of(of, "pepper", hash),
		"no salt":           old.Of(of, "", hash),
		"its key is gone":   dealtoken.Tokens{Secrets: keys{"b"}}.Of(of, "salt", hash),
		"the same by a new": map[bool]string{true: "the same"}[rotated.New(of, "salt") == token],
	} {
		if got != "" {
			t.Errorf("%s: %q", name, got)
		}
	}
}
