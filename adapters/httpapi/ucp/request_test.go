package ucp

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/capability"
)

// Codes are read if the discount extension is active. Otherwise the earlier ones stay.
func TestFromAPICheckout_inactiveExtension(t *testing.T) {
	t.Parallel()
	h := &handlers{}
	discount := capability.Served(capability.V20260825, capability.Name{})
	with, err := capability.Intersect(discount, discount)
	if err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		active capability.Active
		keeps  bool
		codes  int
	}{"active": {with, false, 1}, "not active": {capability.Active{}, true, 0}} {
		var rq Request
		rq.Caller.Platform.Active = c.active
		a := h.fromAPICheckout(rq, nil, nil, &discountsRequest{Codes: []string{"ct_1"}}, nil)
		if a.Lenient.KeepDeals != c.keeps || len(a.codes) != c.codes {
			t.Errorf("%s: keeps deals: %v, codes: %q", name, a.Lenient.KeepDeals, a.codes)
		}
	}
}
