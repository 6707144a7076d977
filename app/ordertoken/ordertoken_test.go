package ordertoken_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/app/ordertoken"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
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

func under(k ...string) ordertoken.Tokens { return ordertoken.Tokens{Secrets: keys(k)} }

func placed(n byte, by ordertoken.Tokens) *order.Order {
	o := &order.Order{ID: id.New[id.Order]([16]byte{n})}
	by.Assign(o, "salt")
	return o
}

// A token opens only the order that it was issued for.
func TestTokens_Opens(t *testing.T) {
	t.Parallel()
	tokens := under("a")
	mine, other := placed(1, tokens), placed(2, tokens)
	token := tokens.Of(mine)
	if token != tokens.Of(mine) || !tokens.Opens(mine, token) || !tokens.ShowsReceipt(mine, order.ReceiptCode(token)) {
		t.Errorf("%s is not the order's", token)
	}
	elsewhere := *mine
	under("b").Assign(&elsewhere, "salt")
	salted := *mine
	tokens.Assign(&salted, "another salt")
	for name, opened := range map[string]bool{
		"another order's":         tokens.Opens(other, token),
		"another order's receipt": tokens.ShowsReceipt(other, order.ReceiptCode(token)),
		"none":                    tokens.Opens(mine, "") || tokens.ShowsReceipt(mine, ""),
		"the receipt's code":      tokens.Opens(mine, order.ReceiptCode(token)),
		"the hash":                tokens.Opens(mine, mine.TokenHash) || tokens.ShowsReceipt(mine, mine.TokenHash),
		"the order's id":          tokens.Opens(mine, mine.ID.String()),
		"one of a foreign key":    tokens.Opens(mine, under("b").Of(&elsewhere)),
		"one of another salt":     tokens.Opens(mine, tokens.Of(&salted)),
		"the token for a receipt": tokens.ShowsReceipt(mine, token),
	} {
		if opened {
			t.Errorf("%s opens it", name)
		}
	}
}

func TestTokens_masterKeyReplaced(t *testing.T) {
	t.Parallel()
	before := under("old")
	o := placed(1, before)
	token := before.Of(o)
	if both := under("new", "old"); both.Of(o) != token || !both.Opens(o, token) {
		t.Error("a new master key changes the tokens of orders while the old one is there")
	}
	after := under("new")
	if !after.Opens(o, token) || !after.ShowsReceipt(o, order.ReceiptCode(token)) {
		t.Error("tokens end with their master key")
	}
	if again := after.Of(o); again == token || again != after.Of(o) || !after.Opens(o, again) {
		t.Errorf("finalize answers %s once the key is gone", again)
	}
}

func TestTokens_orderWithoutToken(t *testing.T) {
	t.Parallel()
	tokens := under("a")
	o := &order.Order{ID: id.New[id.Order]([16]byte{1})}
	if tokens.Of(o) != "" || tokens.Opens(o, "") || tokens.Opens(o, order.ManageToken("")) || tokens.ShowsReceipt(o, "") {
		t.Errorf("it has the token %q", tokens.Of(o))
	}
}
