package memstore

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Checkouts is the store's view of checkouts.
type Checkouts struct{ *Store }

var _ ports.Checkouts = Checkouts{}

// open is a checkout as its reader may change it.
func open(s checkout.Snapshot) *checkout.Checkout {
	s.Lines, s.Options, s.Taken = slices.Clone(s.Lines), slices.Clone(s.Options), slices.Clone(s.Taken)
	return checkout.Rehydrate(s)
}

func (s *state) checkout(p id.Project, of id.Checkout) (*checkout.Checkout, error) {
	k := key[id.Checkout]{p, of}
	if _, bad := s.poisoned.rows[k]; bad {
		return nil, unreadable("checkout " + of.String())
	}
	row, known := s.checkouts.rows[k]
	if !known {
		return nil, fault.Missing("checkout")
	}
	return open(row), nil
}

func (s *state) save(c *checkout.Checkout) {
	row := open(c.Snapshot()).Snapshot()
	s.checkouts.put(s, key[id.Checkout]{row.Project, row.ID}, row)
}

func (v Checkouts) Create(ctx context.Context, c *checkout.Checkout, visit *session.Session, t session.Touched, version int64) error {
	return v.inTx(ctx, func(s *state) error {
		row := c.Snapshot()
		if _, known := s.sessions.rows[key[id.Session]{row.Project, row.Session}]; !known {
			return fault.Missing("session")
		}
		if err := s.unchanged(row.Project, version); err != nil {
			return err
		}
		if t.Any() {
			s.touch(visit, t)
		}
		if _, another := s.checkoutOfCart(key[id.Session]{row.Project, row.Session}); another && row.FromCart {
			return ports.Stale
		}
		open, now := 0, v.Now()
		for k, o := range s.checkouts.rows {
			payable := o.Status.Open() && o.ValidUntil.After(now)
			if k.project == row.Project && o.Session == row.Session && (payable || o.Status == checkout.Processing) {
				open++
			}
		}
		if open >= checkout.MaxOpen {
			return account.Full(checkout.MaxOpen, "open checkouts", "a session").After(checkout.OpenPause)
		}
		s.save(c)
		return nil
	})
}

func (v Checkouts) Get(ctx context.Context, p id.Project, of id.Checkout) (*checkout.Checkout, error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, err
	}
	return s.checkout(p, of)
}

func (v Checkouts) UndecidedAttempts(ctx context.Context, p id.Project) (list []*checkout.Checkout, err error) {
	s, err := v.read(ctx)
	if err != nil {
		return nil, err
	}
	for k, c := range s.checkouts.rows {
		if k.project == p && c.Status == checkout.Processing {
			list = append(list, open(c))
		}
	}
	return list, nil
}

func (v Checkouts) InTx(ctx context.Context, p id.Project, work func(ports.Purchase) error) error {
	return v.inTx(ctx, func(s *state) error { return work(purchase{v.Store, s, p}) })
}

func (v Checkouts) PayAttempts(ctx context.Context, p id.Project, of id.Checkout, client string, window time.Duration) (ports.PayAttempts, error) {
	s, err := v.read(ctx)
	if err != nil {
		return ports.PayAttempts{}, err
	}
	c, err := s.checkout(p, of)
	if err != nil {
		return ports.PayAttempts{}, err
	}
	now := v.Now()
	found := ports.PayAttempts{Checkout: c, Now: now}
	for _, payer := range checkout.Payers(c.Snapshot().Session, client) {
		n, first := s.declined(p, payer, now.Add(-window))
		if n > found.Declines {
			found.Declines, found.First = n, first
		}
		found.Attempts = max(found.Attempts, n+s.inFlight(p, payer, now.Add(-window)))
	}
	return found, nil
}

// inFlight counts a payer's attempts in flight that were claimed after a time.
func (s *state) inFlight(p id.Project, payer string, since time.Time) (n int) {
	for k, c := range s.checkouts.rows {
		if k.project == p && c.Status == checkout.Processing && c.ClaimedAt.After(since) && slices.Contains(checkout.Payers(c.Session, c.Payment.Client), payer) {
			n++
		}
	}
	return n
}

// declined counts a subject's declines after a time.
func (s *state) declined(p id.Project, subject string, since time.Time) (n int, first time.Time) {
	for d, at := range s.declines.rows {
		if d.project == p && d.subject == subject && at.After(since) {
			if n++; n == 1 || at.Before(first) {
				first = at
			}
		}
	}
	return n, first
}

func (v Checkouts) ForgetDeclines(ctx context.Context, before time.Time) error {
	return v.inTx(ctx, func(s *state) error {
		for d, at := range s.declines.rows {
			if at.Before(before) {
				s.declines.drop(s, d)
			}
		}
		return nil
	})
}

// Lapsed leases checkouts whose payment attempt no process works on.
func (s *Store) Lapsed() ports.LapsedCheckouts {
	return queue[*checkout.Checkout]{
		Store: s, name: "payments",
		list: func(s *state, now time.Time) (list []due[*checkout.Checkout]) {
			for k, c := range s.checkouts.rows {
				at := c.LeaseUntil
				if c.RetryAt.After(at) {
					at = c.RetryAt
				}
				if c.Status == checkout.Processing && !at.After(now) {
					group := c.Payment.Route.Integration.String()
					list = append(list, due[*checkout.Checkout]{
						project: k.project,
						row:     k.id.String(),
						group:   cmp.Or(group, k.project.String()),
						at:      at,
					})
				}
			}
			return list
		},
		lease: func(s *state, d due[*checkout.Checkout], until time.Time) (*checkout.Checkout, error) {
			k := key[id.Checkout]{d.project, id.Stored[id.Checkout](d.row)}
			row := s.checkouts.rows[k]
			row.LeaseUntil = until
			s.checkouts.put(s, k, row)
			return s.checkout(k.project, k.id)
		},
		held: func(s *state, h ports.Held) bool {
			row := s.checkouts.rows[key[id.Checkout]{h.Project, id.Stored[id.Checkout](h.Key)}]
			return row.Status == checkout.Processing && row.LeaseUntil.Equal(h.Until)
		},
		postpone: func(s *state, h ports.Held, until time.Time) {
			k := key[id.Checkout]{h.Project, id.Stored[id.Checkout](h.Key)}
			row := s.checkouts.rows[k]
			row.RetryAt = until
			s.checkouts.put(s, k, row)
		},
	}
}

// purchase is one transaction of a purchase.
type purchase struct {
	*Store
	s       *state
	project id.Project
}

var _ ports.Purchase = purchase{}

func (p purchase) Lock(_ context.Context, of id.Checkout) (*checkout.Checkout, time.Time, error) {
	c, err := p.s.checkout(p.project, of)
	return c, p.Now(), err
}

func (p purchase) LockWithStock(
	ctx context.Context, of id.Checkout, needs []catalog.Need, _ []string,
) (*checkout.Checkout, []catalog.Level, time.Time, error) {
	c, now, err := p.Lock(ctx, of)
	if err != nil {
		return nil, nil, now, err
	}
	levels := p.s.levels(p.project, func(product catalog.Product, v catalog.Variant) bool {
		return product.Status == catalog.Active && slices.ContainsFunc(needs, func(n catalog.Need) bool { return n.Variant == v.ID })
	})
	return c, levels, now, nil
}

func (s *state) policy(of id.Project, variant id.Variant) catalog.InventoryPolicy {
	for k, product := range s.products.rows {
		if v, has := product.Variant(variant); has && k.project == of {
			return v.InventoryPolicy
		}
	}
	return catalog.Tracked
}

func (p purchase) Save(_ context.Context, c *checkout.Checkout, e *event.Event) error {
	p.s.save(c)
	return p.announce(e)
}

func (p purchase) Revise(_ context.Context, c *checkout.Checkout, version int64) error {
	if err := p.s.unchanged(p.project, version); err != nil {
		return err
	}
	p.s.save(c)
	return nil
}

func (p purchase) announce(e *event.Event) error {
	if e != nil {
		p.s.announce(e, p.Now())
	}
	return nil
}

func (p purchase) Claim(_ context.Context, c *checkout.Checkout, version int64) error {
	if err := p.s.unchanged(p.project, version); err != nil {
		return err
	}
	row := c.Snapshot()
	since := row.ClaimedAt.Add(-checkout.DeclineWindow)
	for _, payer := range checkout.Payers(row.Session, row.Payment.Client) {
		if n, _ := p.s.declined(p.project, payer, since); n+p.s.inFlight(p.project, payer, since) >= checkout.MostDeclined {
			return checkout.ErrTooManyInFlight
		}
	}
	for _, t := range catalog.Stocked(row.Taken) {
		at := place{p.project, t.Variant, t.Location}
		shelf := p.s.stock.rows[at]
		if shelf.Quantity < t.Quantity && p.s.policy(p.project, t.Variant) != catalog.Backorder {
			return fault.New(fault.Conflict, "out_of_stock", "There is not enough stock.")
		}
		left := shelf.Quantity - t.Quantity
		shelf.Quantity, shelf.Oversold = max(left, 0), shelf.Oversold+max(-left, 0)
		p.s.stock.put(p.s, at, shelf)
	}
	for _, name := range tokensOf(row.Lines) {
		k := key[id.Quote]{p.project, name}
		q, known := p.s.quotes.rows[k]
		if !known || !q.RedeemedBy.IsZero() || !q.claimedBy.IsZero() && q.claimedBy != row.ID {
			return tokenRedeemed()
		}
		q.claimedBy = row.ID
		p.s.quotes.put(p.s, k, q)
	}
	p.s.save(c)
	return nil
}

func tokenRedeemed() error {
	return fault.New(fault.Conflict, "token_redeemed", "The checkout token has been used by another checkout.")
}

func tokensOf(lines []checkout.Line) (tokens []id.Quote) {
	for _, l := range lines {
		if !l.Quote.IsZero() && !slices.Contains(tokens, l.Quote) {
			tokens = append(tokens, l.Quote)
		}
	}
	slices.SortFunc(tokens, func(a, b id.Quote) int { return strings.Compare(a.String(), b.String()) })
	return tokens
}

func (p purchase) Settle(_ context.Context, settled ports.Settlement) error {
	row := settled.Checkout.Snapshot()
	p.s.save(settled.Checkout)
	if settled.Order == nil {
		p.s.putBack(p.project, settled.PutBack)
		for _, payer := range checkout.Payers(row.Session, row.Payment.Client) {
			if !settled.Declined.IsZero() {
				p.s.declines.put(p.s, decline{p.project, payer, row.ID, row.Attempt}, settled.Declined)
			}
		}
		for _, name := range tokensOf(row.Lines) {
			k := key[id.Quote]{p.project, name}
			if q := p.s.quotes.rows[k]; q.claimedBy == row.ID && q.RedeemedBy.IsZero() {
				q.claimedBy = id.Checkout{}
				p.s.quotes.put(p.s, k, q)
			}
		}
		return p.announce(settled.Event)
	}
	for _, name := range tokensOf(row.Lines) {
		k := key[id.Quote]{p.project, name}
		q := p.s.quotes.rows[k]
		if q.claimedBy != row.ID || !q.RedeemedBy.IsZero() {
			return tokenRedeemed()
		}
		q.RedeemedBy = settled.Order.ID
		p.s.quotes.put(p.s, k, q)
	}
	p.s.takeOutBought(row)
	if err := p.s.place(settled.Order); err != nil {
		return err
	}
	return p.announce(settled.Event)
}

// putBack puts stock back where its variant still exists, up to the maximum.
func (s *state) putBack(p id.Project, takes []catalog.Reservation) {
	for _, t := range takes {
		at := place{p, t.Variant, t.Location}
		if there, known := s.stock.rows[at]; known {
			s.stock.put(s, at, there.PutBack(t.Quantity))
		}
	}
}
