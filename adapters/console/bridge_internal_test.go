package console

import (
	"strings"
	"testing"
)

func TestBottomOf(t *testing.T) {
	t.Parallel()
	sums := func(values ...float64) (bars []bar) {
		for _, x := range values {
			bars = append(bars, bar{to: x, ground: true})
		}
		return bars
	}
	for name, test := range map[string]struct {
		bars        []bar
		bottom, top float64
	}{
		"small steps are seen":       {sums(100, 90, 95), 80, 100},
		"large ones need no cut":     {sums(100, 40, 45), 0, 100},
		"more refunded than paid":    {sums(100, 90, -20), -20, 100},
		"nothing differs":            {sums(100, 100, 100), 100, 100},
		"only refunds in the period": {sums(0, 0, -20), -20, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			bottom, top := bottomOf(test.bars)
			if bottom != test.bottom || top != test.top {
				t.Errorf("from %v to %v, want %v to %v", bottom, top, test.bottom, test.top)
			}
			if picture := string(drawBridge(test.bars)); strings.Contains(picture, "NaN") || strings.Contains(picture, "Inf") {
				t.Errorf("the picture has no size: %s", picture)
			}
		})
	}
}

func TestDrawBridge_escapes(t *testing.T) {
	t.Parallel()
	picture := string(drawBridge([]bar{{label: "<a>", text: `"&`, to: 1, ground: true}}))
	if strings.Contains(picture, "<a>") || !strings.Contains(picture, "&lt;a&gt;") {
		t.Errorf("it is not text: %s", picture)
	}
}
