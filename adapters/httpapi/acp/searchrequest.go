package acp

import (
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
)

type searchRequest struct {
	SessionID    string         `json:"session_id,omitempty" doc:"The session to continue. Omit it to open a new one."`
	Query        string         `json:"query,omitempty" maxLength:"2000" example:"light waterproof jacket for hiking" doc:"Keywords of one product, in any language, or a SKU, GTIN, MPN or part number."`
	Filters      *searchFilters `json:"filters,omitempty" doc:"Constraints. One variant must pass all of them."`
	Sort         string         `json:"sort,omitempty" enum:"relevance,price_asc,price_desc,newest,rating,best_selling" doc:"Default: relevance. Prices are list_price. Equal results are sorted by id."`
	Cursor       string         `json:"cursor,omitempty" maxLength:"40000" doc:"next_cursor of a response to the same query, filters and sort. Returns the results after it."`
	Limit        int            `json:"limit,omitempty" minimum:"1" maximum:"100" default:"10" doc:"The maximum number of results."`
	BuyerContext *buyerContext  `json:"buyer_context,omitempty"`
	Unknown      wire.Unknown   `json:",embed" hidden:"true"`
}

type searchFilters struct {
	Category        string                  `json:"category,omitempty" maxLength:"200" example:"outdoor" doc:"A path; subcategories match too."`
	Brand           wire.Several            `json:"brand,omitempty" doc:"One brand, or a list; a product with any of them matches. The facets list the shop's brands."`
	PriceMin        *wire.Decimal           `json:"price_min,omitempty" minimum:"0" doc:"A variant costs at least this."`
	PriceMax        *wire.Decimal           `json:"price_max,omitempty" minimum:"0" example:"150" doc:"A variant costs at most this."`
	Size            string                  `json:"size,omitempty" maxLength:"100" example:"M"`
	ColorPreference []string                `json:"color_preference,omitempty" maxItems:"20" maxLength:"100" example:"green,blue" doc:"Only products in one of these colors."`
	InStock         bool                    `json:"in_stock,omitempty" doc:"True: only products in stock."`
	Attributes      map[string]wire.Several `json:"attributes,omitempty" maxProperties:"10" doc:"Attributes by name; for each, one value, or a list; any of them matches. Case is ignored. All attributes must match."`
	RatingMin       *wire.Decimal           `json:"rating_min,omitempty" minimum:"0" maximum:"5" example:"4" doc:"The minimum average rating, of 5."`
	Unknown         wire.Unknown            `json:",embed" hidden:"true"`
}

func fromAPISearch(shop *project.Project, r searchRequest) (discovery.SearchRequest, error) {
	check := fault.NewCheck()
	order, _ := catalog.ParseSort(r.Sort) // the schema allows no other names
	request := discovery.SearchRequest{
		Cursor: r.Cursor,
		Query: catalog.Query{
			Text:   r.Query,
			Filter: fromAPIFilters(shop, r.Filters, check.In("filters")),
			Sort:   order,
			Limit:  r.Limit,
			Prefer: fromAPIColors(r.BuyerContext),
		},
	}
	if err := check.Err(); err != nil {
		return request, err
	}
	var err error
	request.Session, err = wire.OptionalID[id.Session](r.SessionID, "session")
	return request, err
}

func fromAPIFilters(shop *project.Project, f *searchFilters, check fault.Check) (filter catalog.Filter) {
	if f == nil {
		return filter
	}
	filter = catalog.Filter{
		Brands:  f.Brand,
		Size:    f.Size,
		Colors:  f.ColorPreference,
		InStock: f.InStock,
	}
	if f.Category != "" {
		filter.Categories = []string{f.Category}
	}
	if f.PriceMin != nil {
		least := f.PriceMin.Amount(shop.Settings.Currency, "price_min", check)
		filter.PriceMin = &least
	}
	if f.PriceMax != nil {
		most := f.PriceMax.Amount(shop.Settings.Currency, "price_max", check)
		filter.PriceMax = &most
	}
	if f.RatingMin != nil {
		filter.RatingMin = int(f.RatingMin.Scaled(2, "rating_min", check))
	}
	for name, values := range f.Attributes {
		check.In("attributes").That(len(name) <= 200, cut(name), "must have a name of at most 200 bytes")
		if len(values) == 0 {
			continue // an empty list does not filter
		}
		if filter.Attributes == nil {
			filter.Attributes = make(map[string][]string, len(f.Attributes))
		}
		filter.Attributes[name] = values
	}
	return filter
}

type noResults struct {
	Message   string    `json:"message" example:"12 products match without filters; price_max removes 9 of them."`
	Matched   int       `json:"matched_without_filters" minimum:"0"`
	RemovedBy []removal `json:"removed_by,omitempty" doc:"The effect of each filter alone, the one that removes most first."`
	Nearest   []string  `json:"did_you_mean,omitempty" doc:"Words of the shop with a spelling close to unknown words of the query."`
}

type removal struct {
	Filter  string `json:"filter" example:"price_max"`
	Removed int    `json:"removed" minimum:"0" doc:"The number of matches that this filter removes."`
	Without int    `json:"found_without" minimum:"0" doc:"The number of results if only this filter is omitted."`
}

func toAPINoResults(query string, none *catalog.NoResults) *noResults {
	answer := &noResults{Matched: none.Matched, Nearest: none.Nearest}
	shown := *none
	shown.RemovedBy = slices.Clone(none.RemovedBy)
	for i := range shown.RemovedBy {
		shown.RemovedBy[i].Filter = cut(shown.RemovedBy[i].Filter)
		answer.RemovedBy = append(answer.RemovedBy, removal(shown.RemovedBy[i]))
	}
	answer.Message = shown.Message(cut(strings.TrimSpace(query)))
	return answer
}
