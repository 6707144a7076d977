package woocommerce_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
)

func TestConnector_calledConnector(t *testing.T) {
	t.Parallel()
	adaptertest.CalledConnector(t, func(t *testing.T) adaptertest.CalledWorld {
		s, p, c, connection := connect(t)
		return adaptertest.CalledWorld{
			CalledConnector: c,
			Connection:      connection,
			Platform:        p,
			Topic:           "product.updated",
			Timeless:        true,
			Hooks:           func() int { return len(s.hooks) },
			Call: func(_ *testing.T, signing string, at time.Time) (ports.Call, string) {
				payload := []byte(`{"id": 12, "type": "simple", "status": "publish", "name": "Tent", "sku": "T", "price": "1.00"}`)
				return call("product.updated", signing, payload, at), "12"
			},
		}
	})
}

// Registering a webhook again replaces its secret, because the old one is unknown.
func TestRegister_again(t *testing.T) {
	t.Parallel()
	s, _, c, connection := connect(t)
	_, first, err := c.Register(ports.NewOutbound(t.Context()), connection, "order.created", "https://h.example/1")
	_, second, e2 := c.Register(ports.NewOutbound(t.Context()), connection, "order.created", "https://h.example/1")
	if err != nil || e2 != nil || first == second || len(s.hooks) != 1 || s.hooks[0]["secret"] != second {
		t.Errorf("%v, %v: %q, then %q; the shop has %v", err, e2, first, second, s.hooks)
	}
}

func TestNews(t *testing.T) {
	t.Parallel()
	s, _, c, connection := connect(t)
	jacket(s)
	for payload, want := range map[string]string{
		`product.deleted {"id": 7}`: "products 7 gone",
		`product.updated {"id": 7, "type": "simple", "status": "publish", "name": "N", "sku": "S", "manage_stock": true, "stock_quantity": 2}`: "products 7, inventory 7",
		`product.updated {"id": 50, "type": "variable", "status": "publish", "name": "Jacket", "sku": "J"}`:                                    "products 50, inventory 51, inventory 52, inventory 53",
		`product.updated {"id": 51, "type": "variation", "parent_id": 50}`:                                                                     "products 50, inventory 51, inventory 52, inventory 53",
		`order.created {"id": 9, "number": "9"}`:                                                                                               "orders 9",
		`order.deleted {"id": 9}`:                                                                                                              "orders 9 gone",
		`customer.updated {"id": 3}`:                                                                                                           "customers 3",
		`coupon.updated {"id": 3}`:                                                                                                             "refused",
		`order.created {"number": "9"}`:                                                                                                        "refused",
		`order.created webhook_id=1`:                                                                                                           "refused",
	} {
		topic, body, _ := strings.Cut(payload, " ")
		records, err := c.News(ports.NewOutbound(t.Context()), connection, topic, changed, []byte(body))
		var found []string
		for _, r := range records {
			text := r.Resource.String() + " " + r.Remote
			if r.Deleted {
				text += " gone"
			}
			if r.Problem != "" {
				text += " " + r.Problem
			}
			found = append(found, text)
		}
		var refusal *ports.PlatformRefusal
		if errors.As(err, &refusal) {
			found = []string{"refused"}
		} else if err != nil {
			t.Errorf("%s: %v", payload, err)
		}
		if got := strings.Join(found, ", "); got != want {
			t.Errorf("%s: %s, want %s", payload, got, want)
		}
	}
}
