package order_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

func TestManageToken(t *testing.T) {
	t.Parallel()
	token, other := order.ManageToken("secret"), order.ManageToken("secreu")
	if !strings.HasPrefix(token, "om_") || !strings.HasPrefix(order.ReceiptCode(token), "rc_") {
		t.Errorf("%s, %s", token, order.ReceiptCode(token))
	}
	if order.HashToken(token) != order.HashReceiptCode(order.ReceiptCode(token)) {
		t.Error("a token and its receipt code have two hashes")
	}
	if order.ReceiptCode(token) == order.ReceiptCode(other) || order.HashToken(token) == order.HashToken(other) {
		t.Error("two tokens are one")
	}
	for _, shown := range []string{order.ReceiptCode(token), order.HashToken(token)} {
		if strings.Contains(shown, "secret") {
			t.Errorf("%s shows the token", shown)
		}
	}
}

func TestPlacedIn(t *testing.T) {
	t.Parallel()
	session := id.New[id.Session]([16]byte{1})
	o := order.Order{Session: session}
	for text, want := range map[string]bool{session.String(): true, "": false, "sess_": false, session.String() + "0": false} {
		if o.PlacedIn(text) != want {
			t.Errorf("%q: %t", text, !want)
		}
	}
	if (&order.Order{}).PlacedIn("") {
		t.Error("an order without a session is anybody's")
	}
}
