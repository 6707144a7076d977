package discovery

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Wanted is an item that a buyer asks about. The zero variant means the product's only one.
type Wanted struct {
	Product  id.Product
	Variant  id.Variant
	Quantity int
}

// Available is the stock of an item. Quantity is at least the wanted one if the item is sold regardless of stock. Location is
// the one that would ship it, or "" if none has it.
type Available struct {
	Wanted   Wanted
	Quantity int
	Location string
	Status   catalog.Availability // of the wanted quantity
}

// Availability is the stock of all items, and the shipping options at list prices.
type Availability struct {
	All          bool
	Items        []Available
	Options      []checkout.Option
	Shipping     money.Amount // by the first option
	FreeShipping bool
}

// Availability returns the stock of the items and the cost of shipping them to a country.
func (s *Service) Availability(ctx context.Context, p *project.Project, items []Wanted, country string) (Availability, error) {
	check := fault.NewCheck()
	check.That(len(items) >= 1 && len(items) <= checkout.MaxLines, "items", "must have 1 to 50 items")
	for i, item := range items {
		check.In("items").At(i).That(item.Quantity >= 1 && item.Quantity <= checkout.MaxQuantity, "quantity", "must be between 1 and 1,000")
	}
	if !p.Storefront.Serves(country) {
		check.In("shipping_address").That(false, "country", p.Storefront.NotServed(country))
	}
	if err := check.Err(); err != nil {
		return Availability{}, err
	}
	products, levels, err := s.loadItems(ctx, p.ID, items)
	if err != nil {
		return Availability{}, err
	}
	answer, subtotal, left := Availability{All: true}, money.Zero(p.Settings.Currency), catalog.Totals(levels)
	for i, item := range items {
		variant, err := variantOf(products[item.Product], item, i)
		if err != nil {
			return Availability{}, err
		}
		item.Variant = variant.ID
		a := Available{
			Wanted:   item,
			Quantity: min(left[variant.ID], catalog.MaxStock),
			Location: source(levels, item),
			Status:   variant.Availability(item.Quantity, left[variant.ID]),
		}
		if a.Status != catalog.OutOfStock {
			a.Quantity = max(a.Quantity, item.Quantity)
		}
		left[variant.ID] = max(0, left[variant.ID]-item.Quantity)
		answer.All = answer.All && a.Quantity >= item.Quantity
		answer.Items = append(answer.Items, a)
		cost, err := products[item.Product].PriceOf(variant).Mul(int64(item.Quantity))
		if err == nil {
			subtotal, err = subtotal.Add(cost)
		}
		if err != nil || subtotal.Minor() >= money.Limit { // a checkout would refuse them too
			return Availability{}, fault.Field("items", "come to an amount that is too large")
		}
	}
	answer.Options = checkout.Options(p.Storefront, country, subtotal)
	answer.Shipping = answer.Options[0].Price
	answer.FreeShipping = checkout.FreeShipping(p.Storefront, subtotal)
	return answer, nil
}

// loadItems reads the products of items, by id, and their stock levels.
func (s *Service) loadItems(ctx context.Context, project id.Project, items []Wanted) (map[id.Product]*catalog.Product, []catalog.Level, error) {
	ids := make([]id.Product, 0, len(items))
	for _, item := range items {
		ids = append(ids, item.Product)
	}
	found, err := s.Catalog.Active(ctx, project, ids)
	if err != nil {
		return nil, nil, err
	}
	products := make(map[id.Product]*catalog.Product, len(found))
	for _, p := range found {
		products[p.ID] = p
	}
	levels, err := s.Inventory.LevelsOf(ctx, project, ids)
	return products, levels, err
}

func variantOf(p *catalog.Product, item Wanted, index int) (catalog.Variant, error) {
	if p == nil {
		return catalog.Variant{}, fault.Missing("product")
	}
	v, ok := p.Variant(item.Variant)
	switch {
	case ok:
		return v, nil
	case item.Variant.IsZero():
		check := fault.NewCheck()
		check.In("items").At(index).That(false, "variant_id", p.VariantRequired())
		return catalog.Variant{}, check.Err()
	}
	return catalog.Variant{}, p.NoVariant()
}

// source returns the location that would ship an item, or the first part of it.
func source(levels []catalog.Level, item Wanted) string {
	takes, _ := catalog.Allocate([]catalog.Need{{Variant: item.Variant, Quantity: item.Quantity}}, levels)
	if len(takes) > 0 {
		return takes[0].Location
	}
	for _, l := range levels {
		if l.Variant == item.Variant && l.Quantity > 0 {
			return l.Location
		}
	}
	return ""
}
