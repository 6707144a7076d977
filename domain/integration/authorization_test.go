package integration_test

import (
	"errors"
	"reflect"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

func asked() *integration.Authorization {
	return &integration.Authorization{
		State:       "hash",
		Account:     id.New[id.Account]([16]byte{1}),
		Project:     shop,
		Type:        integration.Shopify,
		RedirectURI: "https://merchant.example/back",
		CreatedAt:   noon,
	}
}

// Only the grant that a state was issued for redeems it, and only once. Refused grants do not use it up.
func TestAuthorization_Redeem(t *testing.T) {
	t.Parallel()
	right := integration.Grant{
		Account: asked().Account,
		Project: shop,
		Type:    integration.Shopify,
	}
	with := func(change func(*integration.Grant)) integration.Grant {
		g := right
		change(&g)
		return g
	}
	for name, c := range map[string]struct {
		grant integration.Grant
		after time.Duration
		want  error
	}{
		"at once":               {right, 0, nil},
		"in the last moment":    {right, integration.StateLife - time.Millisecond, nil},
		"too late":              {right, integration.StateLife, integration.ErrStateExpired},
		"far too late":          {right, integration.StateLife + time.Second, integration.ErrStateExpired},
		"the redirect repeated": {with(func(g *integration.Grant) { g.RedirectURI = asked().RedirectURI }), 0, nil},
		"another redirect":      {with(func(g *integration.Grant) { g.RedirectURI += "https://other.example" }), 0, integration.ErrState},
		"another type":          {with(func(g *integration.Grant) { g.Type = integration.HubSpot }), 0, integration.ErrState},
		"another project":       {with(func(g *integration.Grant) { g.Project = id.New[id.Project]([16]byte{9}) }), 0, integration.ErrState},
		"another account":       {with(func(g *integration.Grant) { g.Account = id.New[id.Account]([16]byte{9}) }), 0, integration.ErrState},
		"another's, too late":   {with(func(g *integration.Grant) { g.Type = integration.HubSpot }), time.Hour, integration.ErrState},
	} {
		a := asked()
		err := a.Redeem(c.grant, noon.Add(c.after))
		if !errors.Is(err, c.want) || (err == nil) == a.UsedAt.IsZero() {
			t.Errorf("%s: %v, used %s", name, err, a.UsedAt)
		}
		if err != nil {
			a.UsedAt = time.Time{}
			if !reflect.DeepEqual(a, asked()) {
				t.Errorf("%s: it is %+v", name, a)
			}
			continue
		}
		if err := a.Redeem(right, noon.Add(time.Hour)); !errors.Is(err, integration.ErrState) {
			t.Errorf("%s, again: %v", name, err)
		}
	}
}

func TestCheckRedirect(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]bool{
		"https://merchant.example/back":     true,
		"https://merchant.example/back?a=b": true,
		"http://127.0.0.1:3000/back":        true,
		"http://localhost/back":             true,
		"http://[::1]/back":                 true,
		"http://merchant.example/back":      false,
		"http://127.0.0.1.example/back":     false,
		"":                                  false,
		"merchant.example":                  false,
		"https://":                          false,
		"javascript:alert(1)":               false,
		"https://ada:pw@merchant.example":   false,
		"https://merchant.example/#there":   false,
	} {
		c := fault.NewCheck()
		integration.CheckRedirect(c, address)
		if err := c.Err(); (err == nil) != want {
			t.Errorf("%s: %v", address, err)
		}
	}
}

func TestCheckStore(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		of         integration.Type
		text, want string
		ok         bool
	}{
		{integration.Shopify, "", "", true},
		{integration.Shopify, "my-shop.myshopify.com", "my-shop.myshopify.com", true},
		{integration.Shopify, " HTTPS://My-Shop.myshopify.com/ ", "my-shop.myshopify.com", true},
		{integration.Shopify, "shop.example", "", false},
		{integration.Shopify, "evil.example/.myshopify.com", "", false},
		{integration.Shopify, "a@b.myshopify.com", "", false},
		{integration.Shopify, "a.myshopify.com:8080", "", false},
		{integration.Shopify, ".myshopify.com", "", false},
		{integration.HubSpot, "my-shop.myshopify.com", "", false},
		{integration.HubSpot, "", "", true},
	} {
		if got, err := integration.CheckStore(c.of, c.text); got != c.want || (err == nil) != c.ok {
			t.Errorf("%s %q: %q, %v", c.of, c.text, got, err)
		}
	}
}
