package catalog

import (
	"context"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/domain/catalog"
)

func (h *handlers) registerCategories() {
	operation.RegisterRead(h.API, "Catalog", operation.Spec{
		ID: "list-categories", Method: "GET", Path: "/v1/catalog/categories", Scope: "catalog:read",
		On: operation.HeaderProject, Summary: "List the categories of active products",
	}, h.listCategories)
}

// category is a path of products' categories. Its id is the path.
type category struct {
	ID           string `json:"id"`
	Name         string `json:"name" doc:"The last part of the path."`
	ProductCount int    `json:"product_count" doc:"Active products at or below the path."`
}

type listCategoriesInput struct{ operation.Paging }

func (h *handlers) listCategories(ctx context.Context, rq operation.Request, in *listCategoriesInput) (*operation.ListOutput[category], error) {
	all, err := rq.Stores.Catalog.Categories(ctx, rq.Caller.Project.ID)
	if err != nil {
		return nil, err
	}
	start := min(in.Offset, len(all))
	return operation.ToAPIList(all[start:min(start+in.Limit, len(all))], toAPICategory, in.Paging, len(all)), nil
}

func toAPICategory(c catalog.Category) category {
	return category{ID: c.Path, Name: c.Path[strings.LastIndex(c.Path, "/")+1:], ProductCount: c.Count}
}
