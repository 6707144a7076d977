package purchase

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
)

// place makes the order of a paid checkout and its event.
func (s *Service) place(p *project.Project, c *checkout.Checkout, paid checkout.Paid, now time.Time) (*order.Order, *event.Event) {
	o := order.Place(c, order.IDs{
		Order: id.New[id.Order](s.Entropy.IDBits()), Payment: id.New[id.Payment](s.Entropy.IDBits()),
		Confirmation: order.Confirmation(s.Entropy.Bits128()),
	}, order.Receipt{Provider: paid.Provider, Label: paid.Label}, p.Settings.Location(), now)
	s.Tokens.Assign(o, s.Entropy.Secret(16))
	return o, o.Announced(id.New[id.Event](s.Entropy.IDBits()), now)
}
