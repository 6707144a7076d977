package syncing_test

import (
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// customer stores one, known by its purchases.
func customer(s *porttest.Shop, i *integration.Integration, remote, email string, purchases int) *syncrun.ExternalRecord {
	s.T.Helper()
	c := copied(recorded(s, i.ID, syncrun.Customers), 1)[0]
	c.Remote, c.Local, c.Email = remote, "", email
	c.Customer = &syncrun.Customer{
		Email:     email,
		Name:      remote,
		Tier:      "gold",
		Purchases: purchases,
	}
	saveRecords(s, c)
	return c
}

func known(s *porttest.Shop, email string) *syncrun.Customer {
	s.T.Helper()
	got, err := s.CopyReader.Customer(s.Ctx, s.Project.ID, email)
	s.Must(err)
	return got
}

func copyCustomer(s *porttest.Shop) {
	const email = "ada@example.com"
	crm, shopify, own := s.Connect(integration.HubSpot, porttest.Noon), s.Connect(integration.Shopify, porttest.Noon), s.Connect(integration.Custom, porttest.Noon)
	carrier := s.Connect(integration.ShipStation, porttest.Noon)
	neighbour := porttest.OpenShop(s.T, s.Stores)
	customer(neighbour, neighbour.Connect(integration.HubSpot, porttest.Noon), "1", email, 99)
	customer(s, carrier, "1", email, 98)
	customer(s, crm, "1", "", 97)
	order := copied(recorded(s, shopify.ID, syncrun.Orders), 1)[0]
	order.Email, order.Order = email, &syncrun.Order{}
	saveRecords(s, order)
	porttest.Same(s.T, "nobody", known(s, email), (*syncrun.Customer)(nil))
	first := customer(s, crm, "2", email, 3)
	porttest.Same(s.T, "of the CRM", known(s, email), first.Customer)
	second := customer(s, shopify, "1", email, 7)
	customer(s, shopify, "2", email, 5)
	porttest.Same(s.T, "with the most purchases", known(s, email), second.Customer)
	third := customer(s, own, "1", email, 8)
	porttest.Same(s.T, "of an own system", known(s, email), third.Customer)
	third.Removed = true
	saveRecords(s, third)
	porttest.Same(s.T, "once it is removed", known(s, email), second.Customer)
	porttest.Same(s.T, "of no address", known(s, ""), (*syncrun.Customer)(nil))
}

func copyCustomerGone(s *porttest.Shop) {
	const email = "ada@example.com"
	crm, shopify := s.Connect(integration.HubSpot, porttest.Noon), s.Connect(integration.Shopify, porttest.Noon)
	c, other := customer(s, crm, "1", email, 3), customer(s, shopify, "1", email, 7)
	changeIntegration(s, shopify, func(i *integration.Integration) { i.Failed(i.UpdatedAt, "Refused.", porttest.Noon) })
	porttest.Same(s.T, "of one whose credentials were refused", known(s, email), other.Customer)
	s.Must(disconnect(s, shopify.ID))
	porttest.Same(s.T, "of the other", known(s, email), c.Customer)
	s.Must(disconnect(s, crm.ID))
	porttest.Same(s.T, "of none", known(s, email), (*syncrun.Customer)(nil))
}
