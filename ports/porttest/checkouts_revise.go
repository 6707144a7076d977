package porttest

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

func checkoutRevised(s *Shop) {
	p := s.Product(5)
	sess := s.Session()
	c := s.newCheckout(sess, Line(p, 2))
	nowhere := checkout.Cart{
		Lines:   []checkout.Line{AgreedLine(p, s.Agree(sess, p, 1))},
		Strict:  true,
		Partial: true,
	}
	s.Must(c.Revise(s.Project, nowhere, Noon))
	s.Must(s.openCheckout(c))
	Same(s.T, "incomplete", s.Stored(c).Snapshot(), c.Snapshot())

	home := c.Snapshot().Lines
	cart := checkout.Cart{
		Lines:  append([]checkout.Line{Line(p, 1)}, home...),
		Strict: true,
		Option: "express",
		Address: checkout.Address{
			Name:       "Ada Lovelace",
			Line1:      "1 Main St",
			City:       "Springfield",
			State:      "Illinois",
			PostalCode: "62701",
			Country:    "US",
		},
		Buyer: checkout.Buyer{
			First: "Ada",
			Last:  "Lovelace",
			Email: "ada@example.com",
			Phone: "+1 555 0100",
		},
	}
	revise := func(version int64) (revised *checkout.Checkout, err error) {
		err = s.Checkouts.InTx(s.Ctx, s.Project.ID, func(tx ports.Purchase) error {
			if revised, _, err = tx.Lock(s.Ctx, c.ID()); err != nil {
				return err
			}
			if err := revised.Revise(s.Project, cart, Noon.Add(time.Minute)); err != nil {
				return err
			}
			return tx.Revise(s.Ctx, revised, version)
		})
		return revised, err
	}
	if _, err := revise(s.Project.Version + 1); !fault.Is(err, ports.ProjectChanged) {
		s.T.Errorf("by another version of the project: %v", err)
	}
	Same(s.T, "not revised", s.Stored(c).Snapshot(), c.Snapshot())
	revised, err := revise(s.Project.Version)
	s.Must(err)
	Same(s.T, "revised", s.Stored(c).Snapshot(), revised.Snapshot())
	if got := revised.Snapshot(); got.Status != checkout.Ready || got.Revision != 3 || got.Address.State != "IL" {
		s.T.Errorf("%s in revision %d, to %s", got.Status, got.Revision, got.Address.State)
	}
	claimed := s.MustClaim(c)
	Same(s.T, "claimed", s.Stored(c).Snapshot(), claimed.Snapshot())
}
