package negotiation_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

func TestQuote_Decline_firstReason(t *testing.T) {
	t.Parallel()
	q := start(nil, noon)
	if changed, err := q.Decline(negotiation.ShippingCost, noon); !changed || err != nil {
		t.Fatalf("changed %v, error %v", changed, err)
	}
	if changed, err := q.Decline(negotiation.Comparison, noon); changed || err != nil {
		t.Errorf("again: changed %v, error %v", changed, err)
	}
	if s := q.Snapshot(); s.State != negotiation.Declined || s.DeclinedFor != negotiation.ShippingCost {
		t.Errorf("%s for %q", s.State, s.DeclinedFor)
	}
	if q.Expired(noon.Add(2 * negotiation.Validity)) {
		t.Error("a declined quote expires")
	}
	if err := q.Resume(patient, usual, noon); !fault.Is(err, "quote_closed") {
		t.Errorf("an offer on it: %v", err)
	}
}

func TestQuote_Decline_accepted(t *testing.T) {
	t.Parallel()
	q := start(nil, noon)
	say(q, offer(usd("100")), noon)
	if _, err := q.Decline(negotiation.Reason{}, noon); !fault.Is(err, "quote_accepted") {
		t.Errorf("error %v", err)
	}
	if q.Snapshot().State != negotiation.Agreed {
		t.Error("the quote is not accepted any more")
	}
}

func TestParseReason(t *testing.T) {
	t.Parallel()
	for _, r := range negotiation.Reasons() {
		if got := negotiation.ParseReason(r.String()); got != r {
			t.Errorf("%s is read as %s", r, got)
		}
	}
	if got := negotiation.ParseReason("moon phase"); got != negotiation.OtherReason {
		t.Errorf("an unknown reason is %s", got)
	}
	if got := negotiation.ParseReason(""); got != (negotiation.Reason{}) {
		t.Errorf("none is %s", got)
	}
}
