package aftersales_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// fakeResponder is a provider that accepts responses while its dispute waits for one.
type fakeResponder struct {
	*fixture
	stands order.DisputeReport
	has    order.Evidence
	err    error
	sent   int
}

func (c *fakeResponder) SubmitEvidence(_ ports.Outbound, r ports.DisputeRequest) (ports.DisputeReply, error) {
	if c.err != nil {
		return ports.DisputeReply{}, c.err
	}
	if c.stands.Response == order.ResponseNeeded {
		c.sent, c.has, c.stands.Response = c.sent+1, r.Evidence, order.UnderReview
	}
	return ports.DisputeReply{Report: c.stands, Done: c.has == r.Evidence}, nil
}

func (c *fakeResponder) AcceptDispute(ports.Outbound, ports.DisputeRequest) (ports.DisputeReply, error) {
	if c.err != nil {
		return ports.DisputeReply{}, c.err
	}
	if c.stands.Response == order.ResponseNeeded {
		c.sent, c.stands.Response, c.stands.Status = c.sent+1, order.ResponseClosed, order.DisputeLost
	}
	return ports.DisputeReply{Report: c.stands, Done: c.stands.Status == order.DisputeLost}, nil
}

func (d *fixture) DisputeByID(_ context.Context, _ id.Project, of id.Dispute) (*order.Dispute, error) {
	if found := d.copy().FindDispute(of); found != nil {
		return found, nil
	}
	return nil, fault.Missing("dispute")
}

func (d *fixture) Disputes(context.Context, id.Project, ports.DisputeFilter, *ports.DisputePlace, int) ([]order.Dispute, *ports.DisputePlace, error) {
	return d.kept.Disputes, nil, nil
}

// disputed returns an order whose payment is disputed, and its provider.
func disputed(t *testing.T) (*fakeResponder, *aftersales.Service, id.Project, id.Dispute) {
	t.Helper()
	d, s, p := newFixture()
	c := &fakeResponder{fixture: d, stands: order.DisputeReport{
		Charge:    "ch_1",
		Provider:  "du_1",
		Status:    order.DisputeOpen,
		Response:  order.ResponseNeeded,
		Amount:    usd(330_00),
		Withdrawn: usd(330_00),
		Fee:       usd(15_00),
		At:        noon,
	}}
	if err := s.RecordDispute(t.Context(), p.ID, c.stands); err != nil {
		t.Fatal(err)
	}
	s.Gateway, s.Stores.Disputes = c, d
	return c, s, p.ID, d.kept.Disputes[0].ID
}

var delivered = order.Evidence{Note: "It was delivered."}

// After a crash between sending and recording evidence, a retry finds the evidence at the provider, also if the provider's webhook
// has come in between.
func TestSubmitEvidence_crash(t *testing.T) {
	t.Parallel()
	for name, webhook := range map[string]bool{"nothing was heard": false, "the provider reported it": true} {
		c, s, p, of := disputed(t)
		if _, err := s.SubmitEvidence(ports.NewOutbound(t.Context()), p, of, delivered); err != nil {
			t.Fatal(err)
		}
		if webhook {
			report := c.stands
			report.At = noon.Add(time.Second)
			if err := s.RecordDispute(t.Context(), p, report); err != nil {
				t.Fatal(err)
			}
		}
		r, err := s.SubmitEvidence(ports.NewOutbound(t.Context()), p, of, order.Evidence{Note: " It was delivered. "})
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		d, err := s.RecordResponse(t.Context(), r)
		if err != nil || d.Response != order.UnderReview || d.Evidence != delivered || d.AnsweredAt != noon || c.sent != 1 {
			t.Errorf("%s: %+v, %v, sent %d times", name, d, err, c.sent)
		}
		if _, err := s.SubmitEvidence(ports.NewOutbound(t.Context()), p, of, delivered); !fault.Is(err, "dispute_answered") {
			t.Errorf("%s: answered again: %v", name, err)
		}
	}
}

// A dispute that was answered or decided elsewhere accepts no response. Its state at the provider is recorded.
func TestSubmitEvidence_answeredElsewhere(t *testing.T) {
	t.Parallel()
	for want, stands := range map[string]func(*order.DisputeReport){
		"dispute_answered": func(r *order.DisputeReport) { r.Response = order.UnderReview },
		"dispute_closed": func(r *order.DisputeReport) {
			r.Status, r.Response, r.Withdrawn = order.DisputeWon, order.ResponseClosed, usd(0)
		},
	} {
		c, s, p, of := disputed(t)
		stands(&c.stands)
		c.stands.At = noon.Add(-time.Second) // the provider's clock is only estimated
		_, err := s.SubmitEvidence(ports.NewOutbound(t.Context()), p, of, delivered)
		if d := c.kept.Disputes[0]; !fault.Is(err, want) || d.Status != c.stands.Status || d.Response != c.stands.Response || !d.AnsweredAt.IsZero() || c.sent > 0 {
			t.Errorf("%s: %v, %+v", want, err, d)
		}
	}
}

func TestSubmitEvidence_refused(t *testing.T) {
	t.Parallel()
	for want, cause := range map[string]error{
		"provider_unavailable":    errors.New("no answer"),
		"response_refused":        &ports.DisputeRefusal{Code: "too_late"},
		"credentials_refused":     ports.ErrCredentialsRefused,
		"responses_not_supported": ports.ErrNoResponses,
	} {
		c, s, p, of := disputed(t)
		c.err = cause
		if _, err := s.SubmitEvidence(ports.NewOutbound(t.Context()), p, of, delivered); !fault.Is(err, want) {
			t.Errorf("%v: %v", cause, err)
		}
		if _, err := s.AcceptDispute(ports.NewOutbound(t.Context()), p, of); !fault.Is(err, want) {
			t.Errorf("%v: accepted: %v", cause, err)
		}
	}
	c, s, p, of := disputed(t)
	s.Gateway = c.fixture // a provider that accepts no responses
	if _, err := s.SubmitEvidence(ports.NewOutbound(t.Context()), p, of, delivered); !fault.Is(err, "responses_not_supported") {
		t.Errorf("a provider without responses: %v", err)
	}
	if _, err := s.SubmitEvidence(ports.NewOutbound(t.Context()), p, of, order.Evidence{}); !fault.Is(err, "validation_error") {
		t.Errorf("no evidence: %v", err)
	}
	if _, err := s.SubmitEvidence(ports.NewOutbound(t.Context()), p, id.New[id.Dispute]([16]byte{99}), delivered); !fault.Is(err, "dispute_not_found") {
		t.Errorf("no dispute: %v", err)
	}
}

// A dispute that is accepted is lost. Accepting it again does not ask the provider.
func TestAcceptDispute(t *testing.T) {
	t.Parallel()
	c, s, p, of := disputed(t)
	for range 2 {
		r, err := s.AcceptDispute(ports.NewOutbound(t.Context()), p, of)
		if err != nil {
			t.Fatal(err)
		}
		d, err := s.RecordResponse(t.Context(), r)
		if err != nil || d.Status != order.DisputeLost || !d.AnsweredAt.IsZero() {
			t.Errorf("%+v, %v", d, err)
		}
	}
	if last := c.announced[len(c.announced)-1].Data.Type(); last != event.DisputeClosedType || c.sent != 1 || len(c.announced) != 2 {
		t.Errorf("announced %v, sent %d times", c.announced, c.sent)
	}
	if _, err := s.SubmitEvidence(ports.NewOutbound(t.Context()), p, of, delivered); !fault.Is(err, "dispute_closed") {
		t.Errorf("evidence after that: %v", err)
	}
}
