package acp

import (
	"context"
	"net/http"
	"slices"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerSearch() {
	wire.AddPrepared(h.mount, h.operation(huma.Operation{
		OperationID: searchID,
		Method:      http.MethodPost,
		Path:        "/acp/search",
		Tags:        discoveryTag,
		Summary:     "Search products in natural language",
		Description: "Search with keywords of one product (\"waterproof hiking jacket\"), one search for each product. Put constraints into filters. A SKU, GTIN, MPN or part number " +
			"as the query finds that product first. Results match by meaning; products in stock rank higher. An empty query " +
			"finds everything that passes the filters.\n\nThe facets suggest further filters; each ignores its own filter. To " +
			"read more results, send next_cursor of the previous response as cursor, with the same query, filters and sort. " +
			"Even if the catalog changes in between, no product is repeated or omitted. If nothing is found, no_results shows how many results each filter removed. Unknown fields and filters " +
			"have no effect; warnings name them.\n\nWithout session_id it opens a session. Prices are in the shop's currency, " +
			"for one piece. Errors: 404 session_not_found; 409 session_expired; 422 validation_error for a price with more " +
			"decimals than the currency, a price_min above price_max or the cursor of another search; 503 index_building, with a Retry-After, while the index is built.",
		Errors: []int{http.StatusConflict, http.StatusServiceUnavailable},
	}), h.search)
}

type searchAnswer struct {
	SessionID       string           `json:"session_id"`
	Results         []searchResult   `json:"results"`
	TotalCount      int              `json:"total_count" minimum:"0" doc:"All relevant products, including those beyond limit."`
	NextCursor      string           `json:"next_cursor,omitempty" doc:"Send it as cursor to read the next results. Omitted if there are none."`
	Confidence      wire.Decimal     `json:"semantic_confidence" minimum:"0" maximum:"1" doc:"How well the best result matches the query."`
	Facets          facets           `json:"facets" doc:"Counts over all relevant products. brands ignores the filter brand, price_ranges ignores price_min and price_max, colors ignores color_preference."`
	Recommendations []recommendation `json:"recommendations" doc:"Products that complement the first result."`
	NoResults       *noResults       `json:"no_results,omitempty" doc:"Why there is no result."`
	Warnings        []warning        `json:"warnings,omitempty" doc:"Fields of the request that had no effect."`

	NextActions nextActions `json:"next_actions,omitempty"`
}

type searchResult struct {
	ProductID     string               `json:"product_id"`
	URL           string               `json:"url" format:"uri" doc:"The address of the full product."`
	Name          string               `json:"name"`
	Description   string               `json:"description"`
	Brand         string               `json:"brand"`
	ListPrice     wire.Money           `json:"list_price" minimum:"0"`
	Currency      string               `json:"currency" example:"USD" doc:"ISO 4217."`
	Negotiable    bool                 `json:"negotiable"`
	SemanticMatch semanticMatch        `json:"semantic_match"`
	Images        []searchImage        `json:"images"`
	Availability  searchAvailability   `json:"availability"`
	Variants      []searchVariantMatch `json:"variants" doc:"At most 100. Of a product with more, the variants that pass the filter come first, then those in stock."`
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
	Quantity         int    `json:"quantity" minimum:"0" doc:"Pieces in stock of the variants listed."`
	ShippingEstimate string `json:"shipping_estimate" example:"3-5 business days"`
}

type searchVariantMatch struct {
	ID      string `json:"id"`
	Size    string `json:"size"`
	Color   string `json:"color"`
	InStock bool   `json:"in_stock" doc:"Whether it can be bought."`

	Availability string `json:"availability" enum:"in_stock,backorder,out_of_stock" doc:"backorder: it can be bought, and ships once back in stock."`

	RequiresShipping bool `json:"requires_shipping" doc:"False for a digital product."`
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
	BundleDiscount string     `json:"bundle_discount" example:"5%" doc:"The reduction as the bundle_suggestion of a counteroffer."`
}

func (h *handlers) search(ctx ports.Outbound, rq Request, in *wire.Input[searchRequest]) (made plan[wire.Output[searchAnswer]], err error) {
	shop := rq.Caller.Shop
	request, err := fromAPISearch(shop, in.Body)
	if err != nil {
		return made, err
	}
	warnings := in.Body.warnings()
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
		answer := h.toAPISearch(shop, prepared.Answer)
		answer.Warnings = warnings
		if none := prepared.Answer.Found.Nothing; none != nil {
			answer.NoResults = toAPINoResults(in.Body.Query, none)
		}
		return &wire.Output[searchAnswer]{Body: answer}, err
	}
	return made, nil
}

func (h *handlers) toAPISearch(shop *project.Project, a discovery.SearchAnswer) searchAnswer {
	answer := searchAnswer{
		SessionID:  a.Session.ID.String(),
		TotalCount: a.Found.Total,
		NextCursor: a.Next,
		Confidence: wire.ToDecimal(int64(a.Found.Confidence), 3),
		Facets:     toAPIFacets(a.Found.Facets),
	}
	delivery := estimate(shop.Storefront)
	answer.Results = slices.Grow(answer.Results, len(a.Found.Hits))
	for _, hit := range a.Found.Hits {
		answer.Results = append(answer.Results, h.toAPIResult(shop, hit, a.Stock, delivery))
	}
	for _, r := range a.Recommendations {
		answer.Recommendations = append(answer.Recommendations, recommendation{
			Type:           "complementary",
			ProductID:      r.Product.ID.String(),
			Name:           r.Product.Name,
			Price:          wire.ToMoney(r.Price),
			BundleDiscount: r.BundleDiscount.String(),
		})
	}
	answer.NextActions = afterSearch(answer)
	return answer
}

func (h *handlers) toAPIResult(shop *project.Project, hit catalog.Hit, stock discovery.Stock, delivery string) searchResult {
	p := hit.Product
	quantity := stock.Of(p)
	r := searchResult{
		ProductID:     p.ID.String(),
		Name:          p.Name,
		Description:   p.Description,
		Brand:         p.Brand,
		URL:           h.toAPIProductURL(shop, p),
		ListPrice:     wire.ToMoney(listPrice(p)),
		Currency:      shop.Settings.Currency.Code(),
		Negotiable:    haggles(shop, p),
		SemanticMatch: semanticMatch{Score: wire.ToDecimal(int64(hit.Score), 3), Reasons: hit.Reasons},
		Availability: searchAvailability{
			InStock:          stock.Sells(hit),
			Quantity:         quantity,
			ShippingEstimate: delivery,
		},
	}
	for _, image := range p.Images {
		r.Images = append(r.Images, searchImage{h.ImageURL(image.URL), image.Alt})
	}
	for _, v := range hit.Variants() {
		r.Variants = append(r.Variants, searchVariantMatch{v.ID.String(), v.Size, v.Color, v.Available(stock[v.ID]), v.Availability(1, stock[v.ID]).String(), !v.Digital})
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
