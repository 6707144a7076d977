package haggling

import (
	"context"
	"errors"
	"time"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Named identifies a negotiation by its quote, whose id authorizes the request.
type Named struct {
	Quote  id.Quote
	Agent  agentid.Agent // the calling agent
	Client string        // a hash of the client
}

// View is the current state of a negotiation.
type View struct {
	Quote    negotiation.Snapshot
	Product  *catalog.Product    // nil: it is no longer sold
	Outcome  negotiation.Outcome // of its last answer
	Expired  bool                // its prices are no longer promised
	Final    bool                // no further offer brings a lower price
	RoundCap int                 // the counter of this number is final
	// Personalized is the notice to the buyer if personal signals moved the price; nil: none did.
	Personalized *personalization.Notice
}

// Read returns the state of a negotiation at current prices. It changes nothing but the time of the session's last use.
func (s *Service) Read(ctx context.Context, p *project.Project, n Named) (*View, error) {
	v, _, err := s.view(ctx, p, n)
	return v, err
}

// Decline closes a negotiation because the buyer gives up. Declining it again keeps the first reason.
func (s *Service) Decline(ctx context.Context, p *project.Project, n Named, why negotiation.Reason) (*View, error) {
	v, q, err := s.view(ctx, p, n)
	if err != nil {
		return nil, err
	}
	changed, err := q.Decline(why, s.Clock.Now())
	if err != nil || !changed {
		return v, err
	}
	if err := s.Haggling.Decline(ctx, q); err != nil {
		return nil, err
	}
	v.Quote = q.Snapshot()
	return v, nil
}

// view loads a negotiation and notes the use of its session. It returns the quote as it is stored.
func (s *Service) view(ctx context.Context, p *project.Project, n Named) (*View, *negotiation.Quote, error) {
	now := s.Clock.Now()
	h, mandate, err := s.load(ctx, p, ports.HaggleAsk{Quote: n.Quote, Client: n.Client}, now)
	if err != nil {
		return nil, nil, err
	}
	if h.Quote == nil || h.Session == nil || !n.Agent.FindsWhatWasMadeBy(h.Session.Agent) {
		return nil, nil, fault.Missing("quote")
	}
	if mandate, err = s.Mandates.Mandate(ctx, p, h.Session.ID); err != nil {
		return nil, nil, err
	}
	touched, err := h.Session.Touch(nil, p.Settings.SessionTimeout(), now)
	over := errors.Is(err, session.ErrExpired)
	if err != nil && !over {
		return nil, nil, err
	}
	if err := s.Sessions.Keep(ctx, h.Session, touched); err != nil {
		return nil, nil, err
	}
	seen, err := s.Sessions.Visit(ctx, p.ID, h.Session.ID)
	if err != nil {
		return nil, nil, err
	}
	stored := negotiation.Rehydrate(h.Quote.Snapshot())
	v := &View{
		Product:  h.Product,
		Outcome:  lastOutcome(seen.History, n.Quote),
		Expired:  over || h.Quote.Expired(now),
		RoundCap: mandate.Policy.RoundCap,
	}
	if h.Quote.Snapshot().State == negotiation.Open && !v.Expired {
		v.Final, err = refresh(p, h, mandate, now)
	}
	v.Quote = h.Quote.Snapshot()
	v.Personalized = notice(p, v.Quote.Personal)
	return v, stored, err
}

// refresh reprices a loaded quote with the current policy and product, as the next offer on it would, and reports whether its
// price is final. It stores nothing, because the next offer reprices the quote again.
func refresh(p *project.Project, h ports.Haggle, mandate agent.Mandate, now time.Time) (final bool, err error) {
	item := h.Quote.Snapshot().Item
	if h.Product == nil {
		return true, nil
	}
	v, ok := h.Product.Variant(item.Variant)
	if !ok {
		return true, nil
	}
	signals, region := signalsOf(p, h, v, item.Quantity, h.Session)
	if err := h.Quote.Resume(mandate.Policy, signals, now); err != nil {
		return false, err
	}
	h.Quote.Personalize(personalization.Signals{}, region)
	return h.Quote.Snapshot().Final(mandate.Policy.Terms(signals)), nil
}

func lastOutcome(history []negotiation.Entry, of id.Quote) (last negotiation.Outcome) {
	for _, e := range history {
		if e.Quote == of {
			last = e.Outcome
		}
	}
	return last
}
