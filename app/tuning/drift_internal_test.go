package tuning

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// recordsOver returns records of 400 negotiations, one an hour, with prices between .8 and .9 plus off(i), in two categories.
func recordsOver(off func(i int, category string) float64) (all []Record) {
	for i := range 400 {
		category := []string{"a", "b/c"}[i%2]
		var bits [16]byte
		bits[0], bits[1] = byte(i), byte(i>>8)
		all = append(all, Record{
			Session: id.New[id.Session](bits),
			At:      noon.Add(time.Duration(i) * time.Hour),
			Version: 1,
			Signals: negotiation.Signals{
				List:     money.Of(100_00, money.USD),
				Quantity: 1,
				Category: category,
			},
			Price: .8 + .01*float64(i*7%11) + off(i, category),
		})
	}
	return all
}

func TestFindDrift(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		off     func(int, string) float64
		version func(int) int
		want    []string // segments
	}{
		"nothing":                 {off: func(int, string) float64 { return 0 }},
		"lower since the middle":  {off: func(i int, _ string) float64 { return -.1 * float64(i/200) }, want: []string{"", "learnt: a", "learnt: b"}},
		"lower in one category":   {off: func(i int, of string) float64 { return -.1 * float64(i/200*(len(of)/3)) }, want: []string{"", "learnt: b"}},
		"with another version":    {off: func(i int, _ string) float64 { return -.1 * float64(i/200) }, version: func(i int) int { return 1 + i/200 }},
		"too near the end":        {off: func(i int, _ string) float64 { return -.1 * float64(i/390) }},
		"higher for a short time": {off: func(i int, _ string) float64 { return .1 * float64(i/200*(1-min(i/210, 1))) }},
	} {
		records := recordsOver(c.off)
		for i := range records {
			if c.version != nil {
				records[i].Version = c.version(i)
			}
		}
		marked, drifts := findDrift(records)
		var got []string
		for _, d := range drifts {
			got = append(got, d.Segment)
			if off := d.Since.Sub(records[200].At); off < -10*time.Hour || off > 10*time.Hour || d.After >= d.Before {
				t.Errorf("%s: %+v", name, d)
			}
		}
		if len(got) != len(c.want) {
			t.Errorf("%s: drift in %q, want %q", name, got, c.want)
		}
		if old := marked[1].old; old != (len(c.want) > 0) || marked[399].old || records[1].old {
			t.Errorf("%s: the first record is old: %t", name, old)
		}
	}
}

// Before a drift a record has a quarter of the weight.
func TestTrust_old(t *testing.T) {
	t.Parallel()
	records := recordsOver(func(int, string) float64 { return 0 })
	records[0].old = true
	if w := trust(records); w[0] != oldShare || w[1] != 1 {
		t.Errorf("%v and %v", w[0], w[1])
	}
}
