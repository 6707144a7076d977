package porttest

import (
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// Projects is the contract of ports.Projects, ports.Storefronts and ports.ProjectStatistics.
func Projects(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
		"a project comes back as it was stored":         projectRoundTrip,
		"lists are newest first, with totals":           projectList,
		"update stores and returns the change":          projectUpdate,
		"a failed change leaves no trace":               projectFailedChange,
		"what was read belongs to the reader":           projectNoAliasing,
		"one of sixteen gets the slug":                  projectSlugRace,
		"a slug in use can't be taken by a change":      projectSlugChange,
		"unknown and foreign projects":                  projectUnknown,
		"the currency is fixed while it is in use":      projectCurrency,
		"a deleted project is gone with all it had":     projectDelete,
		"a project being paid in can't be deleted":      projectDeletePaying,
		"one being paid in the sandbox goes afterwards": projectDeletePayingSandbox,
		"a released slug stays with its account":        projectSlugReleased,
		"an account has as many projects as its plan":   projectLimit,
		"a deleted project is out of reach at once":     projectOutOfReach,
		"a project is deleted after its refunds":        projectRefundFirst,
		"a project that took real money is closed":      projectClosed,
		"a closed project keeps credentials for a time": projectCredentials,
		"a refund made elsewhere holds nothing up":      projectExternalRefund,
		"a late payment of real money keeps the books":  projectLateMoney,
		"statistics count what is there":                projectStatistics,
		"sixteen changes of one project are all kept":   projectUpdateRace,
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
			Retention: project.RetentionPatch{
				Messages: patch.To(1), Sessions: patch.To(2), Decisions: patch.To(13), Events: patch.To(14), Deliveries: patch.To(5), Logs: patch.To(6),
			},
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

func projectSlugReleased(s *shop) {
	slug := s.project.Slug
	rename := func(to string) error {
		_, err := s.change(func(p *project.Project) error {
			p.Slug = to
			return nil
		})
		return err
	}
	stranger := openShop(s.t, s.Stores)
	s.must(rename("other-" + slug))
	wantFault(s.t, s.take(stranger.project.Account, slug), fault.Conflict, "slug_taken")
	_, err := stranger.change(func(p *project.Project) error {
		p.Slug = slug
		return nil
	})
	wantFault(s.t, err, fault.Conflict, "slug_taken")
	s.must(rename(slug))
	s.must(s.take(stranger.project.Account, "strange-"+slug)) // other names are free
	wantFault(s.t, s.take(stranger.project.Account, "other-"+slug), fault.Conflict, "slug_taken")
	s.must(s.Projects.Delete(s.ctx, s.project.Account, s.project.ID, noon))
	wantFault(s.t, s.take(stranger.project.Account, slug), fault.Conflict, "slug_taken")
	s.must(s.take(s.project.Account, slug))
}

// take opens a project with the slug.
func (s *shop) take(by id.Account, slug string) error {
	p := s.furnished()
	p.Account, p.Slug = by, slug
	return s.Projects.Create(s.ctx, p)
}

func projectLimit(s *shop) {
	owner := &account.Account{
		ID:        random[id.Account](),
		Name:      "Owner",
		Plan:      account.Starter,
		CreatedAt: noon,
	}
	s.must(s.Accounts.Open(s.ctx, owner))
	open := func() error {
		p := s.furnished()
		p.Account = owner.ID
		return s.Projects.Create(s.ctx, p)
	}
	most := owner.Plan.Limits().Projects
	for range most - 1 {
		s.must(open())
	}
	same(s.t, "winners", s.race("limit_reached", func(int) error { return open() }), 1)
	list, total, err := s.Projects.List(s.ctx, owner.ID, false, ports.Page{Limit: 1})
	s.must(err)
	same(s.t, "projects", total, most)
	s.must(s.Projects.Delete(s.ctx, owner.ID, list[0].ID, noon))
	s.must(open())
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
