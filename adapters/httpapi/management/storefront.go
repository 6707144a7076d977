package management

import (
	"cmp"
	"context"
	"maps"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/project"
)

func (h *handlers) registerStorefront() {
	const path = "/v1/projects/{project_id}/storefront"
	g := h.Group("Storefront", "projects", operation.PathProject)
	operation.Register(g, "get-storefront", "GET "+path, "Get the storefront: description, shipping, tax and returns", wire.HandleOne(h.getStorefront, toAPIStorefront))
	operation.Register(g, "update-storefront", "PATCH "+path, "Change the storefront; null restores a default", operation.HandleUpdate(h.updateStorefront, toAPIStorefront))
}

type storefront struct {
	Description      string         `json:"description"`
	LogoURL          string         `json:"logo_url"`
	ShippingRegions  []string       `json:"shipping_regions" doc:"ISO 3166 countries."`
	ShippingRates    []shippingRate `json:"shipping_rates"`
	FreeThreshold    *wire.Money    `json:"free_shipping_threshold" nullable:"true"`
	TaxRates         []taxRate      `json:"tax_rates"`
	ReturnWindowDays int            `json:"return_window_days"`
	ReturnConditions string         `json:"return_conditions"`
	Instructions     string         `json:"checkout_instructions" doc:"How a buyer completes by hand a checkout that an agent opened. Plain text on the checkout's web page."`
	Warehouses       []warehouse    `json:"warehouses"`

	Personalization personalizationRules `json:"personalization"`
}

type storefrontPatch struct {
	Description      wire.Optional[string]         `json:"description,omitzero"`
	LogoURL          wire.Optional[string]         `json:"logo_url,omitzero" doc:"An https URL."`
	ShippingRegions  wire.Optional[[]string]       `json:"shipping_regions,omitzero"`
	ShippingRates    wire.Optional[[]shippingRate] `json:"shipping_rates,omitzero"`
	FreeThreshold    wire.Optional[wire.Decimal]   `json:"free_shipping_threshold,omitzero" doc:"Null: never free."`
	TaxRates         wire.Optional[[]taxRate]      `json:"tax_rates,omitzero"`
	ReturnWindowDays wire.Optional[int]            `json:"return_window_days,omitzero"`
	ReturnConditions wire.Optional[string]         `json:"return_conditions,omitzero"`
	Instructions     wire.Optional[string]         `json:"checkout_instructions,omitzero" doc:"At most 2,000 characters of plain text."`
	Warehouses       wire.Optional[[]warehouse]    `json:"warehouses,omitzero"`

	Personalization wire.Optional[personalizationPatch] `json:"personalization,omitzero"`
}

// personalizationRules say whether personal signals count in prices: loyalty, purchases and urgency, claimed or verified.
type personalizationRules struct {
	Default    string                         `json:"default" enum:"allowed,disclosed,off" doc:"The mode of all other regions. allowed: personal signals count. disclosed: they count, and the disclosure text is shown with a price that they moved. off: they do not count."`
	Disclosure string                         `json:"disclosure_text" doc:"Of regions without a text of their own."`
	Regions    map[string]personalizationRule `json:"regions" doc:"By region: EU, a country such as DE, or a part of one such as US-NY. The most specific one applies."`
}

type personalizationPatch struct {
	Default    wire.Optional[string]                         `json:"default,omitzero" doc:"allowed, disclosed or off."`
	Disclosure wire.Optional[string]                         `json:"disclosure_text,omitzero" doc:"At most 500 characters."`
	Regions    wire.Optional[map[string]personalizationRule] `json:"regions,omitzero" doc:"Replaces all regions."`
}

type personalizationRule struct {
	Mode       string `json:"mode" enum:"allowed,disclosed,off"`
	Disclosure string `json:"disclosure_text,omitempty" doc:"Default: the general disclosure_text."`
}

func fromAPIPersonalization(in wire.Optional[personalizationPatch], check fault.Check) personalization.Patch {
	field := in.Field()
	if field.IsNull() {
		return personalization.ToDefaults
	}
	p, _ := field.Value()
	return personalization.Patch{
		Default: wire.MapField(p.Default, func(word string) personalization.Mode {
			mode, known := personalization.Modes[word]
			check.That(known, "default", "must be allowed, disclosed or off")
			return mode
		}),
		Disclosure: p.Disclosure.Field(),
		Regions:    wire.MapField(p.Regions, fromAPIRegions),
	}
}

func fromAPIRegions(in map[string]personalizationRule) (regions []personalization.Region) {
	for _, region := range slices.Sorted(maps.Keys(in)) {
		regions = append(regions, personalization.Region{
			Region:     region,
			Mode:       personalization.Modes[in[region].Mode],
			Disclosure: in[region].Disclosure,
		})
	}
	return regions
}

func toAPIPersonalizationRules(r personalization.Rules) personalizationRules {
	rules := personalizationRules{
		Default:    cmp.Or(r.Default, personalization.Allowed).String(),
		Disclosure: r.Disclosure,
		Regions:    map[string]personalizationRule{},
	}
	for _, of := range r.Regions {
		rules.Regions[of.Region] = personalizationRule{of.Mode.String(), of.Disclosure}
	}
	return rules
}

type shippingRate struct {
	Region  string       `json:"region" doc:"A country, or * for all others."`
	Method  string       `json:"method" enum:"standard,express,overnight"`
	Price   wire.Decimal `json:"price"`
	MinDays int          `json:"min_days"`
	MaxDays int          `json:"max_days"`
}

type taxRate struct {
	Country string       `json:"country"`
	State   string       `json:"state,omitempty" doc:"Empty: the whole country."`
	Rate    wire.Decimal `json:"rate" doc:"In percent, at most three decimals."`
}

type warehouse struct {
	Location   string `json:"location" doc:"The location key of stock levels."`
	Name       string `json:"name"`
	Country    string `json:"country,omitempty"`
	PostalCode string `json:"postal_code,omitempty" doc:"The origin of parcels, for shipping rates and labels. At most 20 characters."`
}

func (h *handlers) getStorefront(_ context.Context, rq operation.Request, _ *OnProject) (project.Storefront, error) {
	return rq.Caller.Project.Storefront, nil
}

type updateStorefrontInput struct {
	OnProject
	Body storefrontPatch
}

func (h *handlers) updateStorefront(ctx context.Context, rq operation.Request, in *updateStorefrontInput) (before, after project.Storefront, err error) {
	p, check := rq.Caller.Project, fault.NewCheck()
	change := fromAPIStorefront(in.Body, p.Settings.Currency, check)
	if err := check.Err(); err != nil {
		return before, after, err
	}
	changed, err := h.Projects.In(rq.Stores).ChangeStorefront(ctx, p.Account, p.ID, change)
	if err != nil {
		return before, after, err
	}
	return changed.Before.Storefront, changed.After.Storefront, nil
}

// rateDigits is the number of decimals of a tax rate, which is stored in thousandths of a percent.
const rateDigits = 3

func fromAPIStorefront(in storefrontPatch, c money.Currency, check fault.Check) project.StorefrontPatch {
	return project.StorefrontPatch{
		Description:          in.Description.Field(),
		LogoURL:              in.LogoURL.Field(),
		ShippingRegions:      in.ShippingRegions.Field(),
		ReturnWindowDays:     in.ReturnWindowDays.Field(),
		ReturnConditions:     in.ReturnConditions.Field(),
		CheckoutInstructions: in.Instructions.Field(),
		FreeShippingThreshold: wire.MapField(in.FreeThreshold, func(d wire.Decimal) *money.Amount {
			amount := d.Amount(c, "free_shipping_threshold", check)
			return &amount
		}),
		ShippingRates: wire.MapField(in.ShippingRates, func(rates []shippingRate) []project.ShippingRate {
			to := make([]project.ShippingRate, len(rates))
			for i, r := range rates {
				price := r.Price.Amount(c, "price", check.In("shipping_rates").At(i))
				to[i] = project.ShippingRate{
					Region:  r.Region,
					Method:  r.Method,
					Price:   price,
					MinDays: r.MinDays,
					MaxDays: r.MaxDays,
				}
			}
			return to
		}),
		TaxRates: wire.MapField(in.TaxRates, func(rates []taxRate) []project.TaxRate {
			to := make([]project.TaxRate, len(rates))
			for i, r := range rates {
				rate := r.Rate.Scaled(rateDigits, "rate", check.In("tax_rates").At(i))
				to[i] = project.TaxRate{
					Country: r.Country,
					State:   r.State,
					Rate:    project.Rate(rate),
				}
			}
			return to
		}),
		Warehouses: wire.MapField(in.Warehouses, func(list []warehouse) []project.Warehouse {
			return wire.Each(list, func(w warehouse) project.Warehouse { return project.Warehouse(w) })
		}),
		Personalization: fromAPIPersonalization(in.Personalization, check.In("personalization")),
	}
}

func toAPIStorefront(f project.Storefront) storefront {
	return storefront{
		Description:     f.Description,
		LogoURL:         f.LogoURL,
		ShippingRegions: f.ShippingRegions,
		FreeThreshold:   wire.ToOptionalMoney(f.FreeShippingThreshold),
		ShippingRates: wire.Each(f.ShippingRates, func(r project.ShippingRate) shippingRate {
			return shippingRate{r.Region, r.Method, wire.Decimal(r.Price.String()), r.MinDays, r.MaxDays}
		}),
		TaxRates: wire.Each(f.TaxRates, func(t project.TaxRate) taxRate {
			return taxRate{t.Country, t.State, wire.ToDecimal(int64(t.Rate), rateDigits)}
		}),
		ReturnWindowDays: f.ReturnWindowDays,
		ReturnConditions: f.ReturnConditions,
		Instructions:     f.CheckoutInstructions,
		Warehouses:       wire.Each(f.Warehouses, func(w project.Warehouse) warehouse { return warehouse(w) }),
		Personalization:  toAPIPersonalizationRules(f.Personalization),
	}
}
