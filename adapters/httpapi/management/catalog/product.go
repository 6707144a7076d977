package catalog

import (
	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

// product as merchants read it (features/MANAGEMENT.md#catalog). Merchants see the cost; buyers never do.
type product struct {
	ID              string            `json:"id"`
	Name            string            `json:"name"`
	SKU             string            `json:"sku"`
	Price           wire.Money        `json:"price"`
	Category        string            `json:"category"`
	Description     string            `json:"description"`
	Brand           string            `json:"brand"`
	Images          []image           `json:"images"`
	Attributes      map[string]string `json:"attributes"`
	Tags            []string          `json:"tags"`
	Variants        []variant         `json:"variants" doc:"In a list of products, the first 100 of each."`
	VariantCount    int               `json:"variant_count" minimum:"1" maximum:"2048" doc:"The number of the product's variants."`
	Negotiable      bool              `json:"negotiable"`
	Cost            *wire.Money       `json:"cost" nullable:"true"`
	CompetitorPrice *wire.Money       `json:"competitor_price" nullable:"true"`
	Reviews         reviews           `json:"reviews"`
	Related         []string          `json:"related" doc:"Skus of related products."`
	Quantity        int               `json:"quantity" doc:"Pieces on the shelf, of all variants and locations, including those reserved by payment attempts."`
	Status          string            `json:"status" enum:"active,archived"`
	CreatedAt       wire.Time         `json:"created_at"`
	UpdatedAt       wire.Time         `json:"updated_at"`
	Bounds          *priceBounds      `json:"bounds,omitempty" doc:"In a list with bounds=true: the negotiation bounds for one piece of the first variant, under the active agent's policy, for an unknown buyer."`
}

type priceBounds struct {
	Target wire.Money `json:"target" doc:"A first offer at or above this price is accepted."`
	Floor  wire.Money `json:"floor" doc:"The lowest price at which it is sold."`
}

type image struct {
	URL string `json:"url"`
	Alt string `json:"alt,omitempty"`
}

type reviews struct {
	Average wire.Decimal `json:"average_rating" doc:"0 to 5, at most two decimals."`
	Count   int          `json:"count"`
	Summary string       `json:"summary,omitempty"`
}

type variant struct {
	ID       string      `json:"id"`
	SKU      string      `json:"sku"`
	Size     string      `json:"size"`
	Color    string      `json:"color"`
	Price    *wire.Money `json:"price" nullable:"true" doc:"Null: the product's price."`
	Quantity int         `json:"quantity"`
	GTIN     string      `json:"gtin,omitempty"`
	MPN      string      `json:"mpn,omitempty"`

	InventoryPolicy string `json:"inventory_policy" enum:"tracked,always_available,backorder"`

	RequiresShipping bool `json:"requires_shipping" doc:"False: it is digital, such as a download or a voucher. It is sold without an address, and not over UCP."`
}

// ProductPatch is a product as merchants write it. Fields that are left out keep their values.
type ProductPatch struct {
	Name            wire.Optional[string]            `json:"name,omitzero"`
	SKU             wire.Optional[string]            `json:"sku,omitzero"`
	Price           wire.Optional[wire.Decimal]      `json:"price,omitzero"`
	Category        wire.Optional[string]            `json:"category,omitzero" doc:"A path with slashes." example:"outdoor/tents"`
	Description     wire.Optional[string]            `json:"description,omitzero"`
	Brand           wire.Optional[string]            `json:"brand,omitzero"`
	Images          wire.Optional[[]image]           `json:"images,omitzero"`
	Attributes      wire.Optional[map[string]string] `json:"attributes,omitzero"`
	Tags            wire.Optional[[]string]          `json:"tags,omitzero"`
	Variants        wire.Optional[[]variantDraft]    `json:"variants,omitzero"`
	Negotiable      wire.Optional[bool]              `json:"negotiable,omitzero"`
	Cost            wire.Optional[wire.Decimal]      `json:"cost,omitzero"`
	CompetitorPrice wire.Optional[wire.Decimal]      `json:"competitor_price,omitzero"`
	Reviews         wire.Optional[reviews]           `json:"reviews,omitzero"`
	Related         wire.Optional[[]string]          `json:"related,omitzero"`
	Status          wire.Optional[string]            `json:"status,omitzero" doc:"active or archived"`
	Quantity        wire.Optional[int]               `json:"quantity,omitzero" doc:"Pieces on the shelf at the default location, for a product without variants, including those reserved by payment attempts."`
	GTIN            wire.Optional[string]            `json:"gtin,omitzero" doc:"Global Trade Item Number (EAN, UPC, ISBN) of a product without variants." example:"4006381333931"`
	MPN             wire.Optional[string]            `json:"mpn,omitzero" doc:"The manufacturer's part number of a product without variants."`

	InventoryPolicy wire.Optional[string] `json:"inventory_policy,omitzero" doc:"How stock affects the sale of a product without variants. tracked (the default): sold while in stock. always_available: made to order, or a service; stock is ignored. backorder: sold even when out of stock."`

	RequiresShipping wire.Optional[bool] `json:"requires_shipping,omitzero" doc:"For a product without variants; default: true. False: nothing is shipped, as for a download, a voucher or a service. It is sold without an address, and not over UCP."`
}

type variantDraft struct {
	SKU      string        `json:"sku"`
	Size     string        `json:"size,omitempty"`
	Color    string        `json:"color,omitempty"`
	Price    *wire.Decimal `json:"price,omitempty" nullable:"true"`
	Quantity *int          `json:"quantity,omitempty" nullable:"true"`
	GTIN     string        `json:"gtin,omitempty" doc:"Global Trade Item Number: EAN, UPC, ISBN." example:"4006381333931"`
	MPN      string        `json:"mpn,omitempty" doc:"The manufacturer's part number."`

	InventoryPolicy string `json:"inventory_policy,omitempty" doc:"tracked, always_available or backorder. Omitted: unchanged; tracked for a new variant."`

	RequiresShipping *bool `json:"requires_shipping,omitempty" nullable:"true" doc:"False: the variant is digital. Omitted: unchanged; true for a new variant."`
}

// newProduct is a ProductPatch whose required fields are documented.
type newProduct struct{ ProductPatch }

func (newProduct) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return operation.DocumentRequired(s, "name", "sku", "price")
}

// batchProduct is matched by its sku. A new product needs a name and a price.
type batchProduct struct{ ProductPatch }

func (batchProduct) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return operation.DocumentRequired(s, "sku")
}

// ratingDigits is the number of decimals of an average rating, which is stored in hundredths.
const ratingDigits = 2

// fromAPIProduct reads a product as far as possible, and keeps the problems that it finds as the line's error.
func fromAPIProduct(in ProductPatch, c money.Currency) catalogs.Line {
	return readProduct(in, c, fault.NewCheck())
}

// readProduct is fromAPIProduct for a product in which check has found problems already.
func readProduct(in ProductPatch, c money.Currency, check fault.Check) catalogs.Line {
	amount := func(field string) func(wire.Decimal) money.Amount {
		return func(d wire.Decimal) money.Amount { return d.Amount(c, field, check) }
	}
	draft := catalog.Draft{
		SKU:              in.SKU.Field(),
		Name:             in.Name.Field(),
		Category:         in.Category.Field(),
		Description:      in.Description.Field(),
		Brand:            in.Brand.Field(),
		Attributes:       in.Attributes.Field(),
		Tags:             in.Tags.Field(),
		Negotiable:       in.Negotiable.Field(),
		Related:          in.Related.Field(),
		Status:           in.Status.Field(),
		Quantity:         in.Quantity.Field(),
		GTIN:             in.GTIN.Field(),
		MPN:              in.MPN.Field(),
		InventoryPolicy:  in.InventoryPolicy.Field(),
		RequiresShipping: in.RequiresShipping.Field(),
		Price:            wire.MapField(in.Price, amount("price")),
		Cost:             wire.MapField(in.Cost, amount("cost")),
		CompetitorPrice:  wire.MapField(in.CompetitorPrice, amount("competitor_price")),
		Images: wire.MapField(in.Images, func(list []image) []catalog.Image {
			return wire.Each(list, func(i image) catalog.Image { return catalog.Image(i) })
		}),
		Reviews: wire.MapField(in.Reviews, func(r reviews) catalog.Reviews {
			average := r.Average.Scaled(ratingDigits, "average_rating", check.In("reviews"))
			return catalog.Reviews{
				Average: int(average),
				Count:   r.Count,
				Summary: r.Summary,
			}
		}),
		Variants: wire.MapField(in.Variants, func(list []variantDraft) []catalog.VariantDraft {
			drafts := make([]catalog.VariantDraft, len(list))
			for i, v := range list {
				drafts[i] = fromAPIVariant(v, c, check.In("variants").At(i))
			}
			return drafts
		}),
	}
	return catalogs.Line{Draft: draft, Err: check.Err()}
}

func fromAPIVariant(v variantDraft, c money.Currency, check fault.Check) catalog.VariantDraft {
	draft := catalog.VariantDraft{
		SKU:              v.SKU,
		Size:             v.Size,
		Color:            v.Color,
		Quantity:         v.Quantity,
		GTIN:             v.GTIN,
		MPN:              v.MPN,
		InventoryPolicy:  v.InventoryPolicy,
		RequiresShipping: v.RequiresShipping,
	}
	if v.Price != nil {
		price := v.Price.Amount(c, "price", check)
		draft.Price = &price
	}
	return draft
}

func toAPIProduct(item catalogs.Item) product {
	p := item.Product
	out := product{
		ID:              p.ID.String(),
		Name:            p.Name,
		SKU:             p.SKU,
		Price:           wire.ToMoney(p.Price),
		Category:        p.Category,
		Description:     p.Description,
		Brand:           p.Brand,
		Attributes:      p.Attributes,
		Tags:            p.Tags,
		Negotiable:      p.Negotiable,
		Cost:            wire.ToOptionalMoney(p.Cost),
		CompetitorPrice: wire.ToOptionalMoney(p.CompetitorPrice),
		Related:         p.Related,
		Status:          p.Status.String(),
		CreatedAt:       wire.ToTime(p.CreatedAt),
		UpdatedAt:       wire.ToTime(p.UpdatedAt),
		Images:          wire.Each(p.Images, func(i catalog.Image) image { return image(i) }),
		Reviews: reviews{
			Average: wire.ToDecimal(int64(p.Reviews.Average), ratingDigits),
			Count:   p.Reviews.Count,
			Summary: p.Reviews.Summary,
		},
	}
	for _, v := range p.Variants {
		quantity := item.Stock[v.ID]
		out.Quantity += quantity
		out.Variants = append(out.Variants, variant{
			ID:               v.ID.String(),
			SKU:              v.SKU,
			Size:             v.Size,
			Color:            v.Color,
			Price:            wire.ToOptionalMoney(v.Price),
			Quantity:         quantity,
			GTIN:             v.GTIN,
			MPN:              v.MPN,
			InventoryPolicy:  v.InventoryPolicy.String(),
			RequiresShipping: !v.Digital,
		})
	}
	out.VariantCount = len(p.Variants) + item.Unlisted.Variants
	out.Quantity += item.Unlisted.Quantity
	return out
}

func toAPIListed(l listed) product {
	out := toAPIProduct(l.Item)
	if l.bounds != nil {
		out.Bounds = &priceBounds{wire.ToMoney(l.bounds.Target()), wire.ToMoney(l.bounds.Floor())}
	}
	return out
}
