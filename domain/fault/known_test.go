package fault_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
)

func TestKnown(t *testing.T) {
	t.Parallel()
	if got := fault.Known([]string{"US", "CA"}); got != "US, CA" {
		t.Errorf("%q", got)
	}
	many := strings.Split(strings.Repeat("x ", 31), " ")[:31]
	if got := fault.Known(many); !strings.HasSuffix(got, "x and 1 more") || strings.Count(got, "x") != 30 {
		t.Errorf("%q", got)
	}
	if got := fault.Known(many[:30]); strings.Contains(got, "more") {
		t.Errorf("%q", got)
	}
}
