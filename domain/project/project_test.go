package project_test

import (
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
)

func TestOpen_everyProblemOnce(t *testing.T) {
	t.Parallel()
	_, err := project.Open(id.Project{}, id.Account{}, project.Draft{
		Slug: "-", Description: strings.Repeat("x", 5001),
		Settings: settings{Currency: patch.To("nope"), MaxDiscount: patch.To[money.Percent](1000)},
	}, noon)
	want := []string{"name", "slug", "description", "settings.default_currency", "settings.max_discount_percent"}
	if !slices.Equal(fields(err), want) {
		t.Errorf("refused %q, want %q", fields(err), want)
	}
}

func TestProject_Change_nameSlugDescription(t *testing.T) {
	t.Parallel()
	for field, c := range map[string]struct {
		of         func(string) project.Change
		good, evil []string
	}{
		"name": {func(s string) project.Change { return project.Change{Name: patch.To(s)} },
			[]string{"x", strings.Repeat("é", 200)}, []string{"", strings.Repeat("é", 201)}},
		"slug": {func(s string) project.Change { return project.Change{Slug: patch.To(s)} },
			[]string{"abc", "0-9", strings.Repeat("a", 63)},
			[]string{"", "ab", "-ab", "ab-", "Abc", "a_b", "a.b", "äbc", "abc\n", strings.Repeat("a", 64)}},
		"description": {func(s string) project.Change { return project.Change{Description: patch.To(s)} },
			[]string{"", strings.Repeat("é", 5000)}, []string{strings.Repeat("é", 5001)}},
	} {
		for _, value := range c.good {
			if err := open(t, settings{}).Change(c.of(value), later); err != nil {
				t.Errorf("%s %.20q: %v", field, value, err)
			}
		}
		for _, value := range c.evil {
			if err := open(t, settings{}).Change(c.of(value), later); !slices.Equal(fields(err), []string{field}) {
				t.Errorf("%s %.20q: refused %q", field, value, fields(err))
			}
		}
	}
}

func TestProject_Change_generalGroup(t *testing.T) {
	t.Parallel()
	p := open(t, settings{})
	err := p.Change(project.Change{
		Name:    patch.To("Peak"),
		Slug:    patch.To("peak"),
		Grouped: true,
	}, later)
	if err != nil || p.Name != "Peak" || p.Slug != "peak" {
		t.Errorf("%q at %q, %v", p.Name, p.Slug, err)
	}
	wrong := project.Change{
		Name:    patch.Null[string](),
		Slug:    patch.Null[string](),
		Grouped: true,
	}
	if err := p.Change(wrong, later); !slices.Equal(fields(err), []string{"general.name", "general.slug"}) {
		t.Errorf("refused %q", fields(err))
	}
	wrong.Grouped = false
	if err := p.Change(wrong, later); !slices.Equal(fields(err), []string{"name", "slug"}) {
		t.Errorf("refused %q", fields(err))
	}
}

func TestProject_Change_allOrNothing(t *testing.T) {
	t.Parallel()
	p := open(t, settings{})
	before := *p
	err := p.Change(project.Change{
		Name: patch.To("Peak"), Description: patch.To("Ropes."),
		Settings: settings{
			Currency:       patch.To("EUR"),
			MaxDiscount:    patch.To[money.Percent](100),
			SessionMinutes: patch.To(1),
		},
	}, later)
	if !slices.Equal(fields(err), []string{"settings.session_timeout_minutes"}) || !reflect.DeepEqual(*p, before) {
		t.Errorf("refused %q and became %+v", fields(err), p)
	}
}

func TestProject_Change_partial(t *testing.T) {
	t.Parallel()
	p := open(t, settings{Locale: patch.To("de-DE")})
	want := *p
	want.Settings.MaxDiscount, want.UpdatedAt = 150, later
	err := p.Change(project.Change{Settings: settings{MaxDiscount: patch.To[money.Percent](150)}}, later)
	if err != nil || !reflect.DeepEqual(*p, want) {
		t.Errorf("became %+v, want %+v (%v)", *p, want, err)
	}
	if err := p.Change(project.Change{Description: patch.Null[string]()}, later); err != nil || p.Description != "" {
		t.Errorf("description %q, %v", p.Description, err)
	}
}

// A change of currency resets the amounts of the storefront and nothing else.
func TestProject_Change_currency(t *testing.T) {
	t.Parallel()
	p := open(t, settings{})
	threshold := money.Of(5_000, money.USD)
	if err := p.Storefront.Change(project.StorefrontPatch{
		FreeShippingThreshold: patch.To(&threshold), ReturnWindowDays: patch.To(14),
		ShippingRates: patch.To([]project.ShippingRate{{Region: "*", Method: "express", Price: money.Of(1, money.USD)}}),
	}, p.Settings); err != nil {
		t.Fatal(err)
	}
	err := p.Change(project.Change{Settings: settings{Timezone: patch.To("Asia/Tokyo")}}, later)
	if err != nil || p.Storefront.FreeShippingThreshold == nil {
		t.Fatalf("another change took the threshold (%v)", err)
	}
	if err := p.Change(project.Change{Settings: settings{Currency: patch.To("BHD")}}, later); err != nil {
		t.Fatal(err)
	}
	f := p.Storefront
	if f.FreeShippingThreshold != nil || len(f.ShippingRates) != 3 || f.ShippingRates[0].Price.String() != "5.990" || f.ReturnWindowDays != 14 {
		t.Errorf("storefront %+v", f)
	}
	if err := f.Change(project.StorefrontPatch{}, p.Settings); err != nil {
		t.Errorf("the storefront does not keep its own rules: %v", err)
	}
}
