package agentid_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/signing"
)

func TestKeyNamed(t *testing.T) {
	t.Parallel()
	first, second := signing.Ed25519{1}, signing.Ed25519{2}
	p := agentid.Profile{Keys: []agentid.Key{
		{ID: "k", Public: signing.Ed25519{3}},
		{ID: "other", Public: second, Signs: true},
		{ID: "k", Public: first, Signs: true},
		{ID: "k", Public: second, Signs: true},
		{ID: "rsa", Signs: true},
	}}
	if got, ok := p.KeyNamed("k"); !ok || got.Public != first {
		t.Errorf("the key is %+v", got)
	}
	if got, ok := p.KeyNamed("rsa"); !ok || got.Public != nil {
		t.Errorf("the key of another algorithm is %+v", got)
	}
	if _, ok := p.KeyNamed("K"); ok {
		t.Error("a key has a name that it does not have")
	}
}

// The webhook URL is that of the active version of the order capability, if one is active.
func TestOrderHook(t *testing.T) {
	t.Parallel()
	ours := capability.Served(capability.V20260825, capability.Name{})
	active := func(name capability.Name) capability.Active {
		a, err := capability.Intersect(ours, capability.Set{
			Release:      ours.Release,
			Capabilities: []capability.Declared{{Name: name, Version: ours.Release}},
		})
		if err != nil {
			t.Fatal(err)
		}
		return a
	}
	p := agentid.Profile{OrderHooks: map[capability.Version]string{
		capability.V20260825: "https://agent.example/orders",
		capability.V20260408: "https://agent.example/older",
	}}
	if got := p.OrderHook(active(capability.Order)); got != "https://agent.example/orders" {
		t.Errorf("the hook is %q", got)
	}
	if got := p.OrderHook(active(capability.Checkout)) + p.OrderHook(capability.Active{}); got != "" {
		t.Errorf("without the capability the hook is %q", got)
	}
}
