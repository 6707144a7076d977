package management

import (
	"context"
	"strings"

	"github.com/haggle-commerce/haggle/domain/catalog"
)

func (h *handlers) registerCategories() {
	registerRead(h, "Catalog", operation{id: "list-categories", method: "GET", path: "/v1/catalog/categories", scope: "catalog:read",
		on: headerProject, summary: "List the categories of active products"}, (*handlers).listCategories)
}

// category is a path of products' categories. Its id is the path.
type category struct {
	ID           string `json:"id"`
	Name         string `json:"name" doc:"The last part of the path."`
	ProductCount int    `json:"product_count" doc:"Active products at or below the path."`
}

type listCategoriesInput struct{ Paging }

func (h *handlers) listCategories(ctx context.Context, rq Request, in *listCategoriesInput) (*listOutput[category], error) {
	all, err := rq.Stores.Catalog.Categories(ctx, rq.Caller.project.ID)
	if err != nil {
		return nil, err
	}
	start := min(in.Offset, len(all))
	return toAPIList(all[start:min(start+in.Limit, len(all))], toAPICategory, in.Paging, len(all)), nil
}

func toAPICategory(c catalog.Category) category {
	return category{ID: c.Path, Name: c.Path[strings.LastIndex(c.Path, "/")+1:], ProductCount: c.Count}
}
