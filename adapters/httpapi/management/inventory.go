package management

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerInventory() {
	const tag, path = "Inventory", "/v1/catalog/inventory"
	registerRead(h, tag, operation{id: "list-inventory", method: "GET", path: path, scope: "catalog:read", on: headerProject,
		summary: "List stock levels"}, (*handlers).listInventory)
	register(h, tag, operation{id: "set-inventory", method: "PUT", path: path, scope: "catalog:write", on: headerProject,
		summary: "Set stock levels, all or none"}, (*handlers).setInventory)
	register(h, tag, operation{id: "adjust-inventory", method: "POST", path: path + "/adjust", scope: "catalog:write", on: headerProject,
		errors: []int{409}, summary: "Move stock levels, all or none, never below zero"}, (*handlers).adjustInventory)
}

type level struct {
	SKU       string `json:"sku"`
	ProductID string `json:"product_id"`
	VariantID string `json:"variant_id"`
	Location  string `json:"location"`
	Quantity  int    `json:"quantity" doc:"On the shelf, those in payment attempts included."`
	Held      int    `json:"held" doc:"In payment attempts under way."`
	Available int    `json:"available" doc:"For sale."`
	Oversold  int    `json:"oversold" doc:"Held or sold beyond what was counted. What comes in or back makes up for it first."`
}

type listInventoryInput struct {
	Paging
	SKU string `query:"sku" maxLength:"100"`
}

func (h *handlers) listInventory(ctx context.Context, rq Request, in *listInventoryInput) (*listOutput[level], error) {
	levels, total, err := rq.Stores.Inventory.Levels(ctx, rq.Caller.project.ID, in.SKU, in.page())
	if err != nil {
		return nil, err
	}
	return toAPIList(levels, toAPILevel, in.Paging, total), nil
}

type levelSet struct {
	SKU      string `json:"sku"`
	Location string `json:"location,omitempty" doc:"Left out: main."`
	Quantity int    `json:"quantity" doc:"On the shelf, those in payment attempts included."`
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

func (h *handlers) setInventory(ctx context.Context, rq Request, in *setInventoryInput) (*levelsOutput, error) {
	sets := each(in.Body.Levels, func(l levelSet) ports.StockSet { return ports.StockSet(l) })
	noteList(rq, "levels", in.Body.Levels)
	return toAPILevels(h.catalogs(rq).SetStock(ctx, rq.Caller.project, sets))
}

type adjustment struct {
	SKU      string `json:"sku"`
	Location string `json:"location,omitempty" doc:"Left out: main."`
	Delta    int    `json:"delta"`
	Reason   string `json:"reason,omitempty"`
}

type adjustInventoryInput struct {
	Body struct {
		Adjustments []adjustment `json:"adjustments" minItems:"1" maxItems:"1000"`
	}
}

func (h *handlers) adjustInventory(ctx context.Context, rq Request, in *adjustInventoryInput) (*levelsOutput, error) {
	moves := each(in.Body.Adjustments, func(a adjustment) ports.StockMove { return ports.StockMove(a) })
	noteList(rq, "adjustments", in.Body.Adjustments)
	return toAPILevels(h.catalogs(rq).AdjustStock(ctx, rq.Caller.project, moves))
}

func toAPILevels(levels []catalog.Shelf, err error) (*levelsOutput, error) {
	if err != nil {
		return nil, err
	}
	out := &levelsOutput{}
	out.Body.Data = each(levels, toAPILevel)
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
