package ucp

import (
	"context"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/ports"
)

const catalogPath = restPath + "/catalog"

// These are the sizes of a page of search results. The specification sets the default.
const (
	usualPage = 10
	mostPage  = 50
)

func (h *handlers) registerCatalog() {
	wire.AddPhased(h.mount, h.of(capability.CatalogSearch, huma.Operation{
		OperationID: "search_catalog",
		Method:      http.MethodPost,
		Path:        catalogPath + "/search",
		Summary:     "Search products",
		Errors:      []int{http.StatusServiceUnavailable},
	}), phased(h, (*handlers).searchCatalog))
	wire.AddReadOnly(h.mount, h.of(capability.CatalogLookup, huma.Operation{
		OperationID: "lookup_catalog",
		Method:      http.MethodPost,
		Path:        catalogPath + "/lookup",
		Summary:     "Look up products by id",
	}), plain(h, (*handlers).lookupCatalog))
	wire.AddReadOnly(h.mount, h.of(capability.CatalogLookup, huma.Operation{
		OperationID: "get_product",
		Method:      http.MethodPost,
		Path:        catalogPath + "/product",
		Summary:     "Read a product",
	}), plain(h, (*handlers).getProduct))
}

type searchInput struct {
	Body searchRequest
}

type searchRequest struct {
	Query       string          `json:"query,omitempty" maxLength:"2000" doc:"Keywords of one item, such as waterproof hiking jacket. Put constraints into filters."`
	Filters     *filtersRequest `json:"filters,omitempty"`
	Pagination  *pageRequest    `json:"pagination,omitempty"`
	Context     *marketRequest  `json:"context,omitempty"`
	Attribution attribution     `json:"attribution,omitempty"`
}

type filtersRequest struct {
	Categories []string       `json:"categories,omitempty" maxItems:"50" maxLength:"200" doc:"Category paths as in products; any of them matches. Subcategories match too."`
	Price      *pricedRequest `json:"price,omitempty" doc:"In minor units of the shop's currency."`
	Unknown    wire.Unknown   `json:",embed" hidden:"true"`
}

type pricedRequest struct {
	Min *int64 `json:"min,omitempty" minimum:"0" maximum:"9007199254740991" doc:"In minor units of the shop's currency: 5000 is 50.00 USD."`
	Max *int64 `json:"max,omitempty" minimum:"0" maximum:"9007199254740991" doc:"In minor units of the shop's currency: 25000 is 250.00 USD."`
}

type pageRequest struct {
	Cursor string `json:"cursor,omitempty" maxLength:"40000" doc:"pagination.cursor of the previous response, with the same query and filters."`
	Limit  int    `json:"limit,omitempty" minimum:"1" maximum:"9007199254740991" doc:"The maximum number of products, at most 50. Default: 10."`
}

type lookupInput struct {
	Body struct {
		IDs         []string        `json:"ids" minItems:"1" maxLength:"500" doc:"At most 50 ids of products or variants, or SKUs."`
		Filters     *filtersRequest `json:"filters,omitempty"`
		Context     *marketRequest  `json:"context,omitempty"`
		Attribution attribution     `json:"attribution,omitempty"`
	}
}

type getProductInput struct {
	Body struct {
		ID          string             `json:"id" maxLength:"500" doc:"The id of a product or a variant."`
		Selected    []selectionRequest `json:"selected,omitempty" maxItems:"20" doc:"The options wanted, such as name Size, label M."`
		Preferences []string           `json:"preferences,omitempty" maxItems:"20" maxLength:"200" doc:"Names of options, most important first, for the case that no variant has all selected options."`
		Filters     *filtersRequest    `json:"filters,omitempty"`
		Context     *marketRequest     `json:"context,omitempty"`
		Attribution attribution        `json:"attribution,omitempty"`
	}
}

type selectionRequest struct {
	Name  string `json:"name" maxLength:"200"`
	Label string `json:"label" maxLength:"200"`
}

type productsBody struct {
	UCP        envelope  `json:"ucp"`
	Products   []product `json:"products"`
	Pagination *pageBody `json:"pagination,omitempty"`
	Messages   []message `json:"messages,omitempty"`
}

type pageBody struct {
	Cursor      string `json:"cursor,omitempty"`
	HasNextPage bool   `json:"has_next_page"`
	TotalCount  int    `json:"total_count"`
}

type productBody struct {
	UCP      envelope  `json:"ucp"`
	Product  product   `json:"product"`
	Messages []message `json:"messages,omitempty"`
}

// searchCatalog searches, or lists bestsellers by filters. It opens no session.
func (h *handlers) searchCatalog(ctx ports.Outbound, rq Request, in *searchInput) (*reply, error) {
	shop := rq.Caller.Shop
	filter, warnings := fromAPIFilters(shop, in.Body.Filters, in.Body.Context)
	query := strings.TrimSpace(in.Body.Query)
	if query == "" && !in.Body.Filters.given() {
		return h.found(h.fail("invalid_input", "Send a query, or filters by categories or price."))
	}
	page := pageRequest{}
	if in.Body.Pagination != nil {
		page = *in.Body.Pagination
	}
	request := discovery.SearchRequest{
		Agent:   rq.Caller.Agent,
		Cursor:  page.Cursor,
		Passing: true,
		Query: catalog.Query{
			Text:   query,
			Filter: filter,
			Limit:  min(page.Limit, mostPage),
		},
	}
	if page.Limit == 0 {
		request.Query.Limit = usualPage
	}
	if query == "" {
		request.Query.Sort = catalog.BestSelling
	}
	prepared, err := h.Discovery.In(rq.Stores).PrepareSearch(ctx, shop, request)
	if err != nil {
		return h.refusedReply(rq, err)
	}
	found := prepared.Answer
	body := productsBody{
		UCP:      h.success(rq, capability.CatalogSearch),
		Products: make([]product, 0, len(found.Found.Hits)),
		Messages: warnings,
		Pagination: &pageBody{
			Cursor:      found.Next,
			HasNextPage: found.Next != "",
			TotalCount:  found.Found.Total,
		},
	}
	for _, hit := range found.Found.Hits {
		body.Products = append(body.Products, h.toAPIHit(hit, filter, found.Stock))
	}
	return h.found(body)
}

// refusedReply answers a request that reads nothing.
func (h *handlers) refusedReply(rq Request, err error) (*reply, error) {
	e, ok := business(err)
	if !ok {
		return nil, err
	}
	return h.found(h.refusal(rq, e))
}

func (h *handlers) lookupCatalog(ctx context.Context, rq Request, in *lookupInput) (*reply, error) {
	shop := rq.Caller.Shop
	filter, warnings := fromAPIFilters(shop, in.Body.Filters, in.Body.Context)
	found, err := h.Discovery.In(rq.Stores).Lookup(ctx, shop, in.Body.IDs, filter)
	if err != nil {
		return h.refusedReply(rq, err)
	}
	body := productsBody{
		UCP:      h.success(rq, capability.CatalogLookup),
		Products: make([]product, 0, len(found.Products)),
		Messages: warnings,
	}
	for _, p := range found.Products {
		body.Products = append(body.Products, h.toAPILookedUp(p, found.Stock))
	}
	for _, at := range found.Unknown {
		body.Messages = append(body.Messages, message{
			Type:    "info",
			Code:    "not_found",
			Content: "Nothing was found by ids[" + strconv.Itoa(at) + "] of the request.",
		})
	}
	return h.found(body)
}

func (h *handlers) getProduct(ctx context.Context, rq Request, in *getProductInput) (*reply, error) {
	shop := rq.Caller.Shop
	filter, warnings := fromAPIFilters(shop, in.Body.Filters, in.Body.Context)
	found, err := h.Discovery.In(rq.Stores).Choose(ctx, shop, discovery.ChoiceRequest{
		Name:      in.Body.ID,
		Selected:  wire.Each(in.Body.Selected, func(s selectionRequest) catalog.Selection { return catalog.Selection{Option: s.Name, Value: s.Label} }),
		Preferred: in.Body.Preferences,
		Filter:    filter,
	})
	if err != nil {
		return h.refusedReply(rq, err)
	}
	return h.found(productBody{
		UCP:      h.success(rq, capability.CatalogLookup),
		Product:  h.toAPIChoice(found),
		Messages: warnings,
	})
}
