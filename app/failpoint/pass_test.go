package failpoint

import (
	"errors"
	"testing"
)

func TestParse(t *testing.T) {
	for _, bad := range []string{"finalize.claimed", "finalize.claimed=burn", "nowhere=kill", "finalize.claimed=kill:0", "finalize.claimed=kill:x"} {
		if _, err := parse(bad); err == nil {
			t.Errorf("%q was taken", bad)
		}
	}
	got, err := parse("finalize.claimed=kill,delivery.sent=error:3,")
	if err != nil || len(got) != 2 || got[Claimed].action != "kill" || got[Claimed].nth != 1 || got[DeliverySent].nth != 3 {
		t.Errorf("got %v, %v", got, err)
	}
}

// The action error fails only the nth pass of its own point.
func TestPass_errorOnNthPass(t *testing.T) {
	before := orders
	defer func() { orders = before }()
	orders, _ = parse("finalize.charged=error:2")
	for n, want := range []bool{false, true, false} {
		if err := At(t.Context(), Charged); errors.Is(err, errInjected) != want {
			t.Errorf("time %d: %v", n+1, err)
		}
	}
	if err := At(t.Context(), Claimed); err != nil {
		t.Errorf("another point: %v", err)
	}
}

func TestSetting_disabled(t *testing.T) {
	t.Setenv("FAULT_POINT", "finalize.claimed=kill")
	if got := setting("FAULT_POINT"); got != "" {
		t.Errorf("%q is read by a program whose failpoints are not enabled", got)
	}
}
