package tuning_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/app/tuning"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

func BenchmarkPropose(b *testing.B) {
	p := negotiation.Builtin()
	p.MaxDiscount = 200
	var known []tuning.Record
	for i, buyer := range crowd(2000, 1, .9) {
		entries, _ := haggle(p, 50_00, buyer)
		if r, ok := tuning.FromEntries(entries, 6); ok {
			r.Session = session(uint64(i))
			known = append(known, r)
		}
	}
	for b.Loop() {
		if _, err := tuning.Propose(b.Context(), known, p, tuning.Options{Seed: 1}); err != nil {
			b.Fatal(err)
		}
	}
}
