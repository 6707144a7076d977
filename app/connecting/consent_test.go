package connecting_test

import (
	"cmp"
	"context"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/app/connecting"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

const back = "https://merchant.test/back"

func (f *fixture) begin(tb testing.TB, kind integration.Type, store string) connecting.Completion {
	tb.Helper()
	begun, err := f.service().Begin(tb.Context(), owner, shop, connecting.Begin{
		Type:        kind,
		RedirectURI: back,
		Store:       store,
	})
	if err != nil {
		tb.Fatal(err)
	}
	c := connecting.Completion{
		Type:  kind,
		Code:  "code",
		State: begun.State,
	}
	if kind.SignsCallback() {
		c.Callback = "code=code&hmac=0"
	}
	return c
}

func (f *fixture) complete(ctx context.Context, c connecting.Completion) (*integration.Integration, error) {
	s := f.service()
	prepared, err := s.PrepareCompletion(ports.NewOutbound(ctx), owner, shop.ID, c)
	if err != nil {
		return nil, err
	}
	return prepared.Commit(ctx, s.Stores)
}

func TestService_Begin_storesNoPlainSecret(t *testing.T) {
	t.Parallel()
	f := newFixture()
	begun, err := f.service().Begin(t.Context(), owner, shop, connecting.Begin{
		Type:        integration.Shopify,
		RedirectURI: back,
		Store:       "HTTPS://My-Shop.myshopify.com/",
	})
	if err != nil || begun.Life != 600*time.Second || len(begun.State) < 32 ||
		begun.URL != "https://platform.test/authorize?state="+begun.State+"&shop=my-shop.myshopify.com" {
		t.Fatalf("%+v, %v", begun, err)
	}
	for hash, a := range f.states {
		plain, err := f.Open(a.Verifier, "verifier of "+hash)
		if hash == begun.State || a.State != hash || err != nil || len(plain) < 43 || a.Account != owner || a.Project != shop.ID || a.RedirectURI != back {
			t.Errorf("kept %+v, %v", a, err)
		}
	}
}

func TestService_Begin_invalid(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		begin connecting.Begin
		want  string
	}{
		"a key's type":       {connecting.Begin{Type: integration.Stripe, RedirectURI: back}, "[type "},
		"no redirect":        {connecting.Begin{Type: integration.HubSpot}, "[redirect_uri is required]"},
		"a redirect by http": {connecting.Begin{Type: integration.HubSpot, RedirectURI: "http://merchant.test"}, "[redirect_uri "},
		"a shop that is a CRM": {connecting.Begin{
			Type:        integration.HubSpot,
			RedirectURI: back,
			Store:       "a.test",
		}, "[store_domain "},
		"a shop elsewhere": {connecting.Begin{
			Type:        integration.Shopify,
			RedirectURI: back,
			Store:       "a.test",
		}, "[store_domain "},
		"all that is wrong":     {connecting.Begin{Type: integration.Shopify, Store: "a.test"}, "[redirect_uri is required] [store_domain "},
		"without an app of our": {connecting.Begin{Type: integration.HubSpot, RedirectURI: back}, "HAGGLE_HUBSPOT_CLIENT_ID"},
	} {
		f := newFixture()
		s := f.service()
		if strings.HasPrefix(name, "without") {
			s.MissingApp = func(integration.Type) string { return "HAGGLE_HUBSPOT_CLIENT_ID" }
		}
		_, err := s.Begin(t.Context(), owner, shop, c.begin)
		if err == nil || !strings.Contains(err.Error(), c.want) || len(f.states) > 0 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// A state is valid for one completion by its owner. A completion that is refused does not use it up.
func TestService_Redeem_refusedStateStaysValid(t *testing.T) {
	t.Parallel()
	stranger, other := id.New[id.Account]([16]byte{8}), id.New[id.Project]([16]byte{9})
	for name, c := range map[string]struct {
		change  func(*connecting.Completion)
		account id.Account
		project id.Project
		want    string
	}{
		"another account":  {account: stranger, want: "invalid_state"},
		"another project":  {project: other, want: "invalid_state"},
		"another type":     {change: func(c *connecting.Completion) { c.Type = integration.HubSpot }, want: "invalid_state"},
		"another redirect": {change: func(c *connecting.Completion) { c.RedirectURI += back + "/" }, want: "invalid_state"},
		"another shop":     {change: func(c *connecting.Completion) { c.Store = "b.myshopify.com" }, want: "invalid_state"},
		"a callback of another shop": {change: func(c *connecting.Completion) { c.Callback = "shop=b.myshopify.com" },
			want: "invalid_state"},
		"an unknown state": {change: func(c *connecting.Completion) { c.State += "x" }, want: "invalid_state"},
		"no state":         {change: func(c *connecting.Completion) { c.State = "" }, want: "[state is required]"},
		"no code":          {change: func(c *connecting.Completion) { c.Code = "" }, want: "[code is required]"},
		"a key's type":     {change: func(c *connecting.Completion) { c.Type = integration.Custom }, want: "[type "},
		"no callback": {change: func(c *connecting.Completion) { c.Callback, c.Store = "", "a.myshopify.com" },
			want: "[code is not verified"},
	} {
		f := newFixture()
		good := f.begin(t, integration.Shopify, "a.myshopify.com")
		bad, account, of := good, owner, shop.ID
		if c.change != nil {
			c.change(&bad)
		}
		if !c.account.IsZero() {
			account = c.account
		}
		if !c.project.IsZero() {
			of = c.project
		}
		if _, err := f.service().Redeem(ports.NewOutbound(t.Context()), account, of, bad); err == nil || !strings.Contains(err.Error(), c.want) || f.platform.takeRequests() != "" {
			t.Errorf("%s: %v", name, err)
		}
		good.RedirectURI, good.Callback = back, "code=code&shop=a.myshopify.com"
		if _, err := f.complete(t.Context(), good); err != nil {
			t.Errorf("%s, and then its owner: %v", name, err)
		}
		if _, err := f.complete(t.Context(), good); !fault.Is(err, "invalid_state") {
			t.Errorf("%s, then its owner, twice: %v", name, err)
		}
	}
}

func TestService_Redeem_expiredState(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		f := newFixture()
		early, late := f.begin(t, integration.HubSpot, ""), f.begin(t, integration.HubSpot, "")
		time.Sleep(integration.StateLife - time.Millisecond)
		if _, err := f.complete(t.Context(), early); err != nil {
			t.Error(err)
		}
		time.Sleep(time.Millisecond)
		if _, err := f.complete(t.Context(), late); !fault.Is(err, "state_expired") {
			t.Error(err)
		}
	})
}

func TestService_Redeem_concurrent(t *testing.T) {
	t.Parallel()
	f := newFixture()
	c := f.begin(t, integration.HubSpot, "")
	results := make([]error, 20)
	var start, done sync.WaitGroup
	start.Add(1)
	for n := range results {
		done.Go(func() {
			start.Wait()
			_, results[n] = f.complete(t.Context(), c)
		})
	}
	start.Done()
	done.Wait()
	made := 0
	for _, err := range results {
		if err == nil {
			made++
		} else if !fault.Is(err, "invalid_state") {
			t.Error(err)
		}
	}
	if made != 1 || len(f.stored) != 1 || f.platform.takeRequests() != "exchange code; inspect code" {
		t.Errorf("%d made %+v", made, f.stored)
	}
}

func TestService_Redeem_platformError(t *testing.T) {
	t.Parallel()
	refuse := func(err error) func(*fixture) {
		return func(f *fixture) {
			f.platform.exchange = func(ports.CodeGrant) (integration.Credentials, error) { return integration.Credentials{}, err }
		}
	}
	for name, c := range map[string]struct {
		change func(*fixture)
		code   string
		says   string
	}{
		"the code is refused": {refuse(ports.ErrCredentialsRefused), "authorization_failed", "[code was rejected]"},
		"a right is missing":  {refuse(&ports.PlatformRefusal{Reason: "HubSpot wants more rights."}), "authorization_failed", "wants more rights"},
		"no answer":           {refuse(&ports.PlatformFailure{Reason: "HubSpot did not answer."}), "provider_unavailable", "Connect again"},
		"patience":            {refuse(ports.Throttled{After: time.Minute}), "provider_unavailable", "Connect again"},
		"the token is refused": {func(f *fixture) {
			f.platform.inspect = func(ports.Connection) (integration.Config, error) {
				return integration.Config{}, ports.ErrCredentialsRefused
			}
		}, "authorization_failed", "[code was rejected]"},
	} {
		f := newFixture()
		c.change(f)
		completion := f.begin(t, integration.HubSpot, "")
		if _, err := f.complete(t.Context(), completion); !fault.Is(err, c.code) || !strings.Contains(err.Error(), c.says) || f.stored != nil {
			t.Errorf("%s: %v", name, err)
		}
		if _, err := f.complete(t.Context(), completion); !fault.Is(err, "invalid_state") {
			t.Errorf("%s, again: %v", name, err)
		}
	}
}

func TestCompletion_shop(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		begun, given, callback string
		store, wrong           string
	}{
		"from the beginning":  {begun: "a.myshopify.com", store: "a.myshopify.com"},
		"at the end":          {given: "A.myshopify.com", store: "a.myshopify.com"},
		"from the callback":   {callback: "code=1&shop=a.myshopify.com&hmac=0", store: "a.myshopify.com"},
		"in two ways":         {given: "A.myshopify.com", callback: "shop=a.myshopify.com", store: "a.myshopify.com"},
		"in ways that differ": {given: "b.myshopify.com", callback: "shop=a.myshopify.com", wrong: "[store_domain is not"},
		"from nowhere":        {wrong: "[store_domain is required"},
		"from somewhere else": {callback: "shop=evil.test", wrong: "[store_domain must be"},
	} {
		f := newFixture()
		var exchanged ports.CodeGrant
		f.platform.exchange = func(g ports.CodeGrant) (integration.Credentials, error) { exchanged = g; return tokens("t"), nil }
		completion := f.begin(t, integration.Shopify, c.begun)
		completion.Store, completion.Callback = c.given, cmp.Or(c.callback, completion.Callback)
		i, err := f.complete(t.Context(), completion)
		switch {
		case c.wrong != "":
			if err == nil || !strings.Contains(err.Error(), c.wrong) {
				t.Errorf("%s: %v", name, err)
			}
		case err != nil || i.Config.Store != c.store || exchanged.Store != c.store || exchanged.Callback != completion.Callback || exchanged.RedirectURI != "https://haggle.test/oauth/callback" || len(exchanged.Verifier) < 43:
			t.Errorf("%s: %v, %+v", name, err, exchanged)
		}
	}
}

func TestService_PrepareCompletion_sameAccount(t *testing.T) {
	t.Parallel()
	f := newFixture()
	first, err := f.complete(t.Context(), f.begin(t, integration.HubSpot, ""))
	if err != nil || first.Expires.IsZero() {
		t.Fatal(err, first)
	}
	change := integration.Change{Name: patch.To("Our CRM"), SyncOrders: patch.To(false)}
	if _, _, err := f.service().Change(t.Context(), shop.ID, first.ID, change); err != nil {
		t.Fatal(err)
	}
	f.stored[0].Status, f.stored[0].LastError = integration.Failing, "refused"
	f.platform.exchange = func(g ports.CodeGrant) (integration.Credentials, error) {
		return integration.Credentials{Key: g.Code, Expires: now().Add(time.Hour)}, nil
	}
	second := f.begin(t, integration.HubSpot, "")
	second.Code = "other"
	if i, err := f.complete(t.Context(), second); err != nil || i.ID != first.ID {
		t.Fatal(err)
	}
	i, c := f.load(t, first.ID)
	if i.Status != integration.Connected || c.Key != "other" || i.Name != "Our CRM" || !i.Config.Skip.Orders || !i.Expires.Equal(c.Expires) {
		t.Errorf("consented again: %+v", i)
	}
	if err := disconnect(t, f.service(), first); err != nil {
		t.Fatal(err)
	}
	if i, err := f.complete(t.Context(), f.begin(t, integration.HubSpot, "")); err != nil || i.ID != first.ID || i.Name != "Our CRM" || !i.Config.Skip.Orders || i.Sealed == nil {
		t.Errorf("taken up again: %v, %+v", err, i)
	}
	f.platform.inspect = func(ports.Connection) (integration.Config, error) { return integration.Config{Account: "B"}, nil }
	if _, err := f.complete(t.Context(), f.begin(t, integration.HubSpot, "")); !fault.Is(err, "integration_exists") || len(f.stored) != 1 {
		t.Errorf("another account: %v", err)
	}
}

func TestService_PrepareConnect_byKey(t *testing.T) {
	t.Parallel()
	custom := integration.Draft{
		Type: integration.Custom, Credentials: integration.Custom.Given("k", ""),
		Config: integration.Config{BaseURL: "https://erp.test/api/"}, Change: integration.Change{SyncOrders: patch.To(false)},
	}
	f := newFixture()
	i, err := connect(t, f.service(), shop, custom)
	if err != nil || i.Config != (integration.Config{
		Account: "A",
		BaseURL: "https://erp.test/api",
		Skip:    integration.Skips{Orders: true},
	}) ||
		f.platform.takeRequests() != "inspect khttps://erp.test/api" {
		t.Fatalf("%v, %+v", err, i)
	}
	if _, err := connect(t, f.service(), shop, custom); !fault.Is(err, "integration_exists") || f.platform.takeRequests() != "" {
		t.Errorf("another: %v", err)
	}
	if rotated, err := rotate(t, f.service(), i, "k2", ""); err != nil || rotated.Config != i.Config || f.platform.takeRequests() != "inspect k2https://erp.test/api" {
		t.Errorf("another key: %v", err)
	}
	if _, c := f.load(t, i.ID); c.Key != "k2" {
		t.Errorf("it has %q", c.Key)
	}
	parcels := integration.Draft{Type: integration.ShipStation, Credentials: integration.ShipStation.Given("k", "s")}
	if _, err := connect(t, f.service(), shop, parcels); err != nil || f.platform.takeRequests() != "inspect k" {
		t.Errorf("parcels: %v", err)
	}
}

func TestService_PrepareConnect_systemRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		base   string
		answer error
		code   string
		says   string
	}{
		"no address":         {"", nil, "validation_error", "[config.base_url is required]"},
		"a private address":  {"https://10.0.0.1/api", nil, "validation_error", "[config.base_url must not lead to a private address]"},
		"an address by http": {"http://127.0.0.1:1", nil, "validation_error", "[config.base_url must be an https URL]"},
		"the key is refused": {"https://a.test", ports.ErrCredentialsRefused, "authorization_failed", "[credentials.api_key was rejected]"},
		"it is something else": {"https://a.test", &ports.PlatformRefusal{Reason: "Custom refused the request (404)."}, "authorization_failed",
			"refused the request (404)"},
		"no answer": {"https://a.test", &ports.PlatformFailure{Reason: "Custom did not answer in time."}, "provider_unavailable", "in time. Try again."},
		"busy":      {"https://a.test", ports.Throttled{After: time.Minute}, "provider_unavailable", "rate limit"},
	} {
		f := newFixture()
		f.platform.inspect = func(ports.Connection) (integration.Config, error) { return integration.Config{}, c.answer }
		_, err := connect(t, f.service(), shop, integration.Draft{
			Type:        integration.Custom,
			Credentials: integration.Custom.Given("k", ""),
			Config:      integration.Config{BaseURL: c.base},
		})
		if !fault.Is(err, c.code) || !strings.Contains(err.Error(), c.says) || f.stored != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	f := newFixture()
	if _, err := connect(t, f.service(), &project.Project{}, integration.Draft{Type: integration.Shopify}); err == nil || !strings.Contains(err.Error(), "[type ") {
		t.Errorf("a type of consent: %v", err)
	}
	home := f.service()
	home.Rules.AllowLoopback = true
	if _, err := connect(t, home, shop, integration.Draft{
		Type:        integration.Custom,
		Credentials: integration.Custom.Given("k", ""),
		Config:      integration.Config{BaseURL: "http://127.0.0.1:1"},
	}); err != nil {
		t.Errorf("at home: %v", err)
	}
}

// A request that is refused with 503 overloaded does not use up its OAuth state.
func TestRedeem_withoutRoomKeepsTheState(t *testing.T) {
	t.Parallel()
	f := newFixture()
	c, s := f.begin(t, integration.Shopify, "my-shop.myshopify.com"), f.service()
	s.Waiting = bulkhead.NewRoom(bulkhead.Shares{})
	if _, err := s.Redeem(ports.NewOutbound(t.Context()), owner, shop.ID, c); !fault.Is(err, "overloaded") {
		t.Fatalf("without room: %v", err)
	}
	if _, err := f.complete(t.Context(), c); err != nil {
		t.Errorf("again: %v", err)
	}
}
