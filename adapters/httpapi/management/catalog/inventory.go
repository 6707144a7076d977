package catalog

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerInventory() {
	const path = "/v1/catalog/inventory"
	g := h.Group("Inventory", "catalog", operation.HeaderProject)
	operation.Register(g, "list-inventory", "GET "+path, "List stock levels", operation.HandleList(h.listInventory, toAPILevel))
	operation.Register(g, "set-inventory", "PUT "+path, "Set stock levels, all or none", h.setInventory)
	operation.Register(g, "adjust-inventory", "POST "+path+"/adjust", "Adjust stock levels, all or none, never below zero", h.adjustInventory, operation.Errors(409))
}

type level struct {
	SKU       string `json:"sku"`
	ProductID string `json:"product_id"`
	VariantID string `json:"variant_id"`
	Location  string `json:"location"`
	Quantity  int    `json:"quantity" doc:"Pieces on the shelf, including those reserved by payment attempts."`
	Held      int    `json:"held" doc:"Pieces reserved by payment attempts in progress."`
	Available int    `json:"available" doc:"Pieces for sale."`
	Oversold  int    `json:"oversold" doc:"Pieces reserved or sold beyond the stock. Pieces that arrive or return make up for it first."`
}

type listInventoryInput struct {
	operation.Paging
	SKU string `query:"sku" maxLength:"100"`
}

func (h *handlers) listInventory(ctx context.Context, rq operation.Request, in *listInventoryInput) ([]catalog.Shelf, int, error) {
	return rq.Stores.Inventory.Levels(ctx, rq.Caller.Project.ID, in.SKU, in.Page())
}

type levelSet struct {
	SKU      string `json:"sku"`
	Location string `json:"location,omitempty" doc:"Default: main."`
	Quantity int    `json:"quantity" doc:"Pieces on the shelf, including those reserved by payment attempts."`
}

type setInventoryInput struct {
	Body struct {
		Levels []levelSet `json:"levels" minItems:"1" maxItems:"1000"`
	}
}

type levelsOutput struct {
	Body struct {
		Data []level `json:"data"`
	}
}

func (h *handlers) setInventory(ctx context.Context, rq operation.Request, in *setInventoryInput) (*levelsOutput, error) {
	sets := wire.Each(in.Body.Levels, func(l levelSet) ports.StockSet { return ports.StockSet(l) })
	operation.NoteList(rq, "levels", in.Body.Levels)
	return toAPILevels(h.Catalogs.In(rq.Stores).SetStock(ctx, rq.Caller.Project, sets))
}

type adjustment struct {
	SKU      string `json:"sku"`
	Location string `json:"location,omitempty" doc:"Default: main."`
	Delta    int    `json:"delta"`
	Reason   string `json:"reason,omitempty"`
}

type adjustInventoryInput struct {
	Body struct {
		Adjustments []adjustment `json:"adjustments" minItems:"1" maxItems:"1000"`
	}
}

func (h *handlers) adjustInventory(ctx context.Context, rq operation.Request, in *adjustInventoryInput) (*levelsOutput, error) {
	moves := wire.Each(in.Body.Adjustments, func(a adjustment) ports.StockMove { return ports.StockMove(a) })
	operation.NoteList(rq, "adjustments", in.Body.Adjustments)
	return toAPILevels(h.Catalogs.In(rq.Stores).AdjustStock(ctx, rq.Caller.Project, moves))
}

func toAPILevels(levels []catalog.Shelf, err error) (*levelsOutput, error) {
	if err != nil {
		return nil, err
	}
	out := &levelsOutput{}
	out.Body.Data = wire.Each(levels, toAPILevel)
	return out, nil
}

func toAPILevel(s catalog.Shelf) level {
	return level{
		SKU:       s.SKU,
		ProductID: s.Product.String(),
		VariantID: s.Variant.String(),
		Location:  s.Location,
		Quantity:  max(s.Count(), 0),
		Held:      s.Held,
		Available: s.Quantity,
		Oversold:  s.Oversold,
	}
}
