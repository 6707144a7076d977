// Package catalog serves the catalogue in the Management API: products, categories, inventory, synonyms and the state of the
// search index. Imports of files are jobs, which package agents serves. It decides nothing; the use cases are in app.
package catalog

import (
	"context"
	"errors"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// handlers has the operations as methods.
type handlers struct{ *operation.API }

// Register adds the operations on products, categories, inventory, synonyms and the search index.
func Register(a *operation.API) {
	h := &handlers{a}
	h.registerProducts()
	h.registerCategories()
	h.registerInventory()
	h.registerSynonyms()
	h.registerSearchIndex()
}

func (h *handlers) registerProducts() {
	const all, one = "/v1/catalog/products", "/v1/catalog/products/{product_id}"
	g := h.Group("Catalog", "catalog", operation.HeaderProject)
	operation.Register(g, "create-product", "POST "+all, "Create a product", h.createProduct, operation.Created, operation.OneProduct, operation.Errors(409))
	operation.Register(g, "list-products", "GET "+all, "List products", operation.HandleList(h.listProducts, toAPIListed))
	operation.Register(g, "get-product", "GET "+one, "Get a product", wire.HandleOne(h.getProduct, toAPIProduct))
	operation.Register(g, "update-product", "PATCH "+one, "Change a product", h.updateProduct, operation.OneProduct, operation.Errors(409))
	operation.Register(g, "delete-product", "DELETE "+one, "Delete a product", h.deleteProduct)
	operation.Register(g, "upsert-products", "POST "+all+"/batch", "Create and update many products by sku", h.upsertProducts, operation.Batch)
}

type productOutput = wire.Output[product]

func (h *handlers) createProduct(ctx context.Context, rq operation.Request, in *wire.Input[newProduct]) (*productOutput, error) {
	p := rq.Caller.Project
	created, err := h.Catalogs.In(rq.Stores).Create(ctx, p, fromAPIProduct(in.Body.ProductPatch, p.Settings.Currency))
	if err != nil {
		return nil, err
	}
	out := &productOutput{Body: toAPIProduct(created)}
	operation.NoteCreated(rq, out.Body.ID, out.Body)
	return out, nil
}

type listProductsInput struct {
	operation.Paging
	Text     string `query:"q" maxLength:"200" doc:"Text that the name or sku contains."`
	Category string `query:"category" maxLength:"200" doc:"A path; products of its subcategories match too."`
	Status   string `query:"status" enum:"active,archived"`
	Bounds   bool   `query:"bounds" doc:"Adds the negotiation bounds of each product. Requires the scope agents:read as well."`
}

// listed is a product in a list, with the bounds of its first variant's price if they were asked for.
type listed struct {
	catalogs.Item
	bounds *negotiation.Bounds
}

func (h *handlers) listProducts(ctx context.Context, rq operation.Request, in *listProductsInput) ([]listed, int, error) {
	p, filter := rq.Caller.Project, ports.ProductFilter{
		Text:     in.Text,
		Category: in.Category,
		Status:   in.Status,
	}
	if in.Bounds {
		if err := rq.Caller.Require("agents:read"); err != nil {
			return nil, 0, err
		}
	}
	found, total, err := h.Catalogs.In(rq.Stores).List(ctx, p, filter, in.Page())
	if err != nil {
		return nil, 0, err
	}
	rows := wire.Each(found, func(i catalogs.Item) listed { return listed{Item: i} })
	if !in.Bounds {
		return rows, total, nil
	}
	bounds, err := h.Agents.In(rq.Stores).Bounds(ctx, p)
	if err != nil {
		return nil, 0, err
	}
	for i := range rows {
		of := bounds(rows[i].Product, rows[i].Product.Variants[0], rows[i].Stock)
		rows[i].bounds = &of
	}
	return rows, total, nil
}

type OnProduct struct {
	Product wire.Ref[id.Product] `path:"product_id"`
}

func (h *handlers) getProduct(ctx context.Context, rq operation.Request, in *OnProduct) (catalogs.Item, error) {
	return h.Catalogs.In(rq.Stores).Get(ctx, rq.Caller.Project, in.Product.ID)
}

type updateProductInput struct {
	OnProduct
	Body ProductPatch
}

func (h *handlers) updateProduct(ctx context.Context, rq operation.Request, in *updateProductInput) (*productOutput, error) {
	p := rq.Caller.Project
	changed, err := h.Catalogs.In(rq.Stores).Update(ctx, p, in.Product.ID, fromAPIProduct(in.Body, p.Settings.Currency))
	if err != nil {
		return nil, err
	}
	operation.NoteChange(rq, toAPIProduct(catalogs.Item{Product: changed.Before}), toAPIProduct(catalogs.Item{Product: changed.After.Product}))
	return &productOutput{Body: toAPIProduct(changed.After)}, nil
}

func (h *handlers) deleteProduct(ctx context.Context, rq operation.Request, in *OnProduct) (*struct{}, error) {
	gone, err := h.getProduct(ctx, rq, in)
	if err != nil {
		return nil, err
	}
	operation.NoteChange(rq, toAPIProduct(gone), nil)
	return nil, h.Catalogs.In(rq.Stores).Delete(ctx, rq.Caller.Project, in.Product.ID)
}

type upsertProductsInput struct {
	Body struct {
		Products []wire.Item[batchProduct] `json:"products" minItems:"1" maxItems:"1000"`
	}
}

// upserted is the outcome of one product. If it failed, ID is null and errors are filled.
type upserted struct {
	SKU    string        `json:"sku"`
	ID     *string       `json:"id" nullable:"true"`
	Status string        `json:"status" enum:"created,updated,failed"`
	Errors []wire.Detail `json:"errors"`
}

type upsertProductsOutput struct {
	Body struct {
		Data []upserted `json:"data"`
	}
}

func (h *handlers) upsertProducts(ctx context.Context, rq operation.Request, in *upsertProductsInput) (*upsertProductsOutput, error) {
	p := rq.Caller.Project
	lines := make([]catalogs.Line, len(in.Body.Products))
	for i, item := range in.Body.Products {
		check := fault.NewCheck()
		written := item.Read(h.Document().Components.Schemas, check)
		lines[i] = readProduct(written.ProductPatch, p.Settings.Currency, check)
		lines[i].Number = i
	}
	results, err := h.Catalogs.In(rq.Stores).Upsert(ctx, p, lines)
	if err != nil {
		return nil, err
	}
	out := &upsertProductsOutput{}
	out.Body.Data = wire.Each(results, toAPIUpserted)
	operation.NoteChange(rq, nil, countOutcomes(results))
	return out, nil
}

// countOutcomes counts products by outcome.
func countOutcomes(results []catalogs.Upserted) map[string]int {
	counts := make(map[string]int)
	for _, r := range results {
		counts[r.Outcome.String()]++
	}
	return counts
}

func toAPIUpserted(r catalogs.Upserted) upserted {
	u := upserted{
		SKU:    r.SKU,
		Status: r.Outcome.String(),
		Errors: []wire.Detail{},
	}
	var known *fault.Error
	switch {
	case r.Err == nil:
		u.ID = wire.ToOptionalID(r.Product)
	case errors.As(r.Err, &known) && len(known.Details) > 0:
		u.Errors = wire.Each(known.Details, func(d fault.Detail) wire.Detail { return wire.Detail(d) })
	case errors.As(r.Err, &known):
		u.Errors = []wire.Detail{{Message: known.Message}}
	default:
		u.Errors = []wire.Detail{{Message: "could not be stored"}}
	}
	return u
}

func (h *handlers) registerCategories() {
	g := h.Group("Catalog", "catalog", operation.HeaderProject)
	operation.Register(g, "list-categories", "GET /v1/catalog/categories", "List the categories of active products",
		operation.HandleList(h.listCategories, toAPICategory))
}

// category is a path of products' categories. Its id is the path.
type category struct {
	ID           string `json:"id"`
	Name         string `json:"name" doc:"The last part of the path."`
	ProductCount int    `json:"product_count" doc:"Active products at or below the path."`
}

func (h *handlers) listCategories(ctx context.Context, rq operation.Request, in *operation.Paging) ([]catalog.Category, int, error) {
	all, err := h.Discovery.In(rq.Stores).Categories(ctx, rq.Caller.Project)
	return operation.Part(all, *in), len(all), err
}

func toAPICategory(c catalog.Category) category {
	return category{
		ID:           c.Path,
		Name:         c.Path[strings.LastIndex(c.Path, "/")+1:],
		ProductCount: c.Count,
	}
}
