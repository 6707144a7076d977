package accounts_test

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
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Projects is the contract of ports.Projects, ports.Storefronts and ports.ProjectStatistics.
func Projects(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
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
			test(porttest.OpenShop(t, stores))
		})
	}
}

// furnished is a project with a value in every field.
func furnished(s *porttest.Shop) *project.Project {
	s.T.Helper()
	name := porttest.Random[id.Project]()
	p, err := project.Open(name, s.Project.Account, project.Draft{
		Name:        "Ægir's <Outdoor> & \"more\"",
		Slug:        slugOf(name),
		Description: "Tents\nand \\ rope",
		Settings: project.SettingsPatch{
			Timezone:            patch.To("Europe/Oslo"),
			Locale:              patch.To("nb-NO"),
			Currency:            patch.To("BHD"),
			NegotiationEnabled:  patch.To(false),
			MaxDiscount:         patch.To(money.Percent(125)),
			BundleSuggestions:   patch.To(false),
			SubscriptionEnabled: patch.To(true),
			LLMProvider:         patch.To("provider"),
			LLMModel:            patch.To("model"),
			MaxTokens:           patch.To(77),
			Temperature:         patch.To(5),
			EmailEnabled:        patch.To(true),
			ChatWebhook:         patch.To("https://chat.example.com/hook"),
			AlertChannels:       patch.To([]string{"chat"}),
			IPAllowlist:         patch.To([]string{"10.0.0.0/8", "::1"}),
			MFARequired:         patch.To(true),
			SessionMinutes:      patch.To(45),
			Retention: project.RetentionPatch{
				Messages:   patch.To(1),
				Sessions:   patch.To(2),
				Decisions:  patch.To(13),
				Events:     patch.To(14),
				Deliveries: patch.To(5),
				Logs:       patch.To(6),
			},
		},
	}, porttest.Noon.Add(123*time.Millisecond))
	s.Must(err)
	bhd := p.Settings.Currency
	s.Must(p.Storefront.Change(project.StorefrontPatch{
		Description:     patch.To("Fjord side"),
		LogoURL:         patch.To("https://shop.example.com/logo.png"),
		ShippingRegions: patch.To([]string{"NO", "SE"}),
		ShippingRates: patch.To([]project.ShippingRate{
			{Region: "*", Method: "standard", Price: money.Of(1500, bhd), MinDays: 1, MaxDays: 9},
			{Region: "NO", Method: "express", Price: money.Of(0, bhd), MinDays: 1, MaxDays: 2},
		}),
		FreeShippingThreshold: patch.To(porttest.Pointer(money.Of(50_000, bhd))),
		TaxRates:              patch.To([]project.TaxRate{{Country: "NO", Rate: 25_000}, {Country: "SE", State: "X", Rate: 8875}}),
		ReturnWindowDays:      patch.To(14),
		ReturnConditions:      patch.To("As new."),
		CheckoutInstructions:  patch.To("Call us."),
		Warehouses:            patch.To([]project.Warehouse{{Location: "main", Name: "Bergen", Country: "NO", PostalCode: "5003"}}),
	}, p.Settings))
	return p
}

func slugOf(p id.Project) string { return strings.ReplaceAll(p.String(), "_", "-") }

func projectRoundTrip(s *porttest.Shop) {
	want := furnished(s)
	s.Must(s.Projects.Create(s.Ctx, want))
	porttest.Same(s.T, "by id", s.ByID(want.ID), want)
	porttest.Same(s.T, "with defaults", s.ByID(s.Project.ID), s.Project)
	got, err := s.Storefronts.BySlug(s.Ctx, want.Slug)
	s.Must(err)
	porttest.Same(s.T, "by slug", got, want)
	got, err = s.Storefronts.ByProject(s.Ctx, want.ID)
	s.Must(err)
	porttest.Same(s.T, "by project", got, want)
}

func projectList(s *porttest.Shop) {
	var want []id.Project
	for i := range 5 {
		p := furnished(s)
		p.CreatedAt = porttest.Noon.Add(time.Duration(i+1) * time.Second)
		s.Must(s.Projects.Create(s.Ctx, p))
		want = append([]id.Project{p.ID}, want...)
	}
	want = append(want, s.Project.ID)
	for _, page := range []ports.Page{{Limit: 10}, {Limit: 2}, {Limit: 2, Offset: 3}, {Limit: 2, Offset: 5}, {Limit: 2, Offset: 9}} {
		list, total, err := s.Projects.List(s.Ctx, s.Project.Account, false, page)
		s.Must(err)
		got := []id.Project{}
		for _, p := range list {
			got = append(got, p.ID)
		}
		porttest.Same(s.T, "page", got, porttest.Part(want, page))
		porttest.Same(s.T, "total", total, len(want))
	}
}

func projectUpdate(s *porttest.Shop) {
	want := *s.Project
	want.Name, want.Slug, want.Description = "New", "new-"+s.Project.Slug[5:], "other"
	want.Settings, want.Storefront = furnished(s).Settings, furnished(s).Storefront
	want.UpdatedAt = porttest.Noon.Add(time.Hour)
	got, err := s.Change(func(p *project.Project) error {
		porttest.Same(s.T, "to be changed", p, s.Project)
		*p = want
		return nil
	})
	s.Must(err)
	want.Version++
	porttest.Same(s.T, "returned", got, &want)
	porttest.Same(s.T, "stored", s.ByID(s.Project.ID), &want)
}

func projectFailedChange(s *porttest.Shop) {
	_, err := s.Change(func(p *project.Project) error {
		p.Name = "changed"
		return porttest.ErrPlain
	})
	porttest.Same(s.T, "error", err, porttest.ErrPlain)
	porttest.Same(s.T, "stored", s.ByID(s.Project.ID), s.Project)
}

func projectNoAliasing(s *porttest.Shop) {
	for _, read := range []func() *project.Project{
		func() *project.Project { return s.ByID(s.Project.ID) },
		func() *project.Project {
			p, err := s.Storefronts.BySlug(s.Ctx, s.Project.Slug)
			s.Must(err)
			return p
		},
	} {
		p := read()
		p.Name, p.Storefront.ShippingRegions[0], p.Storefront.Warehouses[0].Name = "changed", "XX", "changed"
		porttest.Same(s.T, "stored", read(), s.Project)
	}
}

func projectSlugRace(s *porttest.Shop) {
	slug := "race-" + s.Project.Slug[5:]
	winners := s.Race("slug_taken", func(int) error {
		p := furnished(s)
		p.Slug = slug
		return s.Projects.Create(s.Ctx, p)
	})
	porttest.Same(s.T, "winners", winners, 1)
	_, total, err := s.Projects.List(s.Ctx, s.Project.Account, false, ports.Page{Limit: 1})
	s.Must(err)
	porttest.Same(s.T, "projects", total, 2)
}

func projectSlugReleased(s *porttest.Shop) {
	slug := s.Project.Slug
	rename := func(to string) error {
		_, err := s.Change(func(p *project.Project) error {
			p.Slug = to
			return nil
		})
		return err
	}
	stranger := porttest.OpenShop(s.T, s.Stores)
	s.Must(rename("other-" + slug))
	porttest.WantFault(s.T, take(s, stranger.Project.Account, slug), fault.Conflict, "slug_taken")
	_, err := stranger.Change(func(p *project.Project) error {
		p.Slug = slug
		return nil
	})
	porttest.WantFault(s.T, err, fault.Conflict, "slug_taken")
	s.Must(rename(slug))
	s.Must(take(s, stranger.Project.Account, "strange-"+slug)) // other names are free
	porttest.WantFault(s.T, take(s, stranger.Project.Account, "other-"+slug), fault.Conflict, "slug_taken")
	s.Must(s.Projects.Delete(s.Ctx, s.Project.Account, s.Project.ID, porttest.Noon))
	porttest.WantFault(s.T, take(s, stranger.Project.Account, slug), fault.Conflict, "slug_taken")
	s.Must(take(s, s.Project.Account, slug))
}

// take opens a project with the slug.
func take(s *porttest.Shop, by id.Account, slug string) error {
	p := furnished(s)
	p.Account, p.Slug = by, slug
	return s.Projects.Create(s.Ctx, p)
}

func projectLimit(s *porttest.Shop) {
	owner := &account.Account{
		ID:        porttest.Random[id.Account](),
		Name:      "Owner",
		Plan:      account.Starter,
		CreatedAt: porttest.Noon,
	}
	s.Must(s.Accounts.Open(s.Ctx, owner))
	open := func() error {
		p := furnished(s)
		p.Account = owner.ID
		return s.Projects.Create(s.Ctx, p)
	}
	most := owner.Plan.Limits().Projects
	for range most - 1 {
		s.Must(open())
	}
	porttest.Same(s.T, "winners", s.Race("limit_reached", func(int) error { return open() }), 1)
	list, total, err := s.Projects.List(s.Ctx, owner.ID, false, ports.Page{Limit: 1})
	s.Must(err)
	porttest.Same(s.T, "projects", total, most)
	s.Must(s.Projects.Delete(s.Ctx, owner.ID, list[0].ID, porttest.Noon))
	s.Must(open())
}

func projectSlugChange(s *porttest.Shop) {
	other := furnished(s)
	s.Must(s.Projects.Create(s.Ctx, other))
	_, err := s.Change(func(p *project.Project) error {
		p.Slug, p.Name = other.Slug, "changed"
		return nil
	})
	porttest.WantFault(s.T, err, fault.Conflict, "slug_taken")
	porttest.Same(s.T, "stored", s.ByID(s.Project.ID), s.Project)
}

func projectUnknown(s *porttest.Shop) {
	stranger := &account.Account{
		ID:        porttest.Random[id.Account](),
		Name:      "Stranger",
		Plan:      account.Starter,
		CreatedAt: porttest.Noon,
	}
	s.Must(s.Accounts.Open(s.Ctx, stranger))
	for _, ask := range []struct {
		account id.Account
		project id.Project
	}{{stranger.ID, s.Project.ID}, {s.Project.Account, porttest.Random[id.Project]()}} {
		_, err := s.Projects.ByID(s.Ctx, ask.account, ask.project)
		porttest.WantFault(s.T, err, fault.NotFound, "project_not_found")
		_, err = s.Projects.Update(s.Ctx, ask.account, ask.project, func(*project.Project) error {
			s.T.Error("a change was asked for")
			return nil
		})
		porttest.WantFault(s.T, err, fault.NotFound, "project_not_found")
		porttest.WantFault(s.T, s.Projects.Delete(s.Ctx, ask.account, ask.project, porttest.Noon), fault.NotFound, "project_not_found")
	}
	list, total, err := s.Projects.List(s.Ctx, stranger.ID, false, ports.Page{Limit: 10})
	s.Must(err)
	porttest.Same(s.T, "a stranger's projects", len(list)+total, 0)
	_, err = s.Storefronts.BySlug(s.Ctx, "no-such-slug")
	porttest.WantFault(s.T, err, fault.NotFound, "project_not_found")
	_, err = s.Storefronts.ByProject(s.Ctx, porttest.Random[id.Project]())
	porttest.WantFault(s.T, err, fault.NotFound, "project_not_found")
	porttest.Same(s.T, "the project after a stranger's attempts", s.ByID(s.Project.ID), s.Project)
}

func projectCurrency(s *porttest.Shop) {
	in := func(code string) error {
		_, err := s.Change(func(p *project.Project) error {
			return p.Change(project.Change{Settings: project.SettingsPatch{Currency: patch.To(code)}}, porttest.Noon)
		})
		return err
	}
	s.Must(in("EUR"))
	s.Must(in("USD"))
	p := s.Product(1)
	porttest.WantFault(s.T, in("EUR"), fault.Conflict, "currency_in_use")
	s.Must(in("USD"))
	s.Must(s.Products.Delete(s.Ctx, s.Project.ID, p.ID, porttest.Noon))
	s.Must(in("EUR"))
	s.Must(in("USD"))
	sold := s.Product(1)
	s.Reread()
	s.Pay(s.Checkout(s.Session(), porttest.Line(sold, 1)))
	s.Must(s.Products.Delete(s.Ctx, s.Project.ID, sold.ID, porttest.Noon))
	porttest.WantFault(s.T, in("EUR"), fault.Conflict, "currency_in_use")
}
