package finance

import (
	"cmp"
	"context"
	"slices"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/analytics"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

type salesInput struct {
	Span
	Limit int `query:"limit" minimum:"1" maximum:"100" default:"10" doc:"The maximum number of products."`
}

type salesView struct {
	Cut
	Total    SoldView     `json:"total"`
	Series   []soldSpan   `json:"series"`
	Products []topProduct `json:"top_products" doc:"The products with the highest sales."`
}

// SoldView has the sales of a period.
type SoldView struct {
	Orders  int64 `json:"orders"`
	Units   int64 `json:"units"`
	Refunds int64 `json:"refunds" doc:"Refunds that succeeded in the period."`
	RevenueView
	List     wire.Money `json:"list" doc:"The list prices of the units."`
	Goods    wire.Money `json:"goods" doc:"Paid for the units, without shipping and tax."`
	Discount wire.Money `json:"discount_given" doc:"List − goods."`
	Margin   marginView `json:"margin"`
}

type soldSpan struct {
	From wire.Time `json:"from"`
	To   wire.Time `json:"to"`
	SoldView
}

type topProduct struct {
	Product  string     `json:"product_id"`
	Name     string     `json:"name"`
	Units    int64      `json:"units"`
	List     wire.Money `json:"list"`
	Goods    wire.Money `json:"goods" doc:"Paid for the units, before refunds."`
	Discount wire.Money `json:"discount_given"`
	Margin   marginView `json:"margin"`
}

func (h *handlers) analyticsSales(ctx context.Context, rq operation.Request, in *salesInput) (body salesView, err error) {
	s, err := h.span(rq, in.Span)
	if err != nil {
		return body, err
	}
	project := rq.Caller.Project.ID
	spans, err := rq.Stores.Analytics.Figures(ctx, project, ports.Period{Bounds: s.bounds, Products: true})
	if err != nil {
		return body, err
	}
	total := all(spans)
	top := best(total.Products, in.Limit)
	names, err := rq.Stores.Analytics.ProductNames(ctx, project, top)
	if err != nil {
		return body, err
	}
	body = salesView{
		Cut:   s.Cut,
		Total: s.sold(total),
		Products: wire.Each(top, func(p id.Product) topProduct {
			sold := total.Products[p.String()]
			return topProduct{
				Product:  p.String(),
				Name:     names[p],
				Units:    sold.Units,
				List:     s.money(sold.List),
				Goods:    s.money(sold.Goods),
				Discount: s.money(sold.List - sold.Goods),
				Margin:   s.margin(sold.Known, sold.Cost),
			}
		}),
	}
	for i, of := range spans {
		body.Series = append(body.Series, soldSpan{wire.ToTime(s.bounds[i]), wire.ToTime(s.bounds[i+1]), s.sold(of)})
	}
	return body, nil
}

func (s span) sold(of ports.Span) SoldView {
	return SoldView{
		Orders:      of.Orders,
		Units:       of.Units,
		Refunds:     of.Refunds,
		RevenueView: s.revenue(of),
		List:        s.money(of.List),
		Goods:       s.money(of.Goods),
		Discount:    s.money(of.List - of.Goods),
		Margin:      s.margin(of.Known, of.Cost),
	}
}

// best returns the products with the highest revenue.
func best(products map[string]analytics.Sold, limit int) []id.Product {
	var all []id.Product
	for p := range products {
		all = append(all, id.Stored[id.Product](p))
	}
	slices.SortFunc(all, func(a, b id.Product) int {
		return cmp.Or(cmp.Compare(products[b.String()].Goods, products[a.String()].Goods), cmp.Compare(a.String(), b.String()))
	})
	return all[:min(limit, len(all))]
}
