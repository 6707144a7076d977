package analytics

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/analytics"
)

func TestToTraffic(t *testing.T) {
	t.Parallel()
	want := analytics.Traffic{
		Deals:  1,
		Orders: 2,
		Gross:  3,
	}
	if got := toTraffic(fromTraffic(want)); got != want {
		t.Errorf("%+v, want %+v", got, want)
	}
}
