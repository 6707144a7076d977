package shopping

import (
	"cmp"
	"context"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/ucp"
)

// Search finds products. UCP has no session before a cart or a negotiation, so the answer has no session id.
func (s *Shop) Search(ctx context.Context, request acp.SearchRequest, _ ...acp.Option) (acp.SearchResponse, error) {
	asked := ucp.SearchRequest{Query: request.Query, Pagination: &ucp.Page{Cursor: request.Cursor, Limit: cmp.Or(request.Limit, 10)}}
	if request.Filters != nil {
		asked.Filters = s.filters(*request.Filters)
	}
	found, err := s.client.Search(ctx, asked)
	answer := acp.SearchResponse{TotalCount: found.Pagination.Total, NextCursor: found.Pagination.Cursor}
	for _, product := range found.Products {
		answer.Results = append(answer.Results, s.result(product))
	}
	return done(s, request, answer, err)
}

func (s *Shop) filters(from acp.Filters) *ucp.Filters {
	to := ucp.Filters{}
	if from.Category != "" {
		to.Categories = []string{from.Category}
	}
	minor := func(price *decimal.Decimal) *int64 {
		if price == nil {
			return nil
		}
		return &[]int64{toMinor(*price, s.currency).Amount}[0]
	}
	if from.PriceMin != nil || from.PriceMax != nil {
		to.Price = &ucp.PriceRange{Min: minor(from.PriceMin), Max: minor(from.PriceMax)}
	}
	return &to
}

func (s *Shop) result(product ucp.Product) acp.Result {
	result := acp.Result{
		ProductID:   product.ID,
		Name:        product.Title,
		Description: product.Description.Plain,
		Currency:    product.PriceRange.Min.Currency,
		Negotiable:  true, // UCP does not say; the answer to the first offer shows it
	}
	for i, variant := range product.Variants {
		s.products[variant.ID] = product.ID
		if i == 0 {
			result.ListPrice = listPrice(variant)
		}
		if variant.InStock() {
			result.Availability.InStock = true
			result.Availability.Quantity = plenty
		}
	}
	return result
}

func listPrice(variant ucp.Variant) decimal.Decimal {
	price := variant.Price
	if variant.ListPrice != nil {
		price = *variant.ListPrice
	}
	return fromMinor(price.Amount, price.Currency)
}

// Product reads one product.
func (s *Shop) Product(ctx context.Context, request acp.ProductRequest, _ ...acp.Option) (acp.Product, error) {
	product, err := s.client.Product(ctx, ucp.ProductRequest{ID: request.ProductID})
	answer := acp.Product{
		ProductID:   product.ID,
		Name:        product.Title,
		Description: product.Description.Plain,
		Negotiable:  true,
	}
	for i, variant := range product.Variants {
		s.products[variant.ID] = product.ID
		if i == 0 {
			answer.ListPrice = listPrice(variant)
		}
		shown := acp.Variant{
			ID:      variant.ID,
			SKU:     variant.SKU,
			InStock: variant.InStock(),
		}
		if shown.InStock {
			shown.Quantity = plenty
		}
		answer.Variants = append(answer.Variants, shown)
	}
	return done(s, request, answer, err)
}
