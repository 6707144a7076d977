package buyer

import (
	"fmt"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

// Discover reads the manifest.
func (b *Buyer) Discover() *Buyer {
	return b.do("discover", func() (err error) {
		shop, err := b.full()
		if err != nil {
			return err
		}
		b.Manifest, err = shop.Manifest(b.ctx)
		return err
	})
}

// Search looks for products and opens a session.
func (b *Buyer) Search(query string) *Buyer {
	return b.SearchFor(acp.SearchRequest{Query: query})
}

// SearchFor is Search with filters and a limit. It adds the buyer's claims if the request has none.
func (b *Buyer) SearchFor(request acp.SearchRequest) *Buyer {
	return b.do("search", func() (err error) {
		if request.BuyerContext == nil {
			request.BuyerContext = b.Claims
		}
		if b.Found, err = b.client.Search(b.ctx, request); err != nil {
			return err
		}
		b.SessionID = b.Found.SessionID
		return nil
	})
}

// View reads a product and selects its first variant in stock, or else its first.
func (b *Buyer) View(productID string) *Buyer {
	return b.do("view", func() error {
		request := acp.ProductRequest{
			ProductID:    productID,
			SessionID:    b.SessionID,
			BuyerContext: b.Claims,
		}
		product, err := b.client.Product(b.ctx, request)
		if err != nil {
			return err
		}
		b.Product, b.Variant, b.Quantity = product, acp.Variant{}, 1
		b.forgetPrices()
		for _, variant := range product.Variants {
			if variant.InStock && !b.Variant.InStock || b.Variant.ID == "" {
				b.Variant = variant
			}
		}
		return nil
	})
}

// ViewResult views the n-th search result, counted from 0.
func (b *Buyer) ViewResult(n int) *Buyer {
	return b.do("view", func() error {
		if n < 0 || n >= len(b.Found.Results) {
			return fmt.Errorf("%w: %d results", ErrNothingToDo, len(b.Found.Results))
		}
		b.View(b.Found.Results[n].ProductID)
		return nil
	})
}

// Choose selects a variant of the viewed product by its id, and a quantity.
func (b *Buyer) Choose(variantID string, quantity int) *Buyer {
	return b.do("choose", func() error {
		for _, variant := range b.Product.Variants {
			if variant.ID == variantID {
				b.Variant, b.Quantity = variant, quantity
				b.forgetPrices()
				return nil
			}
		}
		return fmt.Errorf("%w: no variant %q", ErrNothingToDo, variantID)
	})
}

// Want sets the quantity.
func (b *Buyer) Want(quantity int) *Buyer {
	return b.do("want", func() error {
		b.Quantity = quantity
		b.forgetPrices()
		return nil
	})
}

// CheckAvailability asks whether the quantity is available at an address.
func (b *Buyer) CheckAvailability(address acp.Address) *Buyer {
	return b.do("check availability", func() (err error) {
		shop, err := b.full()
		if err != nil {
			return err
		}
		b.Availability, err = shop.Availability(b.ctx, acp.AvailabilityRequest{
			Items: []acp.AvailabilityItem{{
				ProductID: b.Product.ProductID,
				VariantID: b.Variant.ID,
				Quantity:  b.Quantity,
			}},
			ShippingAddress: &acp.Destination{PostalCode: address.PostalCode, Country: address.Country},
		})
		return err
	})
}

// ReadSession reads the session.
func (b *Buyer) ReadSession() *Buyer {
	return b.do("read the session", func() (err error) {
		shop, err := b.full()
		if err != nil {
			return err
		}
		b.Session, err = shop.Session(b.ctx, b.SessionID)
		return err
	})
}

// Extend asks for a longer session.
func (b *Buyer) Extend(minutes int) *Buyer {
	return b.do("extend the session", func() (err error) {
		shop, err := b.full()
		if err != nil {
			return err
		}
		b.Extended, err = shop.ExtendSession(b.ctx, acp.Extension{SessionID: b.SessionID, DurationMinutes: minutes})
		return err
	})
}

// forgetPrices drops all prices, because another variant or quantity is another negotiation.
func (b *Buyer) forgetPrices() {
	b.Quote, b.Rounds, b.Agreement, b.openQuote, b.list = acp.Quote{}, 0, nil, "", nil
}
