package order_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
)

// turn returns a report of an open dispute.
func turn(of order.DisputeResponse, due, at time.Time) order.DisputeReport {
	r := report(order.DisputeOpen, 321_73, 15_00, at)
	r.Response, r.DueBy = of, due
	return r
}

// The latest report determines who must act, and until when. Within one second, the review follows the response.
func TestReportDispute_response(t *testing.T) {
	t.Parallel()
	due := placed.Add(7 * 24 * time.Hour)
	later := placed.Add(time.Minute)
	for name, test := range map[string]struct {
		reports []order.DisputeReport
		want    order.DisputeResponse
		due     time.Time
	}{
		"silent about it":        {[]order.DisputeReport{turn(order.DisputeResponse{}, due, placed)}, order.ResponseNeeded, due},
		"answered in one second": {[]order.DisputeReport{turn(order.ResponseNeeded, due, placed), turn(order.UnderReview, due, placed)}, order.UnderReview, due},
		"in the other order":     {[]order.DisputeReport{turn(order.UnderReview, due, placed), turn(order.ResponseNeeded, due, placed)}, order.UnderReview, due},
		"more is asked for": {
			[]order.DisputeReport{turn(order.UnderReview, due, placed), turn(order.ResponseNeeded, due.Add(time.Hour), later)}, order.ResponseNeeded, due.Add(time.Hour),
		},
		"no deadline any more": {[]order.DisputeReport{turn(order.ResponseNeeded, due, placed), turn(order.UnderReview, time.Time{}, later)}, order.UnderReview, due},
		"closed":               {[]order.DisputeReport{turn(order.UnderReview, due, placed), report(order.DisputeWon, 0, 0, placed)}, order.ResponseClosed, due},
	} {
		c := opened()
		for i, r := range test.reports {
			must(t, c.ReportDispute(r, disputeIDs(byte(i)), later))
		}
		if d := c.Disputes[0]; d.Response != test.want || !d.DueBy.Equal(test.due) {
			t.Errorf("%s: %s until %s", name, d.Response, d.DueBy)
		}
	}
}

// Every state of a dispute, and whether the merchant may answer and accept it.
func TestDispute_answerable(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		d              order.Dispute
		answer, accept string
	}{
		"waiting": {order.Dispute{Status: order.DisputeOpen, Response: order.ResponseNeeded}, "", ""},
		"asked for more": {order.Dispute{
			Status:     order.DisputeOpen,
			Response:   order.ResponseNeeded,
			AnsweredAt: placed,
		}, "", ""},
		"answered elsewhere": {order.Dispute{Status: order.DisputeOpen, Response: order.UnderReview}, "", ""},
		"answered here": {order.Dispute{
			Status:     order.DisputeOpen,
			Response:   order.UnderReview,
			AnsweredAt: placed,
		}, "dispute_answered", ""},
		"won":  {order.Dispute{Status: order.DisputeWon, Response: order.ResponseClosed}, "dispute_closed", "dispute_closed"},
		"lost": {order.Dispute{Status: order.DisputeLost, Response: order.ResponseClosed}, "dispute_closed", ""},
	} {
		if err := test.d.Answerable(); code(err) != test.answer {
			t.Errorf("%s: answer %v", name, err)
		}
		if err := test.d.Acceptable(); code(err) != test.accept {
			t.Errorf("%s: accept %v", name, err)
		}
	}
}

func code(err error) string {
	for _, known := range []string{"dispute_answered", "dispute_closed"} {
		if fault.Is(err, known) {
			return known
		}
	}
	if err != nil {
		return err.Error()
	}
	return ""
}

// field returns the only field that an error names.
func field(err error) string {
	var known *fault.Error
	if !errors.As(err, &known) || len(known.Details) != 1 {
		return ""
	}
	return known.Details[0].Field
}

func TestAnswerDispute(t *testing.T) {
	t.Parallel()
	c := opened()
	must(t, c.ReportDispute(turn(order.ResponseNeeded, later, placed), disputeIDs(1), placed))
	said := order.Evidence{Note: "It was delivered."}
	of := c.Disputes[0].ID
	must(t, c.AnswerDispute(of, said, turn(order.UnderReview, later, placed.Add(time.Second)), disputeIDs(2), later))
	if d := c.Disputes[0]; d.Evidence != said || d.AnsweredAt != later || d.Response != order.UnderReview || len(c.Disputes) != 1 {
		t.Errorf("%+v", c.Disputes)
	}
	if got := eventTypes(c); len(got) != 1 {
		t.Errorf("announced %v", got)
	}
	if err := c.AnswerDispute(id.New[id.Dispute]([16]byte{9}), said, turn(order.UnderReview, later, later), disputeIDs(3), later); !fault.Is(err, "dispute_not_found") {
		t.Errorf("another dispute: %v", err)
	}
}

func TestEvidence_check(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("é", order.MostEvidence)
	for name, test := range map[string]struct {
		e    order.Evidence
		want string // the field that is refused
	}{
		"a note": {order.Evidence{Note: "Delivered."}, ""},
		"the most": {order.Evidence{
			Product:       long,
			Communication: long,
			Receipt:       long,
			Note:          long,
			ShippedOn:     "2026-03-05",
		}, ""},
		"nothing":            {order.Evidence{}, "note"},
		"spaces":             {order.Evidence{Note: " "}, "note"},
		"a carrier alone":    {order.Evidence{Carrier: "DHL", ShippedOn: "2026-03-05"}, "note"},
		"a long product":     {order.Evidence{Product: long + "é"}, "product"},
		"a long mail":        {order.Evidence{Communication: long + "é"}, "communication"},
		"a long receipt":     {order.Evidence{Receipt: long + "é"}, "receipt"},
		"a long note":        {order.Evidence{Note: long + "é"}, "note"},
		"a long carrier":     {order.Evidence{Note: "a", Carrier: long[:402]}, "carrier"},
		"a long number":      {order.Evidence{TrackingNumber: long[:402]}, "tracking_number"},
		"a day that is none": {order.Evidence{Note: "a", ShippedOn: "2026-02-30"}, "shipped_on"},
	} {
		err := test.e.Check()
		if (err == nil) != (test.want == "") || test.want != "" && field(err) != test.want {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// The evidence has the order's own data: items, shipment and payment.
func TestCase_evidence(t *testing.T) {
	t.Parallel()
	c := opened()
	zone := time.FixedZone("ahead", 14*3600)
	before := c.Evidence(zone)
	if before.Product == "" || !strings.Contains(before.Receipt, c.Order.Confirmation) || before.ShippedOn+before.TrackingNumber+before.Note != "" {
		t.Errorf("before it is shipped: %+v", before)
	}
	must(t, c.Ship("DHL", "42", "", eventID(1), placed))
	must(t, c.Deliver(eventID(2), later))
	after := c.Evidence(zone)
	if after.Carrier != "DHL" || after.TrackingNumber != "42" || after.ShippedOn != placed.In(zone).Format(time.DateOnly) || !strings.Contains(after.Note, "delivered") {
		t.Errorf("delivered: %+v", after)
	}
	for range 40 {
		c.Order.Lines = append(c.Order.Lines, c.Order.Lines[0])
		c.Order.Lines[len(c.Order.Lines)-1].Name = strings.Repeat("long ", 30)
	}
	if full := c.Evidence(zone); full.Check() != nil || !strings.HasSuffix(full.Product, "…") {
		t.Errorf("many lines: %v, %q", full.Check(), full.Product)
	}
}
