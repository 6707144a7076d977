package buyer

import (
	"fmt"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

// InitCheckout opens a checkout for the agreement.
func (b *Buyer) InitCheckout(address acp.Address) *Buyer {
	return b.do("init the checkout", func() error {
		deal := b.Agreement
		if deal == nil {
			return fmt.Errorf("%w: nothing was agreed", ErrNothingToDo)
		}
		price := deal.UnitPrice
		items := []acp.CheckoutItem{{
			ProductID:       deal.ProductID,
			VariantID:       deal.VariantID,
			Quantity:        deal.Quantity,
			NegotiatedPrice: &price,
		}}
		if deal.Bundle != nil {
			bundled := deal.Bundle.BundlePrice
			items = append(items, acp.CheckoutItem{
				ProductID:       deal.Bundle.ProductID,
				Quantity:        1,
				NegotiatedPrice: &bundled,
			})
		}
		return b.initCheckout(acp.InitRequest{
			CheckoutToken:   deal.Token,
			Items:           items,
			ShippingAddress: address,
		})
	})
}

// InitCheckoutAtList opens a checkout for the viewed product at list price.
func (b *Buyer) InitCheckoutAtList(address acp.Address) *Buyer {
	return b.do("init the checkout", func() error {
		items := []acp.CheckoutItem{{
			ProductID: b.Product.ProductID,
			VariantID: b.Variant.ID,
			Quantity:  b.Quantity,
		}}
		return b.initCheckout(acp.InitRequest{Items: items, ShippingAddress: address})
	})
}

// InitCheckoutWith opens a checkout with any request.
func (b *Buyer) InitCheckoutWith(request acp.InitRequest) *Buyer {
	return b.do("init the checkout", func() error { return b.initCheckout(request) })
}

func (b *Buyer) initCheckout(request acp.InitRequest) error {
	if request.SessionID == "" {
		request.SessionID = b.SessionID
	}
	request.BillingSameAsShipping = true
	checkout, err := b.client.InitCheckout(b.ctx, request)
	if err != nil {
		return err
	}
	b.Checkout, b.finalize = checkout, acp.FinalizeRequest{}
	return nil
}

// Pay finalizes the checkout with a payment method and token, and the shipping option the merchant selected.
func (b *Buyer) Pay(method, token string) *Buyer { return b.PayShipping(method, token, "") }

// PayShipping is Pay with a shipping option of the buyer's choice.
func (b *Buyer) PayShipping(method, token, option string) *Buyer {
	return b.do("pay", func() error {
		if b.Checkout.CheckoutID == "" {
			return fmt.Errorf("%w: no checkout is open", ErrNothingToDo)
		}
		if option == "" {
			option = b.selectedOption()
		}
		b.finalize = acp.FinalizeRequest{
			CheckoutID:     b.Checkout.CheckoutID,
			Payment:        acp.Payment{Method: method, Token: token},
			ShippingOption: option,
			BuyerEmail:     b.Email,
			Notes:          b.Notes,
		}
		return b.pay()
	})
}

// FinalizeAgain repeats the latest finalize, as a client does that missed the answer.
func (b *Buyer) FinalizeAgain() *Buyer {
	return b.do("finalize again", func() error {
		if b.finalize.CheckoutID == "" {
			return fmt.Errorf("%w: nothing was finalized", ErrNothingToDo)
		}
		return b.pay()
	})
}

func (b *Buyer) pay() (err error) {
	b.Finalized, err = b.client.Finalize(b.ctx, b.finalize)
	return err
}

func (b *Buyer) selectedOption() string {
	for _, option := range b.Checkout.ShippingOptions {
		if option.Selected {
			return option.ID
		}
	}
	if len(b.Checkout.ShippingOptions) > 0 {
		return b.Checkout.ShippingOptions[0].ID
	}
	return ""
}

// Paid reports whether the latest finalize created an order.
func (b *Buyer) Paid() bool { return b.Finalized.Status == acp.Success }

// ReadOrder reads the order that finalize created.
func (b *Buyer) ReadOrder() *Buyer {
	return b.do("read the order", func() (err error) {
		b.Order, err = b.client.Order(b.ctx, b.Finalized.Order.ID, acp.ManageToken(b.Finalized.Order.ManageToken))
		return err
	})
}

// CancelOrder cancels the order that finalize created.
func (b *Buyer) CancelOrder(reason string) *Buyer {
	return b.do("cancel the order", func() (err error) {
		shop, err := b.full()
		if err != nil {
			return err
		}
		b.Order, err = shop.CancelOrder(b.ctx, acp.Cancellation{
			OrderID:     b.Finalized.Order.ID,
			ManageToken: b.Finalized.Order.ManageToken,
			Reason:      reason,
		})
		return err
	})
}

// SendBack asks to return a quantity of the viewed product.
func (b *Buyer) SendBack(quantity int, reason string) *Buyer {
	return b.do("send back", func() (err error) {
		shop, err := b.full()
		if err != nil {
			return err
		}
		b.Return, err = shop.CreateReturn(b.ctx, acp.ReturnRequest{
			OrderID: b.Finalized.Order.ID,
			Items: []acp.ReturnItem{{
				ProductID: b.Product.ProductID,
				VariantID: b.Variant.ID,
				Quantity:  quantity,
				Reason:    reason,
			}},
		})
		return err
	})
}

// Discount returns the agreed discount as a share of the list price: 0.12 for 12 %. It is for statistics only.
func (b *Buyer) Discount() float64 {
	if b.Agreement == nil || b.ListPrice().Sign() <= 0 {
		return 0
	}
	return b.ListPrice().Minus(b.Agreement.UnitPrice).Ratio(b.ListPrice())
}
