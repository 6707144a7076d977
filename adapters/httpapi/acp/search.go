package acp

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerSearch() {
	wire.AddPrepared(h.mount, h.operation(huma.Operation{
		OperationID: searchID, Method: http.MethodPost, Path: "/acp/search", Tags: discoveryTag,
		Summary: "Search products in natural language",
		Description: "Matches by meaning and ranks what is in stock higher. An empty query finds everything that passes the " +
			"filters. Without session_id it opens a session; an unknown one is 404 session_not_found, a past one 409 " +
			"session_expired. Prices are in the shop's currency, for one piece. A price_max with more decimals than the " +
			"currency has is 422 validation_error. While the index of a shop that was not searched for a while is built: 503 " +
			"index_building, with a Retry-After.",
		Errors: []int{http.StatusConflict, http.StatusServiceUnavailable},
	}), h.search)
}

type searchRequest struct {
	SessionID    string         `json:"session_id,omitempty" doc:"Session to go on with; left out: a new one."`
	Query        string         `json:"query,omitempty" maxLength:"2000" example:"light waterproof jacket for hiking"`
	Filters      *searchFilters `json:"filters,omitempty"`
	Limit        int            `json:"limit,omitempty" minimum:"1" maximum:"100" default:"10" doc:"At most so many results."`
	BuyerContext *buyerContext  `json:"buyer_context,omitempty"`
}

type searchFilters struct {
	Category        string        `json:"category,omitempty" maxLength:"200" example:"outdoor" doc:"A category's path; those below it pass too."`
	PriceMax        *wire.Decimal `json:"price_max,omitempty" minimum:"0" example:"150"`
	Size            string        `json:"size,omitempty" maxLength:"100" example:"M"`
	ColorPreference []string      `json:"color_preference,omitempty" maxItems:"20" maxLength:"100" example:"green,blue" doc:"Only products in one of these colours."`
}

type searchAnswer struct {
	SessionID       string           `json:"session_id"`
	Results         []searchResult   `json:"results"`
	TotalCount      int              `json:"total_count" minimum:"0" doc:"Matches in all, also those beyond limit."`
	Confidence      wire.Decimal     `json:"semantic_confidence" minimum:"0" maximum:"1" doc:"How well the best result fits."`
	Facets          facets           `json:"facets" doc:"Counts over all matches."`
	Recommendations []recommendation `json:"recommendations" doc:"What goes with the first result."`

	NextActions nextActions `json:"next_actions,omitempty"`
}

type searchResult struct {
	ProductID     string               `json:"product_id"`
	Name          string               `json:"name"`
	Description   string               `json:"description"`
	Brand         string               `json:"brand"`
	ListPrice     wire.Money           `json:"list_price" minimum:"0"`
	Negotiable    bool                 `json:"negotiable"`
	SemanticMatch semanticMatch        `json:"semantic_match"`
	Images        []searchImage        `json:"images"`
	Availability  searchAvailability   `json:"availability"`
	Variants      []searchVariantMatch `json:"variants"`
}

type semanticMatch struct {
	Score   wire.Decimal `json:"score" exclusiveMinimum:"0" exclusiveMaximum:"1"`
	Reasons []string     `json:"reasons"`
}

type searchImage struct {
	URL string `json:"url"`
	Alt string `json:"alt"`
}

type searchAvailability struct {
	InStock          bool   `json:"in_stock"`
	Quantity         int    `json:"quantity" minimum:"0" doc:"Pieces of all variants."`
	ShippingEstimate string `json:"shipping_estimate" example:"3-5 business days"`
}

type searchVariantMatch struct {
	Size    string `json:"size"`
	Color   string `json:"color"`
	InStock bool   `json:"in_stock"`
}

type facets struct {
	Brands      []facetCount `json:"brands"`
	PriceRanges []priceRange `json:"price_ranges"`
	Colors      []facetCount `json:"colors"`
}

type facetCount struct {
	Name  string `json:"name"`
	Count int    `json:"count" minimum:"1"`
}

type priceRange struct {
	Min   wire.Money `json:"min" minimum:"0"`
	Max   wire.Money `json:"max" minimum:"0"`
	Count int        `json:"count" minimum:"0"`
}

type recommendation struct {
	Type           string     `json:"type" enum:"complementary"`
	ProductID      string     `json:"product_id"`
	Name           string     `json:"name"`
	Price          wire.Money `json:"price" minimum:"0"`
	BundleDiscount string     `json:"bundle_discount" example:"5%" doc:"What it costs less in a bundle."`
}

func (h *handlers) search(ctx ports.Outbound, rq Request, in *wire.Input[searchRequest]) (made plan[wire.Output[searchAnswer]], err error) {
	shop := rq.Caller.Shop
	request, err := fromAPISearch(shop, in.Body)
	if err != nil {
		return made, err
	}
	if request.Claims, err = h.recognize(ctx, rq, in.Body.BuyerContext); err != nil {
		return made, err
	}
	request.Repeatable, request.Agent = rq.Keyed, rq.Caller.Agent
	prepared, err := h.Discovery.In(rq.Stores).PrepareSearch(ctx, shop, request)
	if err != nil {
		return made, err
	}
	made.Commit = func(ctx context.Context, st *ports.Stores) (*wire.Output[searchAnswer], error) {
		err := prepared.Commit(ctx, st)
		return &wire.Output[searchAnswer]{Body: h.toAPISearch(shop, prepared.Answer)}, err
	}
	return made, nil
}

func fromAPISearch(shop *project.Project, r searchRequest) (discovery.SearchRequest, error) {
	request := discovery.SearchRequest{Query: catalog.Query{Text: r.Query, Limit: r.Limit, Prefer: fromAPIColors(r.BuyerContext)}}
	if f := r.Filters; f != nil {
		request.Query.Filter = catalog.Filter{Category: f.Category, Size: f.Size, Colors: f.ColorPreference}
		if f.PriceMax != nil {
			check := fault.NewCheck()
			limit := f.PriceMax.Amount(shop.Settings.Currency, "price_max", check.In("filters"))
			request.Query.Filter.PriceMax = &limit
			if err := check.Err(); err != nil {
				return request, err
			}
		}
	}
	var err error
	request.Session, err = wire.OptionalID[id.Session](r.SessionID, "session")
	return request, err
}

func (h *handlers) toAPISearch(shop *project.Project, a discovery.SearchAnswer) searchAnswer {
	answer := searchAnswer{
		SessionID: a.Session.ID.String(), TotalCount: a.Found.Total,
		Confidence: wire.ToDecimal(int64(a.Found.Confidence), 3), Facets: toAPIFacets(a.Found.Facets),
	}
	delivery := estimate(shop.Storefront)
	answer.Results = slices.Grow(answer.Results, len(a.Found.Hits))
	for _, hit := range a.Found.Hits {
		answer.Results = append(answer.Results, h.toAPIResult(shop, hit, a.Stock, delivery))
	}
	for _, r := range a.Recommendations {
		answer.Recommendations = append(answer.Recommendations, recommendation{
			Type: "complementary", ProductID: r.Product.ID.String(), Name: r.Product.Name,
			Price: wire.ToMoney(r.Price), BundleDiscount: r.BundleDiscount.String(),
		})
	}
	answer.NextActions = afterSearch(answer)
	return answer
}

func (h *handlers) toAPIResult(shop *project.Project, hit catalog.Hit, stock discovery.Stock, delivery string) searchResult {
	p := hit.Product
	quantity := stock.Of(p)
	r := searchResult{
		ProductID: p.ID.String(), Name: p.Name, Description: p.Description, Brand: p.Brand,
		ListPrice: wire.ToMoney(listPrice(p)), Negotiable: haggles(shop, p),
		SemanticMatch: semanticMatch{Score: wire.ToDecimal(int64(hit.Score), 3), Reasons: hit.Reasons},
		Availability:  searchAvailability{InStock: quantity > 0, Quantity: quantity, ShippingEstimate: delivery},
	}
	for _, image := range p.Images {
		r.Images = append(r.Images, searchImage{h.toAPIImageURL(image.URL), image.Alt})
	}
	for _, v := range p.Variants {
		r.Variants = append(r.Variants, searchVariantMatch{v.Size, v.Color, stock[v.ID] > 0})
	}
	return r
}

func toAPIFacets(f catalog.Facets) facets {
	var answer facets
	for _, b := range f.Brands {
		answer.Brands = append(answer.Brands, facetCount(b))
	}
	for _, c := range f.Colors {
		answer.Colors = append(answer.Colors, facetCount(c))
	}
	for _, r := range f.PriceRanges {
		answer.PriceRanges = append(answer.PriceRanges, priceRange{wire.ToMoney(r.Min), wire.ToMoney(r.Max), r.Count})
	}
	return answer
}
