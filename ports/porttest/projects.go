package porttest

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Projects is the contract of ports.Projects, ports.Storefronts and ports.ProjectStatistics.
func Projects(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
		"a project comes back as it was stored":        projectRoundTrip,
		"lists are newest first, with totals":          projectList,
		"update stores and returns the change":         projectUpdate,
		"a failed change leaves no trace":              projectFailedChange,
		"what was read belongs to the reader":          projectNoAliasing,
		"one of sixteen gets the slug":                 projectSlugRace,
		"a slug in use can't be taken by a change":     projectSlugChange,
		"unknown and foreign projects":                 projectUnknown,
		"the currency is fixed while it is in use":     projectCurrency,
		"a deleted project is gone with all it had":    projectDelete,
		"a project being paid in can't be deleted":     projectDeletePaying,
		"a deleted project is out of reach at once":    projectOutOfReach,
		"a project is deleted after its refunds":       projectRefundFirst,
		"a project that took real money is closed":     projectClosed,
		"a late payment of real money keeps the books": projectLateMoney,
		"statistics count what is there":               projectStatistics,
		"sixteen changes of one project are all kept":  projectUpdateRace,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, stores))
		})
	}
}

// furnished is a project with a value in every field.
func (s *shop) furnished() *project.Project {
	s.t.Helper()
	name := random[id.Project]()
	p, err := project.Open(name, s.project.Account, project.Draft{
		Name: "Ægir's <Outdoor> & \"more\"", Slug: slugOf(name), Description: "Tents\nand \\ rope",
		Settings: project.SettingsPatch{
			Timezone: patch.To("Europe/Oslo"), Locale: patch.To("nb-NO"), Currency: patch.To("BHD"),
			NegotiationEnabled: patch.To(false), MaxDiscount: patch.To(money.Percent(125)),
			BundleSuggestions: patch.To(false), SubscriptionEnabled: patch.To(true),
			LLMProvider: patch.To("provider"), LLMModel: patch.To("model"), MaxTokens: patch.To(77), Temperature: patch.To(5),
			EmailEnabled: patch.To(true), ChatWebhook: patch.To("https://chat.example.com/hook"),
			AlertChannels: patch.To([]string{"chat"}), IPAllowlist: patch.To([]string{"10.0.0.0/8", "::1"}),
			MFARequired: patch.To(true), SessionMinutes: patch.To(45),
		},
	}, noon.Add(123*time.Millisecond))
	s.must(err)
	bhd := p.Settings.Currency
	s.must(p.Storefront.Change(project.StorefrontPatch{
		Description: patch.To("Fjord side"), LogoURL: patch.To("https://shop.example.com/logo.png"),
		ShippingRegions: patch.To([]string{"NO", "SE"}),
		ShippingRates: patch.To([]project.ShippingRate{
			{Region: "*", Method: "standard", Price: money.Of(1500, bhd), MinDays: 1, MaxDays: 9},
			{Region: "NO", Method: "express", Price: money.Of(0, bhd), MinDays: 1, MaxDays: 2},
		}),
		FreeShippingThreshold: patch.To(pointer(money.Of(50_000, bhd))),
		TaxRates:              patch.To([]project.TaxRate{{Country: "NO", Rate: 25_000}, {Country: "SE", State: "X", Rate: 8875}}),
		ReturnWindowDays:      patch.To(14), ReturnConditions: patch.To("As new."),
		Warehouses: patch.To([]project.Warehouse{{Location: "main", Name: "Bergen", Country: "NO", PostalCode: "5003"}}),
	}, p.Settings))
	return p
}

func slugOf(p id.Project) string { return strings.ReplaceAll(p.String(), "_", "-") }

func (s *shop) byID(p id.Project) *project.Project {
	s.t.Helper()
	got, err := s.Projects.ByID(s.ctx, s.project.Account, p)
	s.must(err)
	return got
}

func (s *shop) change(change func(*project.Project) error) (*project.Project, error) {
	return s.Projects.Update(s.ctx, s.project.Account, s.project.ID, change)
}

func projectRoundTrip(s *shop) {
	want := s.furnished()
	s.must(s.Projects.Create(s.ctx, want))
	same(s.t, "by id", s.byID(want.ID), want)
	same(s.t, "with defaults", s.byID(s.project.ID), s.project)
	got, err := s.Storefronts.BySlug(s.ctx, want.Slug)
	s.must(err)
	same(s.t, "by slug", got, want)
	got, err = s.Storefronts.ByProject(s.ctx, want.ID)
	s.must(err)
	same(s.t, "by project", got, want)
}

func projectList(s *shop) {
	var want []id.Project
	for i := range 5 {
		p := s.furnished()
		p.CreatedAt = noon.Add(time.Duration(i+1) * time.Second)
		s.must(s.Projects.Create(s.ctx, p))
		want = append([]id.Project{p.ID}, want...)
	}
	want = append(want, s.project.ID)
	for _, page := range []ports.Page{{Limit: 10}, {Limit: 2}, {Limit: 2, Offset: 3}, {Limit: 2, Offset: 5}, {Limit: 2, Offset: 9}} {
		list, total, err := s.Projects.List(s.ctx, s.project.Account, false, page)
		s.must(err)
		got := []id.Project{}
		for _, p := range list {
			got = append(got, p.ID)
		}
		same(s.t, "page", got, part(want, page))
		same(s.t, "total", total, len(want))
	}
}

// part is a page of a whole list.
func part[T any](list []T, page ports.Page) []T {
	from := min(page.Offset, len(list))
	return append([]T{}, list[from:min(from+page.Limit, len(list))]...)
}

func projectUpdate(s *shop) {
	want := *s.project
	want.Name, want.Slug, want.Description = "New", "new-"+s.project.Slug[5:], "other"
	want.Settings, want.Storefront = s.furnished().Settings, s.furnished().Storefront
	want.UpdatedAt = noon.Add(time.Hour)
	got, err := s.change(func(p *project.Project) error {
		same(s.t, "to be changed", p, s.project)
		*p = want
		return nil
	})
	s.must(err)
	same(s.t, "returned", got, &want)
	same(s.t, "stored", s.byID(s.project.ID), &want)
}

func projectFailedChange(s *shop) {
	_, err := s.change(func(p *project.Project) error {
		p.Name = "changed"
		return errPlain
	})
	same(s.t, "error", err, errPlain)
	same(s.t, "stored", s.byID(s.project.ID), s.project)
}

func projectNoAliasing(s *shop) {
	for _, read := range []func() *project.Project{
		func() *project.Project { return s.byID(s.project.ID) },
		func() *project.Project {
			p, err := s.Storefronts.BySlug(s.ctx, s.project.Slug)
			s.must(err)
			return p
		},
	} {
		p := read()
		p.Name, p.Storefront.ShippingRegions[0], p.Storefront.Warehouses[0].Name = "changed", "XX", "changed"
		same(s.t, "stored", read(), s.project)
	}
}

func projectSlugRace(s *shop) {
	slug := "race-" + s.project.Slug[5:]
	winners := s.race("slug_taken", func(int) error {
		p := s.furnished()
		p.Slug = slug
		return s.Projects.Create(s.ctx, p)
	})
	same(s.t, "winners", winners, 1)
	_, total, err := s.Projects.List(s.ctx, s.project.Account, false, ports.Page{Limit: 1})
	s.must(err)
	same(s.t, "projects", total, 2)
}

func projectSlugChange(s *shop) {
	other := s.furnished()
	s.must(s.Projects.Create(s.ctx, other))
	_, err := s.change(func(p *project.Project) error {
		p.Slug, p.Name = other.Slug, "changed"
		return nil
	})
	wantFault(s.t, err, fault.Conflict, "slug_taken")
	same(s.t, "stored", s.byID(s.project.ID), s.project)
}

func projectUnknown(s *shop) {
	stranger := &account.Account{ID: random[id.Account](), Name: "Stranger", Plan: account.Starter, CreatedAt: noon}
	s.must(s.Accounts.Open(s.ctx, stranger))
	for _, ask := range []struct {
		account id.Account
		project id.Project
	}{{stranger.ID, s.project.ID}, {s.project.Account, random[id.Project]()}} {
		_, err := s.Projects.ByID(s.ctx, ask.account, ask.project)
		wantFault(s.t, err, fault.NotFound, "project_not_found")
		_, err = s.Projects.Update(s.ctx, ask.account, ask.project, func(*project.Project) error {
			s.t.Error("a change was asked for")
			return nil
		})
		wantFault(s.t, err, fault.NotFound, "project_not_found")
		wantFault(s.t, s.Projects.Delete(s.ctx, ask.account, ask.project, noon), fault.NotFound, "project_not_found")
	}
	list, total, err := s.Projects.List(s.ctx, stranger.ID, false, ports.Page{Limit: 10})
	s.must(err)
	same(s.t, "a stranger's projects", len(list)+total, 0)
	_, err = s.Storefronts.BySlug(s.ctx, "no-such-slug")
	wantFault(s.t, err, fault.NotFound, "project_not_found")
	_, err = s.Storefronts.ByProject(s.ctx, random[id.Project]())
	wantFault(s.t, err, fault.NotFound, "project_not_found")
	same(s.t, "the project after a stranger's attempts", s.byID(s.project.ID), s.project)
}

func projectCurrency(s *shop) {
	in := func(code string) error {
		_, err := s.change(func(p *project.Project) error {
			return p.Change(project.Change{Settings: project.SettingsPatch{Currency: patch.To(code)}}, noon)
		})
		return err
	}
	s.must(in("EUR"))
	s.must(in("USD"))
	p := s.product(1)
	wantFault(s.t, in("EUR"), fault.Conflict, "currency_in_use")
	s.must(in("USD"))
	s.must(s.Products.Delete(s.ctx, s.project.ID, p.ID, noon))
	s.must(in("EUR"))
	s.must(in("USD"))
	sold := s.product(1)
	s.pay(s.checkout(s.session(), line(sold, 1)))
	s.must(s.Products.Delete(s.ctx, s.project.ID, sold.ID, noon))
	wantFault(s.t, in("EUR"), fault.Conflict, "currency_in_use")
}

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
	p := s.product(3)
	c := s.mustClaim(s.checkout(s.session(), line(p, 1)))
	wantFault(s.t, s.Projects.Delete(s.ctx, s.project.Account, s.project.ID, noon), fault.Conflict, "payment_unresolved")
	same(s.t, "status", s.stored(c).Status(), checkout.Processing)
	same(s.t, "stock", s.stock(p), map[string]int{"main": 2})
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
