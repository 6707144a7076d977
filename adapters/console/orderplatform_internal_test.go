package console

import "testing"

func TestPlatformOrder_words(t *testing.T) {
	text := func(s string) *string { return &s }
	for want, w := range map[string]platformOrder{
		"Being written":                      {Status: "pending"},
		"Being written: It does not answer.": {Status: "pending", Problem: text("It does not answer.")},
		"Order #1042":                        {Status: "written", Name: text("#1042"), Remote: text("7")},
		"Order 7":                            {Status: "written", Remote: text("7")},
		"Refused: Too little stock.":         {Status: "refused", Problem: text("Too little stock.")},
		"Not written: It was canceled.":      {Status: "skipped", Problem: text("It was canceled.")},
	} {
		w.noun = "Order "
		if got := w.words(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
