package purchase

import (
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Refuse records on an open checkout that an update was refused. It returns the checkout, which cannot be paid until another
// update succeeds.
func (s *Service) Refuse(ctx context.Context, p *project.Project, n Named, why checkout.ProblemKind) (*checkout.Checkout, error) {
	var refused *checkout.Checkout
	err := s.Checkouts.InTx(ctx, p.ID, func(tx ports.Purchase) error {
		c, now, err := tx.Lock(ctx, n.Checkout)
		if err != nil {
			return err
		}
		if err := n.check(c); err != nil {
			return err
		}
		if err := c.Refuse(why, now); err != nil {
			return err
		}
		refused = c
		return tx.Save(ctx, c, nil)
	})
	return refused, err
}

// loseDeals removes agreed prices that orders have used from a strict checkout, which could not be claimed because of a token
// of another checkout. Agreed prices of checkouts in payment are kept, because they may become available again.
func (s *Service) loseDeals(ctx context.Context, p id.Project, of id.Checkout) error {
	c, err := s.Checkouts.Get(ctx, p, of)
	if err != nil || !c.Snapshot().Strict {
		return err
	}
	ask := ports.BasketAsk{Session: c.Snapshot().Session}
	for _, l := range c.Snapshot().Lines {
		if l.Token.Hash != "" && !slices.Contains(ask.Tokens, l.Token.Hash) {
			ask.Tokens = append(ask.Tokens, l.Token.Hash)
		}
	}
	known, err := s.Haggling.Basket(ctx, p, ask)
	if err != nil {
		return err
	}
	var used []id.Quote
	for _, q := range known.Quotes {
		if !q.Snapshot().RedeemedBy.IsZero() {
			used = append(used, q.Snapshot().ID)
		}
	}
	if len(used) == 0 {
		return nil
	}
	return s.Checkouts.InTx(ctx, p, func(tx ports.Purchase) error {
		c, now, err := tx.Lock(ctx, of)
		if err != nil || !c.LoseDeals(used, now) {
			return err
		}
		return tx.Save(ctx, c, nil)
	})
}
