package ucp

import (
	"context"
	"encoding/json"

	"github.com/haggle-commerce/haggle/simulator/ucp/judge"
)

// Page is the limit and the cursor of a list.
type Page struct {
	Cursor string `json:"cursor,omitempty"`
	Limit  int    `json:"limit,omitempty"`
}

// Filters narrow a search.
type Filters struct {
	Categories []string    `json:"categories,omitempty"`
	Price      *PriceRange `json:"price,omitempty"`
}

// PriceRange is a range in minor units.
type PriceRange struct {
	Min *int64 `json:"min,omitempty"`
	Max *int64 `json:"max,omitempty"`
}

// SearchRequest asks for products by words or filters.
type SearchRequest struct {
	Query      string          `json:"query,omitempty"`
	Filters    *Filters        `json:"filters,omitempty"`
	Pagination *Page           `json:"pagination,omitempty"`
	Context    json.RawMessage `json:"context,omitempty"`
}

// Found is the result of a search or lookup.
type Found struct {
	UCP        Envelope  `json:"ucp"`
	Products   []Product `json:"products"`
	Pagination struct {
		Cursor  string `json:"cursor"`
		HasNext bool   `json:"has_next_page"`
		Total   int    `json:"total_count"`
	} `json:"pagination"`
	Messages Messages `json:"messages"`
}

// Selected is the value of an option.
type Selected struct {
	Name  string `json:"name"`
	Label string `json:"label"`
}

// Product is a product with its variants.
type Product struct {
	ID          string      `json:"id"`
	Title       string      `json:"title"`
	Description Description `json:"description"`
	PriceRange  struct {
		Min Money `json:"min"`
		Max Money `json:"max"`
	} `json:"price_range"`
	Variants []Variant  `json:"variants"`
	Selected []Selected `json:"selected"`
}

// Variant is the unit that is sold. Its id is a line's item id.
type Variant struct {
	ID           string `json:"id"`
	SKU          string `json:"sku"`
	Title        string `json:"title"`
	Price        Money  `json:"price"`
	ListPrice    *Money `json:"list_price"`
	Availability *struct {
		Available bool   `json:"available"`
		Status    string `json:"status"`
	} `json:"availability"`
	Options []Selected `json:"options"`
	Inputs  []struct {
		ID    string `json:"id"`
		Match string `json:"match"`
	} `json:"inputs"`
}

// InStock reports whether the variant is in stock. A variant without availability is.
func (v Variant) InStock() bool { return v.Availability == nil || v.Availability.Available }

// LookupRequest asks for products by id.
type LookupRequest struct {
	IDs []string `json:"ids"`
}

// ProductRequest asks for one product, with some of its options selected.
type ProductRequest struct {
	ID       string     `json:"id"`
	Selected []Selected `json:"selected,omitempty"`
}

// Search finds products.
func (c *Client) Search(ctx context.Context, request SearchRequest, options ...CallOption) (Found, error) {
	return call[Found](ctx, c, judge.SearchCatalog, "", request, options)
}

// Lookup reads products and variants by id.
func (c *Client) Lookup(ctx context.Context, request LookupRequest, options ...CallOption) (Found, error) {
	return call[Found](ctx, c, judge.LookupCatalog, "", request, options)
}

// Product reads one product.
func (c *Client) Product(ctx context.Context, request ProductRequest, options ...CallOption) (Product, error) {
	answer, err := call[struct {
		Product Product `json:"product"`
	}](ctx, c, judge.GetProduct, "", request, options)
	return answer.Product, err
}
