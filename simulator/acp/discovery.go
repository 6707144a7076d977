package acp

import (
	"context"
	"encoding/json"
	"net/url"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// Manifest is defined in features/PROTOCOL.md#manifest.
type Manifest struct {
	ACPVersion string `json:"acp_version"`
	Merchant   struct {
		ID           string   `json:"id"`
		Name         string   `json:"name"`
		Description  string   `json:"description"`
		LogoURL      string   `json:"logo_url"`
		Capabilities []string `json:"capabilities"`
	} `json:"merchant"`
	Endpoints           map[string]string `json:"endpoints"`
	PaymentMethods      []PaymentMethod   `json:"payment_methods"`
	SupportedCurrencies []string          `json:"supported_currencies"`
	ShippingRegions     []string          `json:"shipping_regions"`
	Policies            struct {
		NegotiationEnabled    bool             `json:"negotiation_enabled"`
		MaxDiscountPercent    decimal.Decimal  `json:"max_discount_percent"`
		ReturnWindowDays      int              `json:"return_window_days"`
		FreeShippingThreshold *decimal.Decimal `json:"free_shipping_threshold"`
	} `json:"policies"`
	Categories []Category        `json:"categories"`
	URLs       map[string]string `json:"urls"` // absolute, with {id} as a placeholder
	Usage      struct {
		NextActions map[string]string `json:"next_actions"`
	} `json:"usage"`
}

// PaymentMethod is one way to pay; the types are psp_spt and wallet_ba.
type PaymentMethod struct {
	Type       string   `json:"type"`
	Currencies []string `json:"currencies"`
}

// Category is a category of the catalog.
type Category struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	ProductCount int    `json:"product_count"`
}

// Currency returns the currency of every price of the project.
func (m Manifest) Currency() string {
	if len(m.SupportedCurrencies) == 0 {
		return ""
	}
	return m.SupportedCurrencies[0]
}

// BuyerContext is what a buyer claims about itself.
type BuyerContext struct {
	LoyaltyTier     string   `json:"loyalty_tier,omitempty"`
	ColorPreference []string `json:"color_preference,omitempty"` // only used by searches
	Location        string   `json:"location,omitempty"`
	PurchaseHistory int      `json:"purchase_history,omitempty"`
	Urgency         string   `json:"urgency,omitempty"`
	BuyerToken      string   `json:"buyer_token,omitempty"` // issued by the merchant, so not a claim
}

// SearchRequest is defined in features/PROTOCOL.md#search.
type SearchRequest struct {
	Query        string        `json:"query"`
	Filters      *Filters      `json:"filters,omitempty"`
	Sort         string        `json:"sort,omitempty"`
	Cursor       string        `json:"cursor,omitempty"`
	Limit        int           `json:"limit,omitempty"`
	BuyerContext *BuyerContext `json:"buyer_context,omitempty"`
}

// Filters narrow a search.
type Filters struct {
	Category        string              `json:"category,omitempty"`
	Brand           []string            `json:"brand,omitempty"`
	PriceMin        *decimal.Decimal    `json:"price_min,omitempty"`
	PriceMax        *decimal.Decimal    `json:"price_max,omitempty"`
	Size            string              `json:"size,omitempty"`
	ColorPreference []string            `json:"color_preference,omitempty"`
	InStock         bool                `json:"in_stock,omitempty"`
	Attributes      map[string][]string `json:"attributes,omitempty"`
	RatingMin       *decimal.Decimal    `json:"rating_min,omitempty"`
}

// SearchResponse is defined in features/PROTOCOL.md#search.
type SearchResponse struct {
	SessionID  string   `json:"session_id"`
	Results    []Result `json:"results"`
	TotalCount int      `json:"total_count"`
	NextCursor string   `json:"next_cursor"`
	Facets     struct {
		Brands      []Count `json:"brands"`
		PriceRanges []struct {
			Min   decimal.Decimal  `json:"min"`
			Max   *decimal.Decimal `json:"max"`
			Count int              `json:"count"`
		} `json:"price_ranges"`
		Colors []Count `json:"colors"`
	} `json:"facets"`
	Recommendations []struct {
		Type           string          `json:"type"`
		ProductID      string          `json:"product_id"`
		Name           string          `json:"name"`
		Price          decimal.Decimal `json:"price"`
		BundleDiscount string          `json:"bundle_discount"`
	} `json:"recommendations"`
	NextActions []string `json:"next_actions"`
	NoResults   *struct {
		Message   string `json:"message"`
		Matched   int    `json:"matched_without_filters"`
		RemovedBy []struct {
			Filter  string `json:"filter"`
			Removed int    `json:"removed"`
			Without int    `json:"found_without"`
		} `json:"removed_by"`
		DidYouMean []string `json:"did_you_mean"`
	} `json:"no_results"`
	Warnings []Warning `json:"warnings"`
}

// Count is one value of a facet.
type Count struct {
	Name  string `json:"name"`
	Count int    `json:"count"`
}

// Result is one product found.
type Result struct {
	ProductID     string          `json:"product_id"`
	URL           string          `json:"url"`
	Name          string          `json:"name"`
	Description   string          `json:"description"`
	Brand         string          `json:"brand"`
	ListPrice     decimal.Decimal `json:"list_price"`
	Currency      string          `json:"currency"`
	Negotiable    bool            `json:"negotiable"`
	SemanticMatch struct {
		Score   json.Number `json:"score"`
		Reasons []string    `json:"reasons"`
	} `json:"semantic_match"`
	Images []struct {
		URL string `json:"url"`
		Alt string `json:"alt"`
	} `json:"images"`
	Availability struct {
		InStock          bool   `json:"in_stock"`
		Quantity         int    `json:"quantity"`
		ShippingEstimate string `json:"shipping_estimate"`
	} `json:"availability"`
	Variants []struct {
		ID      string `json:"id"`
		Size    string `json:"size"`
		Color   string `json:"color"`
		InStock bool   `json:"in_stock"`
	} `json:"variants"`
}

// ProductRequest reads one product. Session and buyer are optional.
type ProductRequest struct {
	ProductID    string
	SessionID    string
	BuyerContext *BuyerContext
}

// Product is defined in features/PROTOCOL.md#products.
type Product struct {
	ProductID         string          `json:"product_id"`
	Name              string          `json:"name"`
	Description       string          `json:"description"`
	Brand             string          `json:"brand"`
	Category          string          `json:"category"`
	ListPrice         decimal.Decimal `json:"list_price"`
	PersonalizedPrice *struct {
		Price    decimal.Decimal `json:"price"`
		Discount string          `json:"discount"`
		Reason   string          `json:"reason"`
	} `json:"personalized_price"`
	Negotiable       bool `json:"negotiable"`
	NegotiationHints *struct {
		SuggestedOffer        decimal.Decimal   `json:"suggested_offer"`
		LikelyAcceptanceRange []decimal.Decimal `json:"likely_acceptance_range"`
	} `json:"negotiation_hints"`
	Attributes map[string]string `json:"attributes"`
	Variants   []Variant         `json:"variants"`
	Images     []struct {
		URL      string `json:"url"`
		Position int    `json:"position"`
	} `json:"images"`
	Reviews *struct {
		AverageRating json.Number `json:"average_rating"`
		Count         int         `json:"count"`
		Summary       string      `json:"summary"`
	} `json:"reviews"`
	Shipping struct {
		FreeShipping          bool             `json:"free_shipping"`
		FreeShippingThreshold *decimal.Decimal `json:"free_shipping_threshold"`
		EstimatedDelivery     string           `json:"estimated_delivery"`
	} `json:"shipping"`
	Returns struct {
		Allowed    bool   `json:"allowed"`
		WindowDays int    `json:"window_days"`
		Conditions string `json:"conditions"`
	} `json:"returns"`
}

// Variant is the unit that is sold.
type Variant struct {
	ID       string `json:"id"`
	Size     string `json:"size"`
	Color    string `json:"color"`
	SKU      string `json:"sku"`
	InStock  bool   `json:"in_stock"`
	Quantity int    `json:"quantity"`
	GTIN     string `json:"gtin"`
	MPN      string `json:"mpn"`
}

// AvailabilityRequest is defined in features/PROTOCOL.md#availability.
type AvailabilityRequest struct {
	Items           []AvailabilityItem `json:"items"`
	ShippingAddress *Destination       `json:"shipping_address,omitempty"`
}

// AvailabilityItem is a quantity of one item.
type AvailabilityItem struct {
	ProductID string `json:"product_id"`
	VariantID string `json:"variant_id,omitempty"`
	Quantity  int    `json:"quantity"`
}

// Destination is the part of an address that a shipping estimate needs.
type Destination struct {
	PostalCode string `json:"postal_code"`
	Country    string `json:"country"`
}

// Availability is defined in features/PROTOCOL.md#availability.
type Availability struct {
	Available bool `json:"available"`
	Items     []struct {
		ProductID         string `json:"product_id"`
		VariantID         string `json:"variant_id"`
		RequestedQuantity int    `json:"requested_quantity"`
		AvailableQuantity int    `json:"available_quantity"`
		Status            string `json:"status"`
		Warehouse         string `json:"warehouse"`
		ShippingEstimate  *struct {
			Method string          `json:"method"`
			Days   string          `json:"days"`
			Cost   decimal.Decimal `json:"cost"`
		} `json:"shipping_estimate"`
	} `json:"items"`
	ShippingOptions []struct {
		Method string          `json:"method"`
		Cost   decimal.Decimal `json:"cost"`
		Days   string          `json:"days"`
	} `json:"shipping_options"`
	TotalShipping         decimal.Decimal `json:"total_shipping"`
	FreeShippingQualified bool            `json:"free_shipping_qualified"`
}

var (
	manifestOperation = operation{"GET", "/.well-known/acp/manifest.json", always(
		"acp_version", "merchant.id", "merchant.name", "merchant.capabilities[]", "endpoints.search", "endpoints.product",
		"endpoints.quote", "endpoints.checkout", "endpoints.finalize", "endpoints.orders", "endpoints.returns",
		"payment_methods[].type", "payment_methods[].currencies[]", "supported_currencies[]", "shipping_regions[]",
		"policies.negotiation_enabled", "policies.max_discount_percent", "policies.return_window_days",
		"categories[].id", "categories[].name", "categories[].product_count",
		"urls.search", "urls.product", "urls.availability", "urls.quote", "urls.checkout", "urls.checkout_cancel", "urls.finalize",
		"urls.session", "urls.cart", "urls.orders", "urls.order_cancel", "urls.returns", "urls.openapi", "protocols", "usage.next_actions.accept",
	)}
	searchOperation = operation{"POST", "/acp/search", always(
		"session_id", "results[].product_id", "results[].name", "results[].list_price", "results[].negotiable",
		"results[].semantic_match.score", "results[].semantic_match.reasons[]", "results[].images[].url",
		"results[].availability.in_stock", "results[].availability.quantity", "results[].availability.shipping_estimate",
		"results[].variants[].in_stock", "results[].variants[].id", "results[].url", "results[].currency", "total_count", "facets.brands[].count", "facets.price_ranges[].min",
		"facets.price_ranges[].count", "facets.colors[].count", "recommendations[].type", "recommendations[].product_id",
		"recommendations[].price", "next_actions[]",
	)}
	productOperation = operation{"GET", "/acp/products/{id}", always(
		"product_id", "name", "category", "list_price", "negotiable", "variants[].id", "variants[].sku",
		"variants[].in_stock", "variants[].quantity", "images[].url", "shipping.free_shipping",
		"shipping.estimated_delivery", "returns.allowed", "returns.window_days", "returns.conditions", "next_actions[]",
	)}
	availabilityOperation = operation{"POST", "/acp/availability", always(
		"available", "items[].product_id", "items[].variant_id", "items[].requested_quantity",
		"items[].available_quantity", "items[].status", "shipping_options[].method", "shipping_options[].cost",
		"shipping_options[].days", "total_shipping", "free_shipping_qualified", "next_actions[]",
	)}
)

// Manifest reads the manifest.
func (c *Client) Manifest(ctx context.Context, options ...Option) (Manifest, error) {
	return call[Manifest](ctx, c, manifestOperation, "/.well-known/acp/manifest.json", nil, options)
}

// Search finds products by meaning and opens a session.
func (c *Client) Search(ctx context.Context, request SearchRequest, options ...Option) (SearchResponse, error) {
	return call[SearchResponse](ctx, c, searchOperation, "/acp/search", request, options)
}

// Product reads one product.
func (c *Client) Product(ctx context.Context, request ProductRequest, options ...Option) (Product, error) {
	query := url.Values{}
	if request.SessionID != "" {
		query.Set("session_id", request.SessionID)
	}
	if request.BuyerContext != nil {
		claim, err := json.Marshal(request.BuyerContext)
		if err != nil {
			return Product{}, err
		}
		query.Set("buyer_context", string(claim))
	}
	path := "/acp/products/" + url.PathEscape(request.ProductID)
	if len(query) > 0 {
		path += "?" + query.Encode()
	}
	return call[Product](ctx, c, productOperation, path, request, options)
}

// Availability asks whether items are in stock and what their shipping costs.
func (c *Client) Availability(ctx context.Context, request AvailabilityRequest, options ...Option) (Availability, error) {
	return call[Availability](ctx, c, availabilityOperation, "/acp/availability", request, options)
}
