package catalog

import (
	"context"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/domain/catalog"
)

func (h *handlers) registerCategories() {
	g := h.Group("Catalog", "catalog", operation.HeaderProject)
	operation.Register(g, "list-categories", "GET /v1/catalog/categories", "List the categories of active products",
		operation.Lists(h.listCategories, toAPICategory))
}

// category is a path of products' categories. Its id is the path.
type category struct {
	ID           string `json:"id"`
	Name         string `json:"name" doc:"The last part of the path."`
	ProductCount int    `json:"product_count" doc:"Active products at or below the path."`
}

func (h *handlers) listCategories(ctx context.Context, rq operation.Request, in *operation.Paging) ([]catalog.Category, int, error) {
	all, err := rq.Stores.Catalog.Categories(ctx, rq.Caller.Project.ID)
	return operation.Part(all, *in), len(all), err
}

func toAPICategory(c catalog.Category) category {
	return category{ID: c.Path, Name: c.Path[strings.LastIndex(c.Path, "/")+1:], ProductCount: c.Count}
}
