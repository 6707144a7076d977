package discovery_test

import (
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
)

// The agent chooses from the index's hits, and its choice is the answer.
func TestSelectHits_agentChoice(t *testing.T) {
	t.Parallel()
	s, tent, lantern := stocked()
	s.products = append(s.products, lantern)
	service, p := open(s)
	s.agent.choose = func(in agent.SearchInput) (agent.SearchAnswer, error) {
		return in.Only(func(h catalog.Hit) bool { return h.Product == lantern }), nil
	}
	a, err := search(t, service, p, discovery.SearchRequest{Query: catalog.Query{Text: "light"}})
	if err != nil || len(a.Found.Hits) != 1 || a.Found.Hits[0].Product != lantern || a.Found.Total != 2 {
		t.Fatalf("%+v, %v", a.Found, err)
	}
	in := s.agent.asked[0]
	if in.Query.Text != "light" || in.Project != p || in.Session != a.Session || in.Mandate.Agent == nil {
		t.Errorf("asked %+v", in)
	}
	if hits := in.Candidates.Hits; len(hits) != 2 || hits[0].Product != tent || in.Candidates.Total != 2 {
		t.Errorf("from %+v", in.Candidates)
	}
}

// The buyer reads an agent's refusal of the search, and no session is opened.
func TestPrepareSearch_agentRefuses(t *testing.T) {
	t.Parallel()
	s, _, _ := stocked()
	service, p := open(s)
	s.agent.choose = func(agent.SearchInput) (agent.SearchAnswer, error) {
		return agent.SearchAnswer{}, fault.Field("query", "is required")
	}
	_, err := search(t, service, p, discovery.SearchRequest{})
	expectFault(t, err, "validation_error", "query")
	if len(s.created) != 0 || len(s.shown) != 0 {
		t.Errorf("%d sessions were opened, %d products noted", len(s.created), len(s.shown))
	}
}

// A product page and recommendations show the prices of the mandate's policy.
func TestView_mandatePolicy(t *testing.T) {
	t.Parallel()
	s, tent, _ := stocked()
	service, p := open(s)
	policy := negotiation.Builtin()
	policy.Anchor, policy.Bundles.Share = 500, 1000
	s.mandates.policy = &policy
	v, err := service.View(t.Context(), p, tent.ID, id.Session{}, nil)
	if err != nil || v.Personalized.Price != usd(90_00) || v.Personalized.Discount != 100 || v.SuggestedOffer != usd(90_00) { // half the way to 80.00
		t.Errorf("%+v from %s, %v", v.Personalized, v.SuggestedOffer, err)
	}
	policy.Anchor = 520 // the target, 89.60, would be rounded up to 90.00, but the suggested offer is never above the current price
	v, err = service.View(t.Context(), p, tent.ID, id.Session{}, nil)
	if err != nil || v.Personalized.Price != usd(89_60) || v.SuggestedOffer != usd(89_60) || v.AcceptanceFrom != usd(89_60) {
		t.Errorf("%+v from %s, %v", v.Personalized, v.SuggestedOffer, err)
	}
	policy.Anchor = 500
	a, err := search(t, service, p, discovery.SearchRequest{})
	if err != nil || a.Recommendations[0].BundleDiscount != 200 { // all the way from 50.00 to 40.00
		t.Errorf("%+v, %v", a.Recommendations, err)
	}
	policy.Bundles.Off = true
	if a, err = search(t, service, p, discovery.SearchRequest{}); err != nil || a.Recommendations[0].BundleDiscount != 0 {
		t.Errorf("%+v, %v", a.Recommendations, err)
	}
}

// The mandate is the session's, even for a session that the search itself opens.
func TestPrepareSearch_sessionMandate(t *testing.T) {
	t.Parallel()
	s, tent, _ := stocked()
	service, p := open(s)
	a, err := search(t, service, p, discovery.SearchRequest{})
	if last := s.mandates.sessions[len(s.mandates.sessions)-1]; err != nil || last != a.Session.ID {
		t.Errorf("of %s in the session %s, %v", last, a.Session.ID, err)
	}
	s.session = session.Open(id.New[id.Session]([16]byte{5}), p.ID, session.Claims{}, 30*time.Minute, noon)
	s.mandates.sessions = nil
	_, searched := search(t, service, p, discovery.SearchRequest{Session: s.session.ID})
	_, viewed := service.View(t.Context(), p, tent.ID, s.session.ID, nil)
	if err := errors.Join(searched, viewed); err != nil {
		t.Fatal(err)
	}
	for _, visit := range s.mandates.sessions {
		if visit != s.session.ID {
			t.Errorf("of %s in the session %s", visit, s.session.ID)
		}
	}
}

// Without a mandate, nothing is read or written.
func TestPrepareSearch_noMandate(t *testing.T) {
	t.Parallel()
	s, tent, _ := stocked()
	service, p := open(s)
	s.mandates.err = errGone
	s.session = session.Open(id.New[id.Session]([16]byte{5}), p.ID, session.Claims{}, 30*time.Minute, noon.Add(-time.Minute))
	_, anew := search(t, service, p, discovery.SearchRequest{})
	_, again := search(t, service, p, discovery.SearchRequest{Session: s.session.ID})
	_, viewed := service.View(t.Context(), p, tent.ID, s.session.ID, nil)
	for _, err := range []error{anew, again, viewed} {
		if !errors.Is(err, errGone) {
			t.Errorf("got %v", err)
		}
	}
	if len(s.created) != 0 || s.session.LastActivity.Equal(noon) || s.readings.Load() != 0 {
		t.Errorf("%d sessions were opened, the one there was last active at %s", len(s.created), s.session.LastActivity)
	}
}

// Nothing is written, and so no transaction is open, before the agent has answered, because it may be remote. Its input has
// the claims of the request nevertheless.
func TestPrepareSearch_agentBeforeWrites(t *testing.T) {
	t.Parallel()
	s, _, _ := stocked()
	service, p := open(s)
	s.session = session.Open(id.New[id.Session]([16]byte{5}), p.ID, session.Claims{}, 30*time.Minute, noon.Add(-time.Minute))
	gold := &session.Claims{LoyaltyTier: "gold"}
	s.agent.choose = func(in agent.SearchInput) (agent.SearchAnswer, error) {
		if s.touched != 0 || len(s.shown) != 0 || in.Session.Claims != *gold {
			t.Errorf("touched %d times, noted %v, claimed %+v", s.touched, s.shown, in.Session.Claims)
		}
		return in.All(), nil
	}
	_, err := search(t, service, p, discovery.SearchRequest{Session: s.session.ID, Claims: gold})
	if err != nil || s.touched != 1 || len(s.shown) != 1 || s.session.Claims != *gold {
		t.Errorf("%v, touched %d times, noted %v, claimed %+v", err, s.touched, s.shown, s.session.Claims)
	}
}
