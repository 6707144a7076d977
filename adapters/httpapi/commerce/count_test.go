package commerce_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/netip"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/adapters/httpsig"
	"github.com/haggle-commerce/haggle/app/identity"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/agentkey"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/signing"
	"github.com/haggle-commerce/haggle/ports"
)

// countingLimiter remembers the counted keys and how much each was charged.
type countingLimiter struct {
	ports.Limiter
	counted []string
	full    bool
}

func (c *countingLimiter) Allow(ctx context.Context, key string, r ports.Rate) ports.Verdict {
	return c.AllowN(ctx, key, r, 1)
}

func (c *countingLimiter) AllowN(_ context.Context, key string, _ ports.Rate, n int) ports.Verdict {
	c.counted = append(c.counted, fmt.Sprintf("%s ×%d", key, n))
	return ports.Verdict{Allowed: !c.full, RetryAfter: time.Second}
}

// fakeStorefronts has one shop.
type fakeStorefronts struct {
	ports.Storefronts
	shop *project.Project
}

func (s fakeStorefronts) BySlug(context.Context, string) (*project.Project, error) {
	return s.shop, nil
}

// fakeAgentKeys has one agent key, for a profile.
type fakeAgentKeys struct {
	ports.AgentKeys
	secret, profile string
}

func (k fakeAgentKeys) ByHash(_ context.Context, _ id.Project, hash [32]byte) (*agentkey.Key, error) {
	if ours, _ := agentkey.Hash(k.secret); hash != ours {
		return nil, fault.Missing("agent_key")
	}
	return &agentkey.Key{Profile: k.profile}, nil
}

// A request is counted once: for the agent that signed it or sent its key, or else for the address that it comes from.
func TestServices_Mount_countsRequestOnce(t *testing.T) {
	t.Parallel()
	const profile, from = "https://agent.example/p", "198.51.100.7"
	key, err := signing.ParsePrivate(bytes.Repeat([]byte{1}, signing.PrivateSize))
	if err != nil {
		t.Fatal(err)
	}
	served := capability.Served(capability.V20260825, capability.Name{})
	agent := agentid.Profile{
		URL:      profile,
		Declares: served,
		Keys:     []agentid.Key{{ID: key.Public().Thumbprint(), Public: key.Public(), Signs: true}},
	}
	shop := &project.Project{ID: id.New[id.Project]([16]byte{7}), Slug: "demo"}
	address, platform := "acp "+shop.ID.String()+" "+from, "acp "+shop.ID.String()+" agent "+id.Hash("https://agent.example")
	sign := func(r *http.Request) {
		r.Header.Set("Content-Digest", httpsig.Digest([]byte(`{}`)))
		covered := []string{"@method", "@authority", "@path", "ucp-agent", "content-digest", "content-type"}
		u := *r.URL
		u.Scheme, u.Host = "https", "shops.example.com"
		if err := httpsig.Sign(httpsig.Request(r.Method, &u, r.Header), "sig1", covered, time.Now(), key); err != nil {
			t.Error(err)
		}
	}
	secret := "hak_test_" + strings.Repeat("a", 32)
	send := func(credentials ...string) func(*http.Request) {
		return func(r *http.Request) { r.Header["Authorization"] = credentials }
	}
	alone := func(change func(*http.Request)) func(*http.Request) {
		return func(r *http.Request) { change(r); r.Header.Del("UCP-Agent") }
	}
	as := func(said string, change func(*http.Request)) func(*http.Request) {
		return func(r *http.Request) { change(r); r.Header.Set("UCP-Agent", said) }
	}
	carry := func(change func(*http.Request)) func(*http.Request) {
		return func(r *http.Request) {
			by := r.Clone(r.Context())
			change(by)
			*r = *r.WithContext(commerce.Carried(r.Context(), by, []byte(`{}`)))
		}
	}
	for name, c := range map[string]struct {
		change     func(*http.Request)
		cost       int // 0: the operation is of a protocol that does not identify agents
		full       bool
		want, code string
	}{
		"unsigned":                 {func(*http.Request) {}, 1, false, address + " ×1", ""},
		"an unsigned payment":      {func(*http.Request) {}, 5, false, address + " ×5", ""},
		"signed":                   {sign, 1, false, platform + " ×1", ""},
		"a signed payment":         {sign, 5, false, platform + " ×5", ""},
		"signed by somebody else":  {func(r *http.Request) { sign(r); r.Method = http.MethodPut }, 2, false, address + " ×2", "signature_invalid"},
		"signed, and too many":     {sign, 5, true, platform + " ×5", "rate_limited"},
		"unsigned, and too many":   {func(*http.Request) {}, 1, true, address + " ×1", "rate_limited"},
		"signed where nobody asks": {sign, 0, false, address + " ×1", ""},

		"with a key":                            {send("Bearer " + secret), 1, false, platform + " ×1", ""},
		"with a key alone":                      {alone(send("bearer  " + secret)), 5, false, platform + " ×5", ""},
		"with a key behind a tab":               {alone(send("Bearer\t" + secret)), 1, false, platform + " ×1", ""},
		"with a key, carried":                   {carry(send("Bearer " + secret)), 1, false, platform + " ×1", ""},
		"with a key, and too many":              {send("Bearer " + secret), 5, true, platform + " ×5", "rate_limited"},
		"with an unknown key":                   {send("Bearer " + secret[:40] + "b"), 2, false, address + " ×2", "agent_key_invalid"},
		"with two keys":                         {send("Bearer "+secret, "Bearer "+secret), 1, false, address + " ×1", "agent_key_invalid"},
		"with a key and a password":             {send("Basic YTpi", "Bearer "+secret), 1, false, address + " ×1", "agent_key_invalid"},
		"with a key, as another agent":          {as(`profile="https://other.example/p"`, send("Bearer "+secret)), 1, false, address + " ×1", "agent_key_invalid"},
		"with a key, as nobody knows":           {as(`profile=me`, send("Bearer "+secret)), 1, false, address + " ×1", "invalid_profile_url"},
		"with a key where nobody asks":          {send("Bearer " + secret), 0, false, address + " ×1", ""},
		"with an unknown key where nobody asks": {send("Bearer " + secret[:40] + "b"), 0, false, address + " ×1", "agent_key_invalid"},
		"with a merchant's key":                 {send("Bearer hk_test_" + secret[9:]), 1, false, address + " ×1", ""},
		"with a password":                       {send("Basic YTpi"), 1, false, address + " ×1", ""},
	} {
		counts := &countingLimiter{full: c.full}
		s := &commerce.Services{
			Storefronts: fakeStorefronts{shop: shop},
			Identity: &identity.Service{
				Profiles:   fakeProfiles{agent},
				Signatures: httpsig.Requests{},
				Keys:       fakeAgentKeys{secret: secret, profile: profile},
				Clock:      systemClock{},
			},
			Limiter:       counts,
			PublicURL:     "https://shops.example.com",
			Address:       func(slug string) string { return "https://shops.example.com/p/" + slug },
			ClientAddress: func(*http.Request) netip.Addr { return netip.MustParseAddr(from) },
		}
		op := &huma.Operation{
			MaxBodyBytes: 100,
			RequestBody:  &huma.RequestBody{},
			Metadata:     map[string]any{},
		}
		if c.cost > 0 {
			commerce.Costs(op, c.cost)
		}
		r := httptest.NewRequest(http.MethodPost, "/p/demo/ucp/carts", strings.NewReader(`{}`))
		r.SetPathValue("slug", "demo")
		r.Header.Set("UCP-Agent", fmt.Sprintf("profile=%q", profile))
		r.Header.Set("Content-Type", "application/json")
		c.change(r)
		e := &wire.Entry[commerce.Buyer]{
			Writer:    httptest.NewRecorder(),
			Request:   r,
			Operation: op,
		}
		var err error
		for _, step := range s.Mount(nil, &wire.Style{}, wire.KeyRules[commerce.Buyer]{}).Steps[2:4] { // findShop and checkKey
			if err == nil {
				err = step(e)
			}
		}
		if err == nil && c.cost > 0 {
			_, err = s.Identify(e, func(asking *identity.Request) error {
				asking.Business, asking.Needs = []capability.Set{served}, capability.Cart
				return nil
			})
		}
		said := ""
		if err != nil {
			said, _, _ = strings.Cut(err.Error(), ":")
		}
		if !slices.Equal(counts.counted, []string{c.want}) || said != c.code {
			t.Errorf("%s: counted %q and answered %q, want %q and %q", name, counts.counted, said, c.want, c.code)
		}
	}
}

// A call of a tool counts once for its client's address: when the message is admitted, and not again when its operation runs.
func TestServices_Admit_countsMessageOnce(t *testing.T) {
	t.Parallel()
	counts := &countingLimiter{}
	s := &commerce.Services{
		Storefronts:   fakeStorefronts{shop: &project.Project{Slug: "demo", Settings: project.Settings{Protocols: project.Protocols{MCP: true}}}},
		Limiter:       counts,
		Gate:          counts,
		ClientAddress: func(*http.Request) netip.Addr { return netip.MustParseAddr("198.51.100.7") },
	}
	message := httptest.NewRequest(http.MethodPost, "/p/demo/mcp", strings.NewReader(`{}`))
	message.SetPathValue("slug", "demo")
	if err := s.Admit(commerce.MCP, message); err != nil {
		t.Fatal(err)
	}
	request := httptest.NewRequest(http.MethodPost, "/p/demo/mcp/tools/carts", nil)
	first := s.Mount(nil, &wire.Style{}, wire.KeyRules[commerce.Buyer]{}).Steps[0]
	carrying := request.WithContext(commerce.Carried(request.Context(), message, nil))
	if err := first(&wire.Entry[commerce.Buyer]{Writer: httptest.NewRecorder(), Request: carrying}); err != nil || len(counts.counted) != 1 {
		t.Errorf("counted %q, %v", counts.counted, err)
	}
	if err := first(&wire.Entry[commerce.Buyer]{Writer: httptest.NewRecorder(), Request: request}); err != nil || len(counts.counted) != 2 {
		t.Errorf("a request of its own: counted %q, %v", counts.counted, err)
	}
}
