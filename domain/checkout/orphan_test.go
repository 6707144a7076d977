package checkout_test

import (
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// orphans returns orphans by the state of their refund, all found at noon.
func orphans() map[string]checkout.Orphan {
	due := noon.Add(time.Hour)
	return map[string]checkout.Orphan{
		"detected":  {State: checkout.OrphanDetected, DetectedAt: noon, DueAt: due},
		"taken on":  {State: checkout.OrphanRefunding, DetectedAt: noon, DueAt: due, Attempts: 1},
		"no answer": {State: checkout.OrphanRefunding, DetectedAt: noon, DueAt: due, Attempts: 1, Problem: "No answer."},
		"refunded":  {State: checkout.OrphanRefunded, DetectedAt: noon, Refund: "re_1"},
		"reversed":  {State: checkout.OrphanFailed, DetectedAt: noon, Refund: "re_1", Failure: "lost_card"},
		"refused":   {State: checkout.OrphanFailed, DetectedAt: noon, Failure: "charge_disputed"},
		"given up":  {State: checkout.OrphanFailed, DetectedAt: noon, Failure: checkout.FailedManually},
		"in doubt":  {State: checkout.OrphanFailed, DetectedAt: noon, Failure: checkout.ErrSecondCharge},
	}
}

// Every state and every verb. An empty cell means that the verb is refused and changes nothing.
func TestOrphan_statesAndVerbs(t *testing.T) {
	t.Parallel()
	later := noon.Add(checkout.OrphanDecidableAfter)
	refused := errors.New("refused")
	news := func(changed bool) error {
		if !changed {
			return refused
		}
		return nil
	}
	verbs := map[string]func(*checkout.Orphan) error{
		"refunded":    func(o *checkout.Orphan) error { return news(o.Refunded("re_2", later)) },
		"failed":      func(o *checkout.Orphan) error { return news(o.RefundFailed("", "no", later)) },
		"says yes":    func(o *checkout.Orphan) error { return o.DecideManually(true, "re_2", later) },
		"says no":     func(o *checkout.Orphan) error { return o.DecideManually(false, "", later) },
		"says it now": func(o *checkout.Orphan) error { return o.DecideManually(false, "", later.Add(-1)) },
	}
	want := map[string]map[string]string{ // to state and failure
		"detected":  {"refunded": "refunded ", "failed": "failed no"},
		"taken on":  {"refunded": "refunded ", "failed": "failed no"},
		"no answer": {"refunded": "refunded ", "failed": "failed no", "says yes": "refunded ", "says no": "failed resolved_by_merchant"},
		"refunded":  {"failed": "failed no"},
		"reversed":  {"says yes": "refunded "},
		"refused":   {"refunded": "refunded ", "says yes": "refunded "},
		"given up":  {"refunded": "refunded ", "says yes": "refunded "},
		"in doubt":  {"says yes": "refunded second_charge_of_attempt"},
	}
	for name, verb := range verbs {
		for state, o := range orphans() {
			before := o
			err := verb(&o)
			cell, allowed := want[state][name]
			if (err == nil) != allowed || !allowed && o != before || allowed && o.State.String()+" "+o.Failure != cell {
				t.Errorf("%s, %s: %s %s, %v; want %q", state, name, o.State, o.Failure, err, cell)
			}
			if allowed && (o.Pending() || !o.DueAt.IsZero() || o.Problem != "" || o.State == checkout.OrphanRefunded && o.Refund != "re_2") {
				t.Errorf("%s, %s: %+v", state, name, o)
			}
		}
	}
}

func TestOrphan_decidable(t *testing.T) {
	t.Parallel()
	later := noon.Add(checkout.OrphanDecidableAfter)
	for state, code := range map[string]string{
		"detected": "refund_not_asked", "taken on": "refund_at_provider", "no answer": "", "refunded": "orphan_decided", "reversed": "orphan_decided",
	} {
		o := orphans()[state]
		if err := o.Decidable(false, later); code == "" && err != nil || code != "" && !fault.Is(err, code) {
			t.Errorf("%s: %v, want %q", state, err, code)
		}
	}
	if o := orphans()["no answer"]; !fault.Is(o.Decidable(true, later.Add(-1)), "refund_too_recent") {
		t.Error("a young one may be decided")
	}
}

// The pauses between requests to the provider grow, and the reason for a failed request is kept until the provider
// answers.
func TestOrphan_postpone(t *testing.T) {
	t.Parallel()
	o := orphans()["detected"]
	o.Postpone("No answer.", noon)
	if o.State != checkout.OrphanRefunding || o.Problem != "No answer." || !o.DueAt.Equal(noon.Add(2*time.Second)) {
		t.Errorf("%+v", o)
	}
	for range 20 {
		o.Postpone("", noon)
	}
	if o.Problem != "" || !o.DueAt.Equal(noon.Add(time.Hour)) {
		t.Errorf("%+v", o)
	}
	done := orphans()["refunded"]
	before := done
	if done.Postpone("late", noon); done != before {
		t.Errorf("a decided one is %+v", done)
	}
}
