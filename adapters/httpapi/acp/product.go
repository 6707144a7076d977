package acp

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/discovery"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
)

func (h *handlers) registerProduct() {
	wire.AddReadOnly(h.mount, h.operation(huma.Operation{
		OperationID: productID,
		Method:      http.MethodGet,
		Path:        "/acp/products/{id}",
		Tags:        discoveryTag,
		Summary:     "Read a product",
		Description: "Returns a product with its variants, stock, shipping and negotiation hints. Prices are in the shop's " +
			"currency, for one piece. personalized_price is the opening price of a negotiation with this buyer. An offer " +
			"within likely_acceptance_range is accepted at once; a lower one may succeed after a counteroffer. With a " +
			"session_id, both are those of the session. Errors: 400 invalid_request (buyer_context is not a JSON object); 404 " +
			"product_not_found; 409 session_expired.",
		Errors: []int{http.StatusConflict},
	}), h.product)
}

type productInput struct {
	ID           wire.Ref[id.Product] `path:"id" thing:"product" doc:"The product's id."`
	SessionID    string               `query:"session_id"`
	BuyerContext string               `query:"buyer_context" doc:"A JSON object with loyalty_tier, purchase_history, urgency, location and buyer_token; color_preference has no effect here." example:"{\"loyalty_tier\":\"gold\",\"purchase_history\":12}"`
}

type productAnswer struct {
	ProductID    string            `json:"product_id"`
	Name         string            `json:"name"`
	Description  string            `json:"description"`
	Brand        string            `json:"brand"`
	Category     string            `json:"category" example:"outdoor/jackets"`
	ListPrice    wire.Money        `json:"list_price" minimum:"0" doc:"Of the first variant."`
	Personalized personalizedPrice `json:"personalized_price"`
	Negotiable   bool              `json:"negotiable"`
	Hints        negotiationHints  `json:"negotiation_hints"`
	Attributes   map[string]string `json:"attributes"`
	Variants     []productVariant  `json:"variants" minItems:"1"`
	Images       []productImage    `json:"images"`
	Reviews      productReviews    `json:"reviews"`
	Shipping     productShipping   `json:"shipping"`
	Returns      productReturns    `json:"returns"`

	NextActions nextActions `json:"next_actions,omitempty"`
}

type personalizedPrice struct {
	Price    wire.Money `json:"price" minimum:"0"`
	Discount string     `json:"discount" example:"4.5%"`
	Reason   string     `json:"reason"`

	Personalization *commerce.Personalization `json:"personalization,omitempty"`
}

type negotiationHints struct {
	SuggestedOffer        wire.Money    `json:"suggested_offer" minimum:"0"`
	LikelyAcceptanceRange [2]wire.Money `json:"likely_acceptance_range" doc:"Lowest and highest price, both included."`
}

type productVariant struct {
	ID       string     `json:"id"`
	Size     string     `json:"size"`
	Color    string     `json:"color"`
	SKU      string     `json:"sku"`
	Price    wire.Money `json:"price" minimum:"0" doc:"The list price of this variant."`
	InStock  bool       `json:"in_stock" doc:"Whether it can be bought."`
	Quantity int        `json:"quantity" minimum:"0" doc:"Pieces in stock. More can be bought of products made to order or on backorder."`
	GTIN     string     `json:"gtin,omitempty" doc:"Global Trade Item Number: EAN, UPC, ISBN."`
	MPN      string     `json:"mpn,omitempty" doc:"The manufacturer's part number."`

	Availability string `json:"availability" enum:"in_stock,backorder,out_of_stock" doc:"backorder: it can be bought, and ships once back in stock. Products made to order are in_stock."`

	RequiresShipping bool `json:"requires_shipping" doc:"False for a digital product."`
}

type productImage struct {
	URL      string `json:"url"`
	Position int    `json:"position" minimum:"1"`
}

type productReviews struct {
	AverageRating wire.Decimal `json:"average_rating" minimum:"0" maximum:"5"`
	Count         int          `json:"count" minimum:"0"`
	Summary       string       `json:"summary"`
}

type productShipping struct {
	FreeShipping          bool        `json:"free_shipping" doc:"Whether one piece at list price ships free."`
	FreeShippingThreshold *wire.Money `json:"free_shipping_threshold" nullable:"true" doc:"Subtotal from which standard shipping is free; null: never."`
	EstimatedDelivery     string      `json:"estimated_delivery" example:"3-5 business days"`
}

type productReturns struct {
	Allowed    bool   `json:"allowed"`
	WindowDays int    `json:"window_days" minimum:"0"`
	Conditions string `json:"conditions"`
}

func (h *handlers) product(ctx context.Context, rq Request, in *productInput) (*wire.Output[productAnswer], error) {
	shop := rq.Caller.Shop
	buyer, err := fromQueryBuyerContext(in.BuyerContext)
	if err != nil {
		return nil, err
	}
	claims, err := h.recognize(ctx, rq, buyer)
	if err != nil {
		return nil, err
	}
	visit, err := wire.OptionalID[id.Session](in.SessionID, "session")
	if err != nil {
		return nil, err
	}
	view, err := h.Discovery.In(rq.Stores).View(ctx, shop, in.ID.ID, visit, claims)
	if err != nil {
		return nil, err
	}
	return &wire.Output[productAnswer]{Body: h.toAPIProduct(shop, view)}, nil
}

func (h *handlers) toAPIProduct(shop *project.Project, view discovery.ProductView) productAnswer {
	p, list := view.Product, listPrice(view.Product)
	answer := productAnswer{
		ProductID:   p.ID.String(),
		Name:        p.Name,
		Description: p.Description,
		Brand:       p.Brand,
		Category:    p.Category,
		ListPrice:   wire.ToMoney(list),
		Negotiable:  haggles(shop, p),
		Attributes:  p.Attributes,
		Personalized: personalizedPrice{
			Price:    wire.ToMoney(view.Personalized.Price),
			Discount: view.Personalized.Discount.String(), Reason: view.Personalized.Reason,

			Personalization: commerce.ToAPIPersonalization(view.Personalized.Notice),
		},
		Hints: negotiationHints{
			SuggestedOffer:        wire.ToMoney(view.SuggestedOffer),
			LikelyAcceptanceRange: [2]wire.Money{wire.ToMoney(view.AcceptanceFrom), wire.ToMoney(list)},
		},
		Reviews: productReviews{
			AverageRating: wire.ToDecimal(int64(p.Reviews.Average), 2),
			Count:         p.Reviews.Count,
			Summary:       p.Reviews.Summary,
		},
		Shipping: productShipping{
			FreeShipping:          checkout.FreeShipping(shop.Storefront, list),
			FreeShippingThreshold: wire.ToOptionalMoney(shop.Storefront.FreeShippingThreshold),
			EstimatedDelivery:     estimate(shop.Storefront),
		},
		Returns: productReturns{
			Allowed: shop.Storefront.ReturnWindowDays > 0, WindowDays: shop.Storefront.ReturnWindowDays,
			Conditions: shop.Storefront.ReturnConditions,
		},
	}
	for _, v := range p.Variants {
		answer.Variants = append(answer.Variants, productVariant{
			ID:               v.ID.String(),
			Size:             v.Size,
			Color:            v.Color,
			SKU:              v.SKU,
			Price:            wire.ToMoney(p.PriceOf(v)),
			InStock:          v.Available(view.Stock[v.ID]),
			Quantity:         view.Stock[v.ID],
			GTIN:             v.GTIN,
			MPN:              v.MPN,
			Availability:     v.Availability(1, view.Stock[v.ID]).String(),
			RequiresShipping: !v.Digital,
		})
	}
	for i, image := range p.Images {
		answer.Images = append(answer.Images, productImage{h.ImageURL(image.URL), i + 1})
	}
	answer.NextActions = afterProduct(answer)
	return answer
}
