package shopify

import (
	"context"
	"encoding/hex"
	"fmt"
	"maps"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"golang.org/x/oauth2"

	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/ports"
)

// scopes are the permissions that a merchant grants: to read, and to write our orders.
const scopes = "read_products,read_inventory,read_locations,read_orders,read_customers,write_orders," +
	"read_merchant_managed_fulfillment_orders,write_merchant_managed_fulfillment_orders"

// callbackLife and clockSkew limit the age of a callback, and how far its time may be in the future. A callback may be as old as its
// state, because the merchant may have to copy it manually.
const (
	callbackLife = integration.StateLife
	clockSkew    = 2 * time.Minute
)

func (c *Connector) app(address string) *oauth2.Config {
	return &oauth2.Config{
		ClientID:     c.ClientID,
		ClientSecret: c.ClientSecret,
		Scopes:       []string{scopes},
		Endpoint: oauth2.Endpoint{
			AuthURL: address + "/admin/oauth/authorize", TokenURL: address + "/admin/oauth/access_token",
			AuthStyle: oauth2.AuthStyleInParams,
		},
	}
}

// NeedsStore reports whether the merchant must name the shop, because no URL replaces the addresses of all shops.
func (c *Connector) NeedsStore() bool { return c.URL == "" }

// Consent returns the address for consent at the shop. Shopify does not support PKCE.
func (c *Connector) Consent(g ports.Consent) (string, error) {
	app := c.app(c.URL)
	if c.NeedsStore() {
		address, err := c.address(g.Store)
		if err != nil {
			return "", err
		}
		app = c.app(address)
	}
	app.RedirectURL = g.RedirectURI
	var options []oauth2.AuthCodeOption
	if c.URL != "" && g.Store != "" { // one address for all shops
		options = append(options, oauth2.SetAuthURLParam("shop", g.Store))
	}
	return app.AuthCodeURL(g.State, options...), nil
}

// Exchange exchanges an authorization code at the shop that the callback names. It first checks Shopify's signature of the
// callback, as Shopify requires of apps (https://shopify.dev/apps/auth/oauth/making-requests, read on 2026-11-23).
func (c *Connector) Exchange(ctx ports.Outbound, g ports.CodeGrant) (integration.Credentials, error) {
	shop, err := c.checkCallback(g)
	if err != nil {
		return integration.Credentials{}, err
	}
	address, err := c.address(shop)
	if err != nil {
		return integration.Credentials{}, err
	}
	// A public app must request a token that expires (About offline access tokens, read 2026-11-28). A custom app need not.
	var options []oauth2.AuthCodeOption
	if !c.Custom {
		options = append(options, oauth2.SetAuthURLParam("expiring", "1"))
	}
	return c.token(ctx, func(ctx context.Context) (*oauth2.Token, error) {
		return c.app(address).Exchange(ctx, g.Code, options...)
	})
}

// Refresh replaces a token that expires. Tokens live an hour, and refresh tokens 90 days; each use replaces the refresh token.
func (c *Connector) Refresh(ctx ports.Outbound, conn ports.Connection) (integration.Credentials, error) {
	if conn.Credentials.Refresh == "" {
		return integration.Credentials{}, ports.ErrCredentialsRefused
	}
	address, err := c.address(conn.Store)
	if err != nil {
		return integration.Credentials{}, err
	}
	old := &oauth2.Token{RefreshToken: conn.Credentials.Refresh}
	return c.token(ctx, func(ctx context.Context) (*oauth2.Token, error) { return c.app(address).TokenSource(ctx, old).Token() })
}

func (c *Connector) token(ctx context.Context, ask func(context.Context) (*oauth2.Token, error)) (integration.Credentials, error) {
	now := c.Clock.Now()
	token, err := c.platform.Token(ctx, ask)
	if err != nil {
		return integration.Credentials{}, err
	}
	credentials := integration.Credentials{Key: token.AccessToken, Refresh: token.RefreshToken}
	if token.ExpiresIn > 0 && token.RefreshToken != "" {
		credentials.Expires = now.Add(time.Duration(token.ExpiresIn) * time.Second)
	}
	return credentials, nil
}

// CheckCallback checks Shopify's signature of a callback and its parameters.
func (c *Connector) CheckCallback(g ports.CodeGrant) error {
	_, err := c.checkCallback(g)
	return err
}

// checkCallback checks that the callback is signed by Shopify, recent and matches the grant, and returns the shop.
func (c *Connector) checkCallback(g ports.CodeGrant) (string, error) {
	refuse := func(what string) (string, error) {
		return "", fmt.Errorf("%w: the callback's %s", ports.ErrCredentialsRefused, what)
	}
	query, err := url.ParseQuery(strings.TrimPrefix(g.Callback, "?"))
	if err != nil || !c.signed(query) {
		return refuse("signature is wrong")
	}
	seconds, err := strconv.ParseInt(query.Get("timestamp"), 10, 64)
	sent, now := time.Unix(seconds, 0), c.Clock.Now()
	shop := query.Get("shop")
	switch {
	case err != nil || sent.Before(now.Add(-callbackLife)) || sent.After(now.Add(clockSkew)):
		return refuse("time is past")
	case query.Get("code") != g.Code:
		return refuse("code is another")
	case query.Get("state") != g.State:
		return refuse("state is another")
	case !storeForm.MatchString(shop) || g.Store != "" && shop != g.Store:
		return refuse("shop is another")
	}
	return shop, nil
}

// signed checks a callback's signature over all other parameters in sorted order. Shopify's own libraries differ in
// whether they encode values; both forms are unambiguous.
func (c *Connector) signed(query url.Values) bool {
	given, err := hex.DecodeString(query.Get("hmac"))
	if err != nil {
		return false
	}
	rest := url.Values{}
	var pairs []string
	for _, key := range slices.Sorted(maps.Keys(query)) {
		if len(query[key]) != 1 {
			return false
		}
		if key == "hmac" || key == "signature" {
			continue
		}
		rest.Set(key, query.Get(key))
		pairs = append(pairs, keyText.Replace(key)+"="+valueText.Replace(query.Get(key)))
	}
	for _, text := range []string{strings.Join(pairs, "&"), rest.Encode()} {
		if c.signedByApp([]byte(text), given) {
			return true
		}
	}
	return false
}

var (
	keyText   = strings.NewReplacer("%", "%25", "&", "%26", "=", "%3D")
	valueText = strings.NewReplacer("%", "%25", "&", "%26")
)
