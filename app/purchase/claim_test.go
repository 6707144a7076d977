package purchase_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// If others reserve the stock that a claim has found, the claim allocates again, until there is too little stock.
func TestFinalize_stockTakenByOthers(t *testing.T) {
	t.Parallel()
	for _, test := range []struct {
		name    string
		missed  int // first claims that fail because others reserved the stock
		found   int // how often there is enough stock
		claims  int
		refused bool
	}{
		{name: "nobody else", found: 100, claims: 1},
		{name: "others were faster twice", missed: 2, found: 100, claims: 3},
		{name: "others took the last piece", missed: 2, found: 1, claims: 1, refused: true},
		{name: "there is none", refused: true},
		{name: "others are always faster", missed: 100, found: 100, claims: 11, refused: true},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			s, service := ready(t)
			s.missed, s.found = test.missed, test.found
			result, err := s.pay(t, service)
			if s.claims != test.claims || fault.Is(err, "out_of_stock") != test.refused || (orderOf(result) == nil) != test.refused {
				t.Errorf("%d claims, want %d; %+v, %v", s.claims, test.claims, result, err)
			}
			if test.refused && (s.charges > 0 || s.checkout.Status() != checkout.Ready) {
				t.Errorf("%d charges, the checkout is %v", s.charges, s.checkout.Status())
			}
		})
	}
}
