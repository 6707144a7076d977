package catalog

import (
	"context"
	"errors"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerProducts() {
	const tag, all, one = "Catalog", "/v1/catalog/products", "/v1/catalog/products/{product_id}"
	operation.Register(h.API, tag, operation.Spec{
		ID: "create-product", Method: "POST", Path: all, Scope: "catalog:write", On: operation.HeaderProject,
		Status: 201, Errors: []int{409}, Summary: "Create a product",
	}, h.createProduct)
	operation.RegisterRead(h.API, tag, operation.Spec{
		ID: "list-products", Method: "GET", Path: all, Scope: "catalog:read", On: operation.HeaderProject,
		Summary: "List products",
	}, h.listProducts)
	operation.RegisterRead(h.API, tag, operation.Spec{
		ID: "get-product", Method: "GET", Path: one, Scope: "catalog:read", On: operation.HeaderProject,
		Summary: "Get a product",
	}, h.getProduct)
	operation.Register(h.API, tag, operation.Spec{
		ID: "update-product", Method: "PATCH", Path: one, Scope: "catalog:write", On: operation.HeaderProject,
		Errors: []int{409}, Summary: "Change a product",
	}, h.updateProduct)
	operation.Register(h.API, tag, operation.Spec{
		ID: "delete-product", Method: "DELETE", Path: one, Scope: "catalog:write", On: operation.HeaderProject,
		Status: 204, Summary: "Delete a product",
	}, h.deleteProduct)
	operation.Register(h.API, tag, operation.Spec{
		ID: "upsert-products", Method: "POST", Path: all + "/batch", Scope: "catalog:write", On: operation.HeaderProject,
		Batch: true, Summary: "Create and update many products by sku",
	}, h.upsertProducts)
}

type productOutput struct{ Body product }

type createProductInput struct{ Body newProduct }

func (h *handlers) createProduct(ctx context.Context, rq operation.Request, in *createProductInput) (*productOutput, error) {
	p := rq.Caller.Project
	created, err := h.catalogs(rq).Create(ctx, p, fromAPIProduct(in.Body.ProductPatch, p.Settings.Currency))
	if err != nil {
		return nil, err
	}
	operation.NoteTarget(rq, created.Product.ID.String())
	out := toAPIProduct(created)
	operation.NoteChange(rq, nil, out)
	return &productOutput{out}, nil
}

type listProductsInput struct {
	operation.Paging
	Text     string `query:"q" maxLength:"200" doc:"In name or sku."`
	Category string `query:"category" maxLength:"200" doc:"A path; categories below it count too."`
	Status   string `query:"status" enum:"active,archived"`
}

func (h *handlers) listProducts(ctx context.Context, rq operation.Request, in *listProductsInput) (*operation.ListOutput[product], error) {
	filter := ports.ProductFilter{Text: in.Text, Category: in.Category, Status: in.Status}
	items, total, err := h.catalogs(rq).List(ctx, rq.Caller.Project, filter, in.Page())
	if err != nil {
		return nil, err
	}
	return operation.ToAPIList(items, toAPIProduct, in.Paging, total), nil
}

type OnProduct struct {
	Product string `path:"product_id"`
}

func (h *handlers) getProduct(ctx context.Context, rq operation.Request, in *OnProduct) (*productOutput, error) {
	wanted, err := wire.ID[id.Product](in.Product, "product")
	if err != nil {
		return nil, err
	}
	found, err := h.catalogs(rq).Get(ctx, rq.Caller.Project, wanted)
	if err != nil {
		return nil, err
	}
	return &productOutput{toAPIProduct(found)}, nil
}

type updateProductInput struct {
	OnProduct
	Body ProductPatch
}

func (h *handlers) updateProduct(ctx context.Context, rq operation.Request, in *updateProductInput) (*productOutput, error) {
	p := rq.Caller.Project
	wanted, err := wire.ID[id.Product](in.Product, "product")
	if err != nil {
		return nil, err
	}
	changed, err := h.catalogs(rq).Update(ctx, p, wanted, fromAPIProduct(in.Body, p.Settings.Currency))
	if err != nil {
		return nil, err
	}
	operation.NoteTarget(rq, in.Product)
	operation.NoteChange(rq, toAPIProduct(catalogs.Item{Product: changed.Before}), toAPIProduct(catalogs.Item{Product: changed.After.Product}))
	return &productOutput{toAPIProduct(changed.After)}, nil
}

func (h *handlers) deleteProduct(ctx context.Context, rq operation.Request, in *OnProduct) (*struct{}, error) {
	wanted, err := wire.ID[id.Product](in.Product, "product")
	if err != nil {
		return nil, err
	}
	p := rq.Caller.Project
	gone, err := h.catalogs(rq).Get(ctx, p, wanted)
	if err != nil {
		return nil, err
	}
	operation.NoteTarget(rq, in.Product)
	operation.NoteChange(rq, toAPIProduct(gone), nil)
	return nil, h.catalogs(rq).Delete(ctx, p, wanted)
}

type upsertProductsInput struct {
	Body struct {
		Products []wire.Item[batchProduct] `json:"products" minItems:"1" maxItems:"1000"`
	}
}

// upserted is what became of one product. ID is null and errors are filled where it failed.
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
	results, err := h.catalogs(rq).Upsert(ctx, p, lines)
	if err != nil {
		return nil, err
	}
	out := &upsertProductsOutput{}
	out.Body.Data = operation.Each(results, toAPIUpserted)
	operation.NoteChange(rq, nil, countOutcomes(results))
	return out, nil
}

// countOutcomes is how many products came to what.
func countOutcomes(results []catalogs.Upserted) map[string]int {
	counts := make(map[string]int)
	for _, r := range results {
		counts[r.Outcome.String()]++
	}
	return counts
}

func toAPIUpserted(r catalogs.Upserted) upserted {
	u := upserted{SKU: r.SKU, Status: r.Outcome.String(), Errors: []wire.Detail{}}
	var known *fault.Error
	switch {
	case r.Err == nil:
		text := r.Product.String()
		u.ID = &text
	case errors.As(r.Err, &known) && len(known.Details) > 0:
		u.Errors = operation.Each(known.Details, func(d fault.Detail) wire.Detail { return wire.Detail(d) })
	case errors.As(r.Err, &known):
		u.Errors = []wire.Detail{{Message: known.Message}}
	default:
		u.Errors = []wire.Detail{{Message: "could not be stored"}}
	}
	return u
}
