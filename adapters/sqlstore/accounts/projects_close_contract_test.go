package accounts_test

import (
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func projectDelete(s *porttest.Shop) {
	p := s.Product(3)
	sess := s.Session()
	s.Must(s.Show(sess, p.ID))
	q := s.Agree(sess, p, 1)
	o := s.Pay(s.Checkout(sess, porttest.AgreedLine(p, q)))
	neighbour := porttest.OpenShop(s.T, s.Stores)
	kept := neighbour.Product(2)
	s.DeleteProject()
	_, err := s.Projects.ByID(s.Ctx, s.Project.Account, s.Project.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "project_not_found")
	_, err = s.Storefronts.ByProject(s.Ctx, s.Project.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "project_not_found")
	_, err = s.Products.Get(s.Ctx, s.Project.ID, p.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "product_not_found")
	porttest.Same(s.T, "a neighbour's stock", neighbour.Stock(kept), map[string]int{"main": 2})
	s.Must(s.Projects.Create(s.Ctx, s.Project)) // the slug is free again
	porttest.Same(s.T, "stock in the new project", s.Stock(p), map[string]int{})
	porttest.Same(s.T, "changes in the new project", s.Changes(0), ports.CatalogChanges{Changed: []*catalog.Product{}})
	_, err = s.Orders.ByID(s.Ctx, s.Project.ID, o.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "order_not_found")
	_, err = s.Checkouts.Get(s.Ctx, s.Project.ID, o.Checkout)
	porttest.WantFault(s.T, err, fault.NotFound, "checkout_not_found")
	_, err = s.Sessions.Visit(s.Ctx, s.Project.ID, sess.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "session_not_found")
	basket, err := s.Haggling.Basket(s.Ctx, s.Project.ID, ports.BasketAsk{Tokens: []string{q.Snapshot().TokenHash}})
	s.Must(err)
	porttest.Same(s.T, "agreed quotes in the new project", len(basket.Quotes), 0)
}

func projectDeletePaying(s *porttest.Shop) {
	realMoney(s)
	p := s.Product(3)
	c := s.MustClaim(s.Checkout(s.Session(), porttest.Line(p, 1)))
	porttest.WantFault(s.T, s.Projects.Delete(s.Ctx, s.Project.Account, s.Project.ID, porttest.Noon), fault.Conflict, "payment_unresolved")
	porttest.Same(s.T, "status", s.Stored(c).Status(), checkout.Processing)
	porttest.Same(s.T, "stock", s.Stock(p), map[string]int{"main": 2})
}

// Payments of the sandbox provider are not money: the project is deleted once they are decided.
func projectDeletePayingSandbox(s *porttest.Shop) {
	s.MustClaim(s.Checkout(s.Session(), porttest.Line(s.Product(3), 1)))
	s.Must(s.Projects.Delete(s.Ctx, s.Project.Account, s.Project.ID, porttest.Noon))
	settled, err := s.Closings.Settle(s.Ctx, s.Project.ID)
	s.Must(err)
	porttest.Same(s.T, "settled while a payment is undecided", settled, ports.Settled{})
}

func projectOutOfReach(s *porttest.Shop) {
	p, slug := s.Product(3), s.Project.Slug
	s.Must(s.Projects.Delete(s.Ctx, s.Project.Account, s.Project.ID, porttest.Noon))
	_, err := s.Projects.ByID(s.Ctx, s.Project.Account, s.Project.ID)
	porttest.WantFault(s.T, err, fault.NotFound, "project_not_found")
	_, err = s.Storefronts.BySlug(s.Ctx, slug)
	porttest.WantFault(s.T, err, fault.NotFound, "project_not_found")
	_, err = s.Change(func(*project.Project) error { return nil })
	porttest.WantFault(s.T, err, fault.NotFound, "project_not_found")
	porttest.WantFault(s.T, s.Projects.Delete(s.Ctx, s.Project.Account, s.Project.ID, porttest.Noon), fault.NotFound, "project_not_found")
	porttest.WantFault(s.T, s.Products.Delete(s.Ctx, s.Project.ID, p.ID, porttest.Noon), fault.NotFound, "project_not_found")
	for _, closed := range []bool{true, false} {
		list, total, err := s.Projects.List(s.Ctx, s.Project.Account, closed, ports.Page{Limit: 1000})
		s.Must(err)
		if slices.ContainsFunc(list, func(p *project.Project) bool { return p.ID == s.Project.ID }) || total != len(list) {
			s.T.Errorf("it is still listed, of %d", total)
		}
	}
	again := *s.Project
	again.ID = porttest.Random[id.Project]()
	s.Must(s.Projects.Create(s.Ctx, &again)) // the slug is free
	unfinished := func(quiet time.Duration) bool {
		list, err := s.Closings.Unfinished(s.Ctx, quiet, 1000)
		s.Must(err)
		return slices.Contains(list, s.Project.ID)
	}
	porttest.Same(s.T, "to be finished at once, later", []bool{unfinished(0), unfinished(time.Hour)}, []bool{true, false})
	s.FinishClosing()
	porttest.Same(s.T, "to be finished", unfinished(0), false)
}

func projectRefundFirst(s *porttest.Shop) {
	o, refund := s.Sold(s.Product(5), 1), porttest.Random[id.Refund]()
	s.CarryOn(o.ID, func(c *order.Case) error { return c.Refund(refund, nil, "", porttest.Noon) })
	s.Must(s.Projects.Delete(s.Ctx, s.Project.Account, s.Project.ID, porttest.Noon))
	settled, err := s.Closings.Settle(s.Ctx, s.Project.ID)
	s.Must(err)
	porttest.Same(s.T, "settled while a refund is pending", settled, ports.Settled{})
	s.CarryOn(o.ID, func(c *order.Case) error {
		return c.SettleRefund(refund, order.Refunded{Provider: "re_1"}, porttest.Random[id.Event](), porttest.Noon)
	})
	settled, err = s.Closings.Settle(s.Ctx, s.Project.ID)
	s.Must(err)
	porttest.Same(s.T, "settled", settled, ports.Settled{Ready: true})
	s.FinishClosing()
}

// realMoney has the shop's payments go through a provider that moves real money.
func realMoney(s *porttest.Shop) {
	s.Route = project.PaymentRoute{Provider: "stripe", Integration: porttest.Random[id.Integration]()}
}

func projectClosed(s *porttest.Shop) {
	realMoney(s)
	o := s.Sold(s.Product(3), 1)
	slug := s.Project.Slug
	s.GaveBack(o, 1)
	_, err := s.Sealer.Seal(s.Ctx, 1000)
	s.Must(err)
	s.Must(s.Projects.Delete(s.Ctx, s.Project.Account, s.Project.ID, porttest.Noon))
	closing := s.ByID(s.Project.ID)
	porttest.Same(s.T, "status", closing.Status, project.Closing)
	_, err = s.Storefronts.BySlug(s.Ctx, slug)
	porttest.WantFault(s.T, err, fault.NotFound, "project_not_found")
	s.FinishClosing()
	porttest.Same(s.T, "status", s.ByID(s.Project.ID).Status, project.Closed)
	list, _, err := s.Projects.List(s.Ctx, s.Project.Account, true, ports.Page{Limit: 1000})
	s.Must(err)
	porttest.Same(s.T, "listed as closed", slices.ContainsFunc(list, func(p *project.Project) bool { return p.ID == s.Project.ID }), true)

	kept := s.OrderCase(o.ID)
	porttest.Same(s.T, "total", kept.Order.Total, o.Total)
	porttest.Same(s.T, "payment", kept.Order.Payment.Provider, o.Payment.Provider)
	porttest.Same(s.T, "refunded", kept.Order.Payment.Refunded, porttest.USD(1))
	porttest.Same(s.T, "address", kept.Order.Address, checkout.Address{State: o.Address.State, Country: o.Address.Country})
	porttest.Same(s.T, "e-mail and notes", kept.Order.Email+kept.Order.Notes, "")
	_, n, err := s.Ledger.Transactions(s.Ctx, s.Project.ID, ports.TransactionFilter{}, ports.Page{Limit: 10})
	s.Must(err)
	porttest.Same(s.T, "ledger transactions", n, 2)
	c, err := s.Checkouts.Get(s.Ctx, s.Project.ID, o.Checkout)
	s.Must(err)
	porttest.Same(s.T, "the checkout's e-mail, notes and client", c.Snapshot().Payment.Email+c.Snapshot().Payment.Notes+c.Snapshot().Payment.Client, "")
	_, total, err := s.Log.Events(s.Ctx, s.Project.ID, event.Type{}, ports.Page{Limit: 1})
	s.Must(err)
	porttest.Same(s.T, "events", total, 0)

	// The books go on.
	refund := porttest.Random[id.Refund]()
	after := s.CarryOn(o.ID, func(c *order.Case) error {
		return c.Refund(refund, porttest.Pointer(porttest.USD(2)), "", porttest.Noon)
	})
	porttest.Same(s.T, "refunding", after.Order.Payment.Refunding, porttest.USD(2))
}

// Money moves at a closed project's provider for some time: its credentials are kept.
func projectCredentials(s *porttest.Shop) {
	realMoney(s)
	o := s.Sold(s.Product(3), 1)
	due := func() bool {
		list, err := s.Closings.CredentialsDue(s.Ctx, 1000)
		s.Must(err)
		return slices.Contains(list, s.Project.ID)
	}
	expire := func(kept time.Duration) bool {
		expired, err := s.Closings.ExpireCredentials(s.Ctx, s.Project.ID, kept)
		s.Must(err)
		return expired
	}
	s.Must(s.Projects.Delete(s.Ctx, s.Project.Account, s.Project.ID, porttest.Noon))
	porttest.Same(s.T, "due before it is closed", due(), false)
	s.FinishClosing()
	porttest.Same(s.T, "due once it is closed", due(), true)
	porttest.Same(s.T, "expired 100 years after the charge", expire(100*365*24*time.Hour), false)
	porttest.Same(s.T, "due again at once", due(), false)
	refund := porttest.Random[id.Refund]()
	s.CarryOn(o.ID, func(c *order.Case) error {
		return c.Refund(refund, porttest.Pointer(porttest.USD(1)), "", porttest.Noon)
	})
	porttest.Same(s.T, "expired while a refund is under way", expire(0), false)
	s.CarryOn(o.ID, func(c *order.Case) error {
		return c.SettleRefund(refund, order.Refunded{Provider: "re_1"}, porttest.Random[id.Event](), porttest.Noon)
	})
	porttest.Same(s.T, "expired", expire(0), true)
	porttest.Same(s.T, "due again within a day", due(), false)
	s.Must(s.Closings.CredentialsErased(s.Ctx, s.Project.ID))
	porttest.Same(s.T, "due once they are erased", due(), false)
	_, total, err := s.Log.Events(s.Ctx, s.Project.ID, event.Type{}, ports.Page{Limit: 1})
	s.Must(err)
	porttest.Same(s.T, "events of a closed project", total, 0)
}

// Nobody here asks for a refund that was made at the provider, so nobody waits for its end.
func projectExternalRefund(s *porttest.Shop) {
	realMoney(s)
	o := s.Sold(s.Product(3), 1)
	s.CarryOn(o.ID, func(c *order.Case) error {
		ids := order.RefundIDs{
			Refund:   porttest.Random[id.Refund](),
			Announce: porttest.Random[id.Event](),
			Reversal: porttest.Random[id.Transaction](),
		}
		return c.ReportRefund(order.ExternalRefund{
			Charge:   o.Payment.Provider,
			Provider: "re_elsewhere",
			Amount:   porttest.USD(2),
			Outcome:  order.RefundPending{Provider: "re_elsewhere"},
			At:       porttest.Noon,
		}, ids, porttest.Noon)
	})
	s.Must(s.Projects.Delete(s.Ctx, s.Project.Account, s.Project.ID, porttest.Noon))
	settled, err := s.Closings.Settle(s.Ctx, s.Project.ID)
	s.Must(err)
	porttest.Same(s.T, "settled", settled, ports.Settled{Books: true, Ready: true})
}

func projectLateMoney(s *porttest.Shop) {
	p := s.Product(3)
	c := s.Checkout(s.Session(), porttest.Line(p, 1))
	s.Must(s.Projects.Delete(s.Ctx, s.Project.Account, s.Project.ID, porttest.Noon))
	realMoney(s)
	s.Reread()
	o := s.Pay(c)
	settled, err := s.Closings.Settle(s.Ctx, s.Project.ID)
	s.Must(err)
	porttest.Same(s.T, "settled", settled, ports.Settled{Books: true, Ready: true})
	s.FinishClosing()
	porttest.Same(s.T, "status", s.ByID(s.Project.ID).Status, project.Closed)
	porttest.Same(s.T, "total", s.OrderCase(o.ID).Order.Total, o.Total)
}

func projectStatistics(s *porttest.Shop) {
	bought := s.Product(5)
	gone := s.Product(1)
	s.Must(s.Products.Delete(s.Ctx, s.Project.ID, gone.ID, porttest.Noon))
	sess := s.Session()
	first, second := s.Pay(s.Checkout(sess, porttest.Line(bought, 1))), s.Pay(s.Checkout(sess, porttest.Line(bought, 2)))
	porttest.OpenShop(s.T, s.Stores).Product(1)
	s.Draft()
	got, err := s.Statistics.Statistics(s.Ctx, s.Project, porttest.Noon)
	s.Must(err)
	want := ports.Statistics{
		Products: 1,
		Agents:   2,
		Orders:   2,
		Revenue:  porttest.USD(first.Total.Minor() + second.Total.Minor()),
	}
	porttest.Same(s.T, "statistics", got, want)
	got, err = s.Statistics.Statistics(s.Ctx, s.Project, porttest.Noon.Add(24*time.Hour))
	s.Must(err)
	porttest.Same(s.T, "statistics of a later time", got, ports.Statistics{
		Products: 1,
		Agents:   2,
		Revenue:  porttest.USD(0),
	})
}

func projectUpdateRace(s *porttest.Shop) {
	s.Must(porttest.AtOnce(porttest.Racers, func(int) error {
		_, err := s.Change(func(p *project.Project) error {
			p.Description += "."
			return nil
		})
		return err
	}))
	porttest.Same(s.T, "changes", s.ByID(s.Project.ID).Description, strings.Repeat(".", porttest.Racers))
}
