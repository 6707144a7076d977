package acp

import (
	"context"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
)

func (h *handlers) registerAvailability() {
	wire.AddAtomic(h.mount, h.operation(huma.Operation{
		OperationID: availabilityID,
		Method:      http.MethodPost,
		Path:        "/acp/availability",
		Tags:        discoveryTag,
		Summary:     "Check stock and shipping costs",
		Description: "Returns the stock of each item and the shipping options. It reserves nothing. Shipping is for all items together, at list prices, to the country of shipping_address, or else to the first of the shop's shipping_regions. Errors: 404 product_not_found, variant_not_found; 422 validation_error for a country outside of shipping_regions.",
	}), h.availability)
}

type availabilityRequest struct {
	Items   []wantedItem `json:"items" minItems:"1" maxItems:"50"`
	Address *destination `json:"shipping_address,omitempty"`
}

type wantedItem struct {
	ProductID string `json:"product_id" minLength:"1" example:"prod_06fszq2d8v3m5xk9t1c7w4hpeg"`
	VariantID string `json:"variant_id,omitempty" doc:"Optional for a product with one variant."`
	Quantity  int    `json:"quantity" minimum:"1" maximum:"1000"`
}

type destination struct {
	PostalCode string `json:"postal_code,omitempty" maxLength:"200" example:"97205"`
	Country    string `json:"country" pattern:"^[A-Za-z]{2}$" patternDescription:"an ISO 3166 alpha-2 country" example:"US"`
}

type availabilityAnswer struct {
	Available       bool             `json:"available" doc:"Whether all pieces are available."`
	Items           []availableItem  `json:"items"`
	ShippingOptions []shippingMethod `json:"shipping_options" doc:"Cheapest option first."`
	TotalShipping   wire.Money       `json:"total_shipping" minimum:"0" doc:"The cost of the first shipping option."`
	FreeShipping    bool             `json:"free_shipping_qualified" doc:"Whether the items reach the free shipping threshold."`

	NextActions nextActions `json:"next_actions,omitempty"`
}

type availableItem struct {
	ProductID         string         `json:"product_id"`
	VariantID         string         `json:"variant_id"`
	RequestedQuantity int            `json:"requested_quantity" minimum:"1"`
	AvailableQuantity int            `json:"available_quantity" minimum:"0"`
	Status            string         `json:"status" enum:"in_stock,partial,backorder,out_of_stock" doc:"partial: fewer pieces are available. backorder: all can be bought, and ship once back in stock."`
	Warehouse         string         `json:"warehouse" doc:"The location that would ship the item; empty if none has it."`
	ShippingEstimate  shippingMethod `json:"shipping_estimate" doc:"The first shipping option, shared by all items."`
}

type shippingMethod struct {
	Method string     `json:"method" enum:"standard,express,overnight"`
	Days   string     `json:"days" example:"3-5" doc:"In business days."`
	Cost   wire.Money `json:"cost" minimum:"0"`
}

func (h *handlers) availability(ctx context.Context, rq Request, in *wire.Input[availabilityRequest]) (*wire.Output[availabilityAnswer], error) {
	shop := rq.Caller.Shop
	items, err := fromAPIWanted(in.Body.Items)
	if err != nil {
		return nil, err
	}
	country := home(shop.Storefront)
	if in.Body.Address != nil {
		country = strings.ToUpper(in.Body.Address.Country)
	}
	found, err := h.Discovery.In(rq.Stores).Availability(ctx, shop, items, country)
	if err != nil {
		return nil, err
	}
	return &wire.Output[availabilityAnswer]{Body: toAPIAvailability(shop, found)}, nil
}

func fromAPIWanted(items []wantedItem) ([]discovery.Wanted, error) {
	wanted := make([]discovery.Wanted, len(items))
	for i, item := range items {
		product, err := wire.ID[id.Product](item.ProductID, "product")
		if err != nil {
			return nil, err
		}
		variant, err := wire.OptionalID[id.Variant](item.VariantID, "variant")
		if err != nil {
			return nil, err
		}
		wanted[i] = discovery.Wanted{
			Product:  product,
			Variant:  variant,
			Quantity: item.Quantity,
		}
	}
	return wanted, nil
}

func toAPIAvailability(shop *project.Project, a discovery.Availability) availabilityAnswer {
	answer := availabilityAnswer{
		Available:     a.All,
		TotalShipping: wire.ToMoney(a.Shipping),
		FreeShipping:  a.FreeShipping,
		NextActions:   afterAvailability(shop, a.All),
	}
	for _, o := range a.Options {
		answer.ShippingOptions = append(answer.ShippingOptions, toAPIShippingMethod(o))
	}
	for _, item := range a.Items {
		answer.Items = append(answer.Items, availableItem{
			ProductID: item.Wanted.Product.String(), VariantID: item.Wanted.Variant.String(),
			RequestedQuantity: item.Wanted.Quantity, AvailableQuantity: item.Quantity,
			Status:    toAPIStockStatus(item),
			Warehouse: shop.Storefront.WarehouseName(item.Location), ShippingEstimate: toAPIShippingMethod(a.Options[0]),
		})
	}
	return answer
}

func toAPIShippingMethod(o checkout.Option) shippingMethod {
	return shippingMethod{o.ID, commerce.Span(o.MinDays, o.MaxDays), wire.ToMoney(o.Price)}
}

func toAPIStockStatus(item discovery.Available) string {
	if item.Status == catalog.OutOfStock && item.Quantity > 0 {
		return "partial"
	}
	return item.Status.String()
}
