package merchant

import (
	"context"
	"encoding/json"
	"net/url"
	"time"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// Product is a product as the merchant writes and reads it (features/MANAGEMENT.md#catalog).
type Product struct {
	ID              string            `json:"id,omitempty"`
	Name            string            `json:"name"`
	SKU             string            `json:"sku"`
	Price           decimal.Decimal   `json:"price"`
	Category        string            `json:"category"` // path with slashes
	Description     string            `json:"description,omitempty"`
	Brand           string            `json:"brand,omitempty"`
	Images          json.RawMessage   `json:"images,omitempty"`
	Attributes      map[string]string `json:"attributes,omitempty"`
	Tags            []string          `json:"tags,omitempty"`
	Variants        []Variant         `json:"variants,omitempty"`
	Negotiable      *bool             `json:"negotiable,omitempty"`
	Cost            *decimal.Decimal  `json:"cost,omitempty"`
	CompetitorPrice *decimal.Decimal  `json:"competitor_price,omitempty"`
	Reviews         json.RawMessage   `json:"reviews,omitempty"`
	Related         json.RawMessage   `json:"related,omitempty"`
	Quantity        *int              `json:"quantity,omitempty"`
	GTIN            string            `json:"gtin,omitempty"` // of a product without variants
	MPN             string            `json:"mpn,omitempty"`  // of a product without variants
	Status          string            `json:"status,omitempty"`
	CreatedAt       *time.Time        `json:"created_at,omitempty"`
	UpdatedAt       *time.Time        `json:"updated_at,omitempty"`
}

// Variant is the unit that is sold.
type Variant struct {
	ID       string           `json:"id,omitempty"`
	SKU      string           `json:"sku"`
	Size     string           `json:"size,omitempty"`
	Color    string           `json:"color,omitempty"`
	Price    *decimal.Decimal `json:"price,omitempty"`
	Quantity *int             `json:"quantity,omitempty"`
	GTIN     string           `json:"gtin,omitempty"`
	MPN      string           `json:"mpn,omitempty"`
}

// ProductQuery narrows a product list.
type ProductQuery struct {
	Text, Category, Status string
	Page
}

// BatchResult is the result of one product of a batch.
type BatchResult struct {
	SKU    string          `json:"sku"`
	ID     string          `json:"id"`
	Status string          `json:"status"` // created, updated or failed
	Errors json.RawMessage `json:"errors"`
}

// Category is one node of the catalog's category tree.
type Category struct {
	ID           string `json:"id"`
	Name         string `json:"name"`
	ProductCount int    `json:"product_count"`
}

// Level is the stock of a variant at a location.
type Level struct {
	SKU       string `json:"sku"`
	ProductID string `json:"product_id,omitempty"`
	VariantID string `json:"variant_id,omitempty"`
	Location  string `json:"location"`
	Quantity  int    `json:"quantity"`            // in the warehouse
	Available int    `json:"available,omitempty"` // for sale; only in answers
}

// Adjustment changes stock by Delta.
type Adjustment struct {
	SKU      string `json:"sku"`
	Location string `json:"location"`
	Delta    int    `json:"delta"`
	Reason   string `json:"reason,omitempty"`
}

const productsPath = "/v1/catalog/products"

// CreateProduct adds a product to the catalog.
func (c *Client) CreateProduct(ctx context.Context, product Product, options ...Option) (Product, error) {
	return call[Product](ctx, c, "POST", productsPath, product, options)
}

// Product reads a product.
func (c *Client) Product(ctx context.Context, id string, options ...Option) (Product, error) {
	return call[Product](ctx, c, "GET", productPath(id), nil, options)
}

// Products lists products.
func (c *Client) Products(ctx context.Context, query ProductQuery, options ...Option) (List[Product], error) {
	parameters := url.Values{}
	for name, value := range map[string]string{"q": query.Text, "category": query.Category, "status": query.Status} {
		if value != "" {
			parameters.Set(name, value)
		}
	}
	return call[List[Product]](ctx, c, "GET", productsPath+query.query(parameters), nil, options)
}

// PatchProduct changes a product.
func (c *Client) PatchProduct(ctx context.Context, id string, patch Patch, options ...Option) (Product, error) {
	return call[Product](ctx, c, "PATCH", productPath(id), patch, options)
}

// DeleteProduct removes a product from the catalog.
func (c *Client) DeleteProduct(ctx context.Context, id string, options ...Option) error {
	_, err := call[nothing](ctx, c, "DELETE", productPath(id), nil, options)
	return err
}

// BatchProducts creates or updates products by sku, up to a thousand.
func (c *Client) BatchProducts(ctx context.Context, products []Product, options ...Option) ([]BatchResult, error) {
	in := map[string]any{"products": products}
	out, err := call[List[BatchResult]](ctx, c, "POST", productsPath+"/batch", in, options)
	return out.Data, err
}

// Categories lists the categories.
func (c *Client) Categories(ctx context.Context, page Page, options ...Option) (List[Category], error) {
	return call[List[Category]](ctx, c, "GET", "/v1/catalog/categories"+page.query(nil), nil, options)
}

// Inventory lists stock levels of one SKU, or of all if sku is empty.
func (c *Client) Inventory(ctx context.Context, sku string, page Page, options ...Option) (List[Level], error) {
	parameters := url.Values{}
	if sku != "" {
		parameters.Set("sku", sku)
	}
	return call[List[Level]](ctx, c, "GET", inventoryPath+page.query(parameters), nil, options)
}

// SetInventory sets stock levels.
func (c *Client) SetInventory(ctx context.Context, levels []Level, options ...Option) (List[Level], error) {
	return call[List[Level]](ctx, c, "PUT", inventoryPath, map[string]any{"levels": levels}, options)
}

// AdjustInventory changes stock levels, which cannot go below zero.
func (c *Client) AdjustInventory(ctx context.Context, adjustments []Adjustment, options ...Option) (List[Level], error) {
	return call[List[Level]](ctx, c, "POST", inventoryPath+"/adjust", map[string]any{"adjustments": adjustments}, options)
}

const inventoryPath = "/v1/catalog/inventory"

func productPath(id string) string { return productsPath + "/" + url.PathEscape(id) }
