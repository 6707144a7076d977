package purchase

import (
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// ReviseRequest replaces the whole cart of a checkout. Items that name a line keep it. Its session is the checkout's.
type ReviseRequest struct {
	InitRequest

	Checkout id.Checkout
	Revision int    // that the request was made by; 0: whichever there is
	Option   string // "" for the one selected, or the cheapest
}

// PreparedRevision is a new cart that is not stored yet.
type PreparedRevision struct {
	Checkout *checkout.Checkout // as it is once Commit has returned

	project  *project.Project
	revision int // that the cart was priced by
	cart     checkout.Cart
	option   string
	session  *session.Session // nil: it is past
	touched  session.Touched
}

// PrepareRevise prices a new cart for an open checkout, and asks the agent for consent. It writes nothing.
func (s *Service) PrepareRevise(ctx ports.Outbound, p *project.Project, r ReviseRequest) (*PreparedRevision, error) {
	c, err := s.Checkouts.Get(ctx, p.ID, r.Checkout)
	if err != nil {
		return nil, err
	}
	before := c.Snapshot()
	r.Session = before.Session
	mandate, err := s.Mandates.Mandate(ctx, p, r.Session)
	if err != nil {
		return nil, err
	}
	known, err := s.Haggling.Basket(ctx, p.ID, r.basket())
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
	made := &PreparedRevision{project: p, revision: before.Revision, option: r.Option}
	if touched, err := known.Session.Touch(nil, p.Settings.SessionTimeout(), known.Now); err == nil { // a past one changes nothing
		made.session, made.touched = known.Session, touched
	}
	lines, err := lines(r.InitRequest, known, before.Lines)
	if err != nil {
		return nil, err
	}
	if err := s.consentTo(ctx, agent.Scene{Project: p, Session: known.Session, Mandate: mandate}, lines); err != nil {
		return nil, err
	}
	made.cart = r.cart(lines)
	if err := c.Revise(p, made.cart, r.Option, known.Now); err != nil {
		return nil, err
	}
	made.Checkout = c
	return made, s.expressible(p, c)
}

// Commit stores the new cart, unless the checkout was claimed, ended or revised meanwhile.
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
		if err := c.Revise(r.project, r.cart, r.option, now); err != nil {
			return err
		}
		r.Checkout = c
		return tx.Revise(ctx, c, r.project.Version)
	})
}

// keptLines are the lines of before whose agreed prices items keep, by the index of the item. Each item may name a line,
// and no two the same. An item that names one gets its variant.
func keptLines(items []InitItem, before []checkout.Line) (map[int]checkout.Line, error) {
	kept, named := map[int]checkout.Line{}, map[int]bool{}
	for i, item := range items {
		if item.Line == 0 {
			continue
		}
		at := slices.IndexFunc(before, func(l checkout.Line) bool { return l.ID == item.Line })
		switch {
		case at < 0:
			return nil, fault.Field(itemField(i, "line_id"), "is not a line of this checkout")
		case named[item.Line]:
			return nil, fault.Field(itemField(i, "line_id"), "is the line of another item already")
		case before[at].Product != item.Product, !item.Variant.IsZero() && before[at].Variant != item.Variant:
			return nil, fault.Field(itemField(i, "line_id"), "is a line of another product or variant; leave it out for a new line")
		}
		named[item.Line] = true
		items[i].Variant = before[at].Variant
		if !before[at].Quote.IsZero() && item.TokenHash == "" {
			kept[i] = before[at]
		}
	}
	return kept, nil
}
