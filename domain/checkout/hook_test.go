package checkout_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
)

// The first webhook set by an agent is kept.
func TestCheckout_hookSetOnce(t *testing.T) {
	t.Parallel()
	first := checkout.Hook{Protocol: checkout.ByUCP, URL: "https://one.example/hook"}
	c := checkout.Rehydrate(checkout.Snapshot{})
	for _, hook := range []checkout.Hook{{}, first, {Protocol: checkout.ByUCP, URL: "https://two.example/hook"}, {}} {
		c.SetHook(hook)
	}
	if got := c.Snapshot().Hook; got != first {
		t.Errorf("%+v", got)
	}
}
