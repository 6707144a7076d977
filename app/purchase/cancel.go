package purchase

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Cancel cancels a checkout that is not being paid. Canceling it again changes nothing.
func (s *Service) Cancel(ctx context.Context, p *project.Project, n Named) (*checkout.Checkout, error) {
	var canceled *checkout.Checkout
	err := s.Checkouts.InTx(ctx, p.ID, func(tx ports.Purchase) error {
		c, _, err := tx.Lock(ctx, n.Checkout)
		if err != nil {
			return err
		}
		if err := n.check(c); err != nil {
			return err
		}
		canceled = c
		if c.Status() == checkout.Canceled {
			return nil
		}
		if err := c.Cancel(); err != nil {
			return err
		}
		return tx.Save(ctx, c, nil)
	})
	return canceled, err
}
