package ratelimit

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/ports"
)

func TestParseRate(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]ports.Rate{
		"600/900": {PerMinute: 600, Burst: 900}, " 1/1 ": {PerMinute: 1, Burst: 1}, "1000000/1000000": {PerMinute: most, Burst: most}, "off": {},
	} {
		if r, off, err := ParseRate(text); r != want || off != (text == "off") || err != nil {
			t.Errorf("%q is %+v, off %v, %v", text, r, off, err)
		}
	}
	for _, text := range []string{"", "600", "600/", "/900", "0/900", "600/0", "-1/5", "600/900/1", "600 / 900", "6e2/900", "1000001/1", "1/99999999999999999999", "on", "OFF"} {
		if r, off, err := ParseRate(text); err == nil || off || r != (ports.Rate{}) || !strings.Contains(err.Error(), "600/900") {
			t.Errorf("%q is %+v, off %v, %v: want an error with an example", text, r, off, err)
		}
	}
}

// Shares add up to at least the rate, and are never zero.
func TestShare(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		rate ports.Rate
		n    int
		want ports.Rate
	}{
		{ports.Rate{PerMinute: 100, Burst: 150}, 1, ports.Rate{PerMinute: 100, Burst: 150}},
		{ports.Rate{PerMinute: 100, Burst: 150}, 2, ports.Rate{PerMinute: 50, Burst: 75}},
		{ports.Rate{PerMinute: 100, Burst: 150}, 3, ports.Rate{PerMinute: 34, Burst: 50}},
		{ports.Rate{PerMinute: 1, Burst: 2}, 50, ports.Rate{PerMinute: 1, Burst: 1}},
	} {
		if got := share(c.rate, c.n); got != c.want {
			t.Errorf("one of %d gets %+v of %+v, want %+v", c.n, got, c.rate, c.want)
		}
	}
}
