package purchase

import (
	"context"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/app/pricing"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// ReviseRequest replaces the whole cart of a checkout. Items keep the line that they name, or else a matching one
// (pricing.Match). The session is the checkout's.
type ReviseRequest struct {
	InitRequest

	Checkout id.Checkout
	Revision int // that the request is based on; 0: any
}

// PreparedRevision is a new cart that is not stored yet.
type PreparedRevision struct {
	Checkout *checkout.Checkout // revised; Commit replaces it by the stored one
	// Unused, Findings and Short are as in PreparedInit.
	Unused   []checkout.Agreement
	Findings []pricing.Finding
	Short    []checkout.Shortage
	Dropped  []checkout.Dropped // agreed prices that lenient items lost

	project  *project.Project
	revision int // of the checkout when the cart was priced
	cart     checkout.Cart
	session  *session.Session
	touched  session.Touched
}

// PrepareRevise prices a new cart for an open checkout and asks the agent for consent. It writes nothing.
func (s *Service) PrepareRevise(ctx ports.Outbound, p *project.Project, r ReviseRequest) (*PreparedRevision, error) {
	if err := s.checkHook(r.Hook); err != nil {
		return nil, err
	}
	c, err := s.Checkouts.Get(ctx, p.ID, r.Checkout)
	if err != nil {
		return nil, err
	}
	if err := (Named{r.Checkout, r.Agent}).check(c); err != nil {
		return nil, err
	}
	before := c.Snapshot()
	r.Session = before.Session
	sent := r.Lenient
	r.keepDeals(before.Lines)
	known, err := s.Haggling.Basket(ctx, p.ID, r.query())
	switch {
	case err != nil:
		return nil, err
	case known.Session == nil:
		return nil, fault.Missing("session")
	}
	if err := c.Revisable(known.Now); err != nil {
		return nil, err
	}
	if r.Revision != 0 && r.Revision != before.Revision {
		return nil, checkout.ErrChanged
	}
	sess := known.Session
	touched, err := sess.Touch(nil, p.Settings.SessionTimeout(), known.Now)
	if err != nil { // an expired session is not updated
		touched = session.Touched{}
	}
	if err := r.selectAddress(before.Address); err != nil {
		return nil, err
	}
	if r.TokenHash == "" {
		r.Items = pricing.Match(r.Items, before.Lines)
	}
	lines, findings, err := r.price(known, before.Lines)
	if err != nil {
		return nil, err
	}
	made, err := s.prepareRevision(ctx, p, c, r, sess, lines, known.Now)
	if err != nil {
		return nil, err
	}
	made.touched, made.Unused, made.Findings = touched, checkout.Unused(lines, known.Agreed), findings
	made.Short = checkout.Short(lines, known.Stock)
	if sent != nil {
		made.Dropped = pricing.Dropped(before.Lines, lines, r.Lenient.Tokens, len(sent.Tokens), findings)
	}
	return made, nil
}

// keepDeals adds the tokens of the lines before to lenient items, if KeepDeals is set.
func (r *InitRequest) keepDeals(before []checkout.Line) {
	if r.Lenient == nil || !r.Lenient.KeepDeals {
		return
	}
	kept := *r.Lenient
	kept.Tokens = slices.Clone(kept.Tokens)
	for _, l := range before {
		if l.Token.Hash != "" && !slices.Contains(kept.Tokens, l.Token.Hash) {
			kept.Tokens = append(kept.Tokens, l.Token.Hash)
		}
	}
	r.Lenient = &kept
}

// prepareRevision revises c after the agent has consented to the lines.
func (s *Service) prepareRevision(
	ctx ports.Outbound, p *project.Project, c *checkout.Checkout, r ReviseRequest, sess *session.Session, lines []checkout.Line, now time.Time,
) (*PreparedRevision, error) {
	mandate, err := s.Mandates.Mandate(ctx, p, sess.ID)
	if err != nil {
		return nil, err
	}
	if err := s.askConsent(ctx, agent.Scene{
		Project: p,
		Session: negotiation.Given(sess, p.Storefront.Personalization, p.Storefront.Home()),
		Mandate: mandate,
	}, lines); err != nil {
		return nil, err
	}
	made := &PreparedRevision{
		Checkout: c,
		project:  p,
		revision: c.Revision(),
		cart:     r.cart(lines),
		session:  sess,
	}
	if err := c.Revise(p, made.cart, now); err != nil {
		return nil, err
	}
	return made, s.checkChargeable(p, c)
}

// Commit stores the new cart. It returns an error if the checkout was claimed, ended or revised meanwhile.
func (r *PreparedRevision) Commit(ctx context.Context, stores *ports.Stores) error {
	if r.touched.Any() {
		if err := stores.Sessions.Keep(ctx, r.session, r.touched); err != nil {
			return err
		}
	}
	return stores.Checkouts.InTx(ctx, r.project.ID, func(tx ports.Purchase) error {
		c, now, err := tx.Lock(ctx, r.Checkout.ID())
		if err != nil {
			return err
		}
		if err := c.Revisable(now); err != nil {
			return err
		}
		if c.Revision() != r.revision {
			return checkout.ErrChanged
		}
		if err := c.Revise(r.project, r.cart, now); err != nil {
			return err
		}
		r.Checkout = c
		return tx.Revise(ctx, c, r.project.Version)
	})
}
