package porttest

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
)

// deleteProject deletes the shop's project to the last row.
func (s *shop) deleteProject() {
	s.t.Helper()
	s.must(s.Projects.Delete(s.ctx, s.project.Account, s.project.ID, noon))
	s.finishClosing()
}

// finishClosing makes every step of closing the shop's project.
func (s *shop) finishClosing() {
	s.t.Helper()
	for range 1000 {
		last, err := s.Closings.Step(s.ctx, s.project.ID)
		s.must(err)
		if last {
			return
		}
	}
	s.t.Fatal("closing the project does not end")
}

func projectDelete(s *shop) {
	p := s.product(3)
	sess := s.session()
	s.must(s.Sessions.Show(s.ctx, s.project.ID, sess.ID, []id.Product{p.ID}))
	q := s.agree(sess, p, 1)
	o := s.pay(s.checkout(sess, agreedLine(p, q)))
	neighbour := openShop(s.t, s.Stores)
	kept := neighbour.product(2)
	s.deleteProject()
	_, err := s.Projects.ByID(s.ctx, s.project.Account, s.project.ID)
	wantFault(s.t, err, fault.NotFound, "project_not_found")
	_, err = s.Storefronts.ByProject(s.ctx, s.project.ID)
	wantFault(s.t, err, fault.NotFound, "project_not_found")
	_, err = s.Products.Get(s.ctx, s.project.ID, p.ID)
	wantFault(s.t, err, fault.NotFound, "product_not_found")
	same(s.t, "a neighbour's stock", neighbour.stock(kept), map[string]int{"main": 2})
	s.must(s.Projects.Create(s.ctx, s.project)) // the slug is free again
	same(s.t, "stock in the new project", s.stock(p), map[string]int{})
	same(s.t, "changes in the new project", s.changes(0), ports.CatalogChanges{Changed: []*catalog.Product{}, Levels: []catalog.Level{}})
	_, err = s.Orders.ByID(s.ctx, s.project.ID, o.ID)
	wantFault(s.t, err, fault.NotFound, "order_not_found")
	_, err = s.Checkouts.Get(s.ctx, s.project.ID, o.Checkout)
	wantFault(s.t, err, fault.NotFound, "checkout_not_found")
	_, err = s.Sessions.Visit(s.ctx, s.project.ID, sess.ID)
	wantFault(s.t, err, fault.NotFound, "session_not_found")
	agreed, err := s.Haggling.ByToken(s.ctx, s.project.ID, []string{q.Snapshot().TokenHash})
	s.must(err)
	same(s.t, "agreed quotes in the new project", len(agreed), 0)
}

func projectDeletePaying(s *shop) {
	s.realMoney()
	p := s.product(3)
	c := s.mustClaim(s.checkout(s.session(), line(p, 1)))
	wantFault(s.t, s.Projects.Delete(s.ctx, s.project.Account, s.project.ID, noon), fault.Conflict, "payment_unresolved")
	same(s.t, "status", s.stored(c).Status(), checkout.Processing)
	same(s.t, "stock", s.stock(p), map[string]int{"main": 2})
}

// What the sandbox provider decides is no money: the project goes once it is decided.
func projectDeletePayingSandbox(s *shop) {
	s.mustClaim(s.checkout(s.session(), line(s.product(3), 1)))
	s.must(s.Projects.Delete(s.ctx, s.project.Account, s.project.ID, noon))
	settled, err := s.Closings.Settle(s.ctx, s.project.ID)
	s.must(err)
	same(s.t, "settled while a payment is undecided", settled, ports.Settled{})
}

func projectOutOfReach(s *shop) {
	p, slug := s.product(3), s.project.Slug
	s.must(s.Projects.Delete(s.ctx, s.project.Account, s.project.ID, noon))
	_, err := s.Projects.ByID(s.ctx, s.project.Account, s.project.ID)
	wantFault(s.t, err, fault.NotFound, "project_not_found")
	_, err = s.Storefronts.BySlug(s.ctx, slug)
	wantFault(s.t, err, fault.NotFound, "project_not_found")
	_, err = s.change(func(*project.Project) error { return nil })
	wantFault(s.t, err, fault.NotFound, "project_not_found")
	wantFault(s.t, s.Projects.Delete(s.ctx, s.project.Account, s.project.ID, noon), fault.NotFound, "project_not_found")
	wantFault(s.t, s.Products.Delete(s.ctx, s.project.ID, p.ID, noon), fault.NotFound, "project_not_found")
	for _, closed := range []bool{true, false} {
		list, total, err := s.Projects.List(s.ctx, s.project.Account, closed, ports.Page{Limit: 1000})
		s.must(err)
		if slices.ContainsFunc(list, func(p *project.Project) bool { return p.ID == s.project.ID }) || total != len(list) {
			s.t.Errorf("it is still listed, of %d", total)
		}
	}
	again := *s.project
	again.ID = random[id.Project]()
	s.must(s.Projects.Create(s.ctx, &again)) // the slug is free
	unfinished := func(quiet time.Duration) bool {
		list, err := s.Closings.Unfinished(s.ctx, quiet, 1000)
		s.must(err)
		return slices.Contains(list, s.project.ID)
	}
	same(s.t, "to be finished at once, later", []bool{unfinished(0), unfinished(time.Hour)}, []bool{true, false})
	s.finishClosing()
	same(s.t, "to be finished", unfinished(0), false)
}

func projectRefundFirst(s *shop) {
	o, refund := s.sold(s.product(5), 1), random[id.Refund]()
	s.carryOn(o.ID, func(c *order.Case) error { return c.Refund(refund, nil, "", noon) })
	s.must(s.Projects.Delete(s.ctx, s.project.Account, s.project.ID, noon))
	settled, err := s.Closings.Settle(s.ctx, s.project.ID)
	s.must(err)
	same(s.t, "settled while a refund is pending", settled, ports.Settled{})
	s.carryOn(o.ID, func(c *order.Case) error {
		return c.SettleRefund(refund, order.Refunded{Provider: "re_1"}, random[id.Event](), noon)
	})
	settled, err = s.Closings.Settle(s.ctx, s.project.ID)
	s.must(err)
	same(s.t, "settled", settled, ports.Settled{Ready: true})
	s.finishClosing()
}

// realMoney has the shop's payments go through a provider that moves real money.
func (s *shop) realMoney() {
	s.route = project.PaymentRoute{Provider: "stripe", Integration: random[id.Integration]()}
}

func projectClosed(s *shop) {
	s.realMoney()
	o := s.sold(s.product(3), 1)
	slug := s.project.Slug
	s.gaveBack(o, 1)
	_, err := s.Sealer.Seal(s.ctx, 1000)
	s.must(err)
	s.must(s.Projects.Delete(s.ctx, s.project.Account, s.project.ID, noon))
	closing := s.byID(s.project.ID)
	same(s.t, "status", closing.Status, project.Closing)
	_, err = s.Storefronts.BySlug(s.ctx, slug)
	wantFault(s.t, err, fault.NotFound, "project_not_found")
	s.finishClosing()
	same(s.t, "status", s.byID(s.project.ID).Status, project.Closed)
	list, _, err := s.Projects.List(s.ctx, s.project.Account, true, ports.Page{Limit: 1000})
	s.must(err)
	same(s.t, "listed as closed", slices.ContainsFunc(list, func(p *project.Project) bool { return p.ID == s.project.ID }), true)

	kept := s.orderCase(o.ID)
	same(s.t, "total", kept.Order.Total, o.Total)
	same(s.t, "payment", kept.Order.Payment.Provider, o.Payment.Provider)
	same(s.t, "refunded", kept.Order.Payment.Refunded, usd(1))
	same(s.t, "address", kept.Order.Address, checkout.Address{State: o.Address.State, Country: o.Address.Country})
	same(s.t, "e-mail and notes", kept.Order.Email+kept.Order.Notes, "")
	_, n, err := s.Ledger.Transactions(s.ctx, s.project.ID, ports.TransactionFilter{}, ports.Page{Limit: 10})
	s.must(err)
	same(s.t, "ledger transactions", n, 2)
	c, err := s.Checkouts.Get(s.ctx, s.project.ID, o.Checkout)
	s.must(err)
	same(s.t, "the checkout's e-mail, notes and client", c.Snapshot().Payment.Email+c.Snapshot().Payment.Notes+c.Snapshot().Payment.Client, "")
	_, total, err := s.Log.Events(s.ctx, s.project.ID, event.Type{}, ports.Page{Limit: 1})
	s.must(err)
	same(s.t, "events", total, 0)

	// The books go on.
	refund := random[id.Refund]()
	after := s.carryOn(o.ID, func(c *order.Case) error { return c.Refund(refund, pointer(usd(2)), "", noon) })
	same(s.t, "refunding", after.Order.Payment.Refunding, usd(2))
}

// Money moves at a closed project's provider for some time: its credentials are kept.
func projectCredentials(s *shop) {
	s.realMoney()
	o := s.sold(s.product(3), 1)
	due := func() bool {
		list, err := s.Closings.CredentialsDue(s.ctx, 1000)
		s.must(err)
		return slices.Contains(list, s.project.ID)
	}
	expire := func(kept time.Duration) bool {
		expired, err := s.Closings.ExpireCredentials(s.ctx, s.project.ID, kept)
		s.must(err)
		return expired
	}
	s.must(s.Projects.Delete(s.ctx, s.project.Account, s.project.ID, noon))
	same(s.t, "due before it is closed", due(), false)
	s.finishClosing()
	same(s.t, "due once it is closed", due(), true)
	same(s.t, "expired 100 years after the charge", expire(100*365*24*time.Hour), false)
	same(s.t, "due again at once", due(), false)
	refund := random[id.Refund]()
	s.carryOn(o.ID, func(c *order.Case) error { return c.Refund(refund, pointer(usd(1)), "", noon) })
	same(s.t, "expired while a refund is under way", expire(0), false)
	s.carryOn(o.ID, func(c *order.Case) error {
		return c.SettleRefund(refund, order.Refunded{Provider: "re_1"}, random[id.Event](), noon)
	})
	same(s.t, "expired", expire(0), true)
	same(s.t, "due again within a day", due(), false)
	s.must(s.Closings.CredentialsErased(s.ctx, s.project.ID))
	same(s.t, "due once they are erased", due(), false)
	_, total, err := s.Log.Events(s.ctx, s.project.ID, event.Type{}, ports.Page{Limit: 1})
	s.must(err)
	same(s.t, "events of a closed project", total, 0)
}

// Nobody here asks for a refund that was made at the provider, so nobody waits for its end.
func projectExternalRefund(s *shop) {
	s.realMoney()
	o := s.sold(s.product(3), 1)
	s.carryOn(o.ID, func(c *order.Case) error {
		ids := order.RefundIDs{Refund: random[id.Refund](), Announce: random[id.Event](), Reversal: random[id.Transaction]()}
		return c.ReportRefund(order.ExternalRefund{
			Charge: o.Payment.Provider, Provider: "re_elsewhere", Amount: usd(2), Outcome: order.RefundPending{Provider: "re_elsewhere"}, At: noon,
		}, ids, noon)
	})
	s.must(s.Projects.Delete(s.ctx, s.project.Account, s.project.ID, noon))
	settled, err := s.Closings.Settle(s.ctx, s.project.ID)
	s.must(err)
	same(s.t, "settled", settled, ports.Settled{Books: true, Ready: true})
}

func projectLateMoney(s *shop) {
	p := s.product(3)
	c := s.checkout(s.session(), line(p, 1))
	s.must(s.Projects.Delete(s.ctx, s.project.Account, s.project.ID, noon))
	s.realMoney()
	o := s.pay(c)
	settled, err := s.Closings.Settle(s.ctx, s.project.ID)
	s.must(err)
	same(s.t, "settled", settled, ports.Settled{Books: true, Ready: true})
	s.finishClosing()
	same(s.t, "status", s.byID(s.project.ID).Status, project.Closed)
	same(s.t, "total", s.orderCase(o.ID).Order.Total, o.Total)
}

func projectStatistics(s *shop) {
	bought := s.product(5)
	gone := s.product(1)
	s.must(s.Products.Delete(s.ctx, s.project.ID, gone.ID, noon))
	sess := s.session()
	first, second := s.pay(s.checkout(sess, line(bought, 1))), s.pay(s.checkout(sess, line(bought, 2)))
	openShop(s.t, s.Stores).product(1)
	s.draft()
	got, err := s.Statistics.Statistics(s.ctx, s.project, noon)
	s.must(err)
	want := ports.Statistics{Products: 1, Agents: 2, Orders: 2, Revenue: usd(first.Total.Minor() + second.Total.Minor())}
	same(s.t, "statistics", got, want)
	got, err = s.Statistics.Statistics(s.ctx, s.project, noon.Add(24*time.Hour))
	s.must(err)
	same(s.t, "statistics of a later time", got, ports.Statistics{Products: 1, Agents: 2, Revenue: usd(0)})
}

func projectUpdateRace(s *shop) {
	s.must(atOnce(racers, func(int) error {
		_, err := s.change(func(p *project.Project) error {
			p.Description += "."
			return nil
		})
		return err
	}))
	same(s.t, "changes", s.byID(s.project.ID).Description, strings.Repeat(".", racers))
}
