package acp

import (
	"fmt"
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/failpoint"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

const finalizeID = "acp-checkout-finalize"

func (h *handlers) registerFinalize() {
	wire.AddPhased(h.mount, h.operation(huma.Operation{
		OperationID: finalizeID,
		Method:      http.MethodPost,
		Path:        "/acp/checkout/finalize",
		Tags:        commerceTag,
		Summary:     "Pay a checkout",
		Description: "Charges the payment token once and places the order. It is idempotent by checkout_id: a repeated request " +
			"returns the same order and charges nothing. A declined payment is a 200 with status payment_failed: retry_allowed is true if another token may be tried; decline_code invalid_token means that the token does not exist. order.manage_token lets the buyer cancel the order and read the receipt. It and receipt_url are " +
			"returned only to a request with the payment token that paid. Amounts are in payment.currency. Errors: 409 " +
			"out_of_stock, with the items; 409 checkout_incomplete, with the missing fields; 409 checkout_processing (another attempt is in progress); 409 checkout_canceled (ended by declines); 409 checkout_expired; " +
			"429 too_many_declines after ten declines within ten minutes, by session or client address; 429 too_many_payments (payments in progress count for this limit: finalize waits up to ten seconds); 503 payment_unresolved with retry_after while the outcome is unknown: send the same request again then. The token is never stored.",
		Errors: []int{http.StatusConflict, http.StatusTooManyRequests, http.StatusServiceUnavailable},
		Responses: h.oneOf(map[string]reflect.Type{
			"success":        reflect.TypeFor[successAnswer](),
			"payment_failed": reflect.TypeFor[failedAnswer](),
		}),
	}), h.finalize)
}

type finalizeRequest struct {
	CheckoutID     string       `json:"checkout_id" minLength:"1" example:"chk_06fszq2d8v3m5xk9t1c7w4hpeg"`
	Payment        paymentToken `json:"payment"`
	ShippingOption string       `json:"shipping_option,omitempty" maxLength:"100" example:"express" doc:"The id of an option. Default: the selected one. Another one increases revision by one."`
	BuyerEmail     string       `json:"buyer_email,omitempty" maxLength:"254" example:"ada@example.com" doc:"The address only, without a name."`
	Notes          string       `json:"notes,omitempty" maxLength:"2000" doc:"A note for the merchant."`
	Revision       int          `json:"revision,omitempty" minimum:"1" doc:"Pays only this revision: 409 checkout_changed if it is not the current one. Omit it to pay the current one."`
}

type paymentToken struct {
	Method string `json:"method" enum:"psp_spt,wallet_ba" doc:"One of the checkout's payment_methods."`
	Token  string `json:"token" minLength:"1" maxLength:"500" writeOnly:"true" example:"spt_sandbox_ok" doc:"The buyer's payment token; never stored."`
}

type successAnswer struct {
	Status      string           `json:"status" enum:"success"`
	Order       placedOrder      `json:"order"`
	Payment     orderPayment     `json:"payment"`
	Fulfillment orderFulfillment `json:"fulfillment"`
	ReceiptURL  string           `json:"receipt_url" format:"uri" doc:"A page to print, with the buyer's address if the request has the payment token that paid."`
	Tracking    orderTracking    `json:"tracking"`
	Summary     orderSummary     `json:"summary"`
	Items       []orderedItem    `json:"items" doc:"The items, with the ids that a return needs, in the order of summary.items."`

	NextActions nextActions `json:"next_actions,omitempty"`
}

type failedAnswer struct {
	Status         string       `json:"status" enum:"payment_failed"`
	Error          paymentError `json:"error"`
	CheckoutID     string       `json:"checkout_id"`
	CheckoutStatus string       `json:"checkout_status" enum:"pending,canceled"`
	RetryAllowed   bool         `json:"retry_allowed"`
	Revision       int          `json:"revision" minimum:"1" doc:"The attempt may have increased it by another shipping option."`
	Total          wire.Money   `json:"total" minimum:"0" doc:"The amount that was not paid."`
	Currency       string       `json:"currency" example:"USD"`

	NextActions nextActions `json:"next_actions,omitempty"`
}

type paymentError struct {
	Code        string `json:"code" enum:"card_declined" doc:"card_declined for every method; decline_code is the reason."`
	Message     string `json:"message"`
	DeclineCode string `json:"decline_code" example:"insufficient_funds"`
}

func (h *handlers) finalize(ctx ports.Outbound, rq Request, in *wire.Input[finalizeRequest]) (*wire.Output[any], error) {
	shop := rq.Caller.Shop
	request, err := fromAPIFinalize(in.Body)
	if err != nil {
		return nil, err
	}
	request.Client, request.Agent = rq.Caller.Client, rq.Caller.Agent
	result, err := h.Purchase.In(rq.Stores).Finalize(ctx, shop, request)
	if err == nil {
		err = failpoint.At(ctx, failpoint.BeforeAnswer)
	}
	if err != nil {
		return nil, err
	}
	switch r := result.(type) {
	case purchase.Placed:
		o := toAPIOrder(shop, r.Order)
		if r.Payer {
			o.Order.ManageToken, o.Payment.Method = h.Aftersales.In(rq.Stores).Tokens.Of(r.Order), r.Order.Payment.Label
			addNotices(o.Items, r.Order)
		}
		o.ReceiptURL = h.receiptURL(shop, r.Order, o.Order.ManageToken)
		return &wire.Output[any]{Body: successAnswer{
			Status:      "success",
			Order:       o.Order,
			Payment:     o.Payment,
			Fulfillment: o.Fulfillment,
			ReceiptURL:  o.ReceiptURL,
			Tracking:    o.Tracking,
			Summary:     o.Summary,
			Items:       o.Items,
			NextActions: append(nextActions{actReadOrder}, afterOrder(shop, &order.Case{Order: r.Order}, h.Clock.Now())...),
		}}, nil
	case purchase.Declined:
		return &wire.Output[any]{Body: toAPIDeclined(r)}, nil
	}
	return nil, fmt.Errorf("acp: a finalize ended in an unknown result %T", result)
}

func fromAPIFinalize(r finalizeRequest) (purchase.FinalizeRequest, error) {
	check := fault.NewCheck()
	check.That(r.BuyerEmail == "" || commerce.PlainAddress(r.BuyerEmail), "buyer_email", "must be an e-mail address")
	if err := check.Err(); err != nil {
		return purchase.FinalizeRequest{}, err
	}
	of, err := wire.ID[id.Checkout](r.CheckoutID, "checkout")
	return purchase.FinalizeRequest{
		Checkout: of,
		Method:   commerce.ValueOf(r.Payment.Method, commerce.PaymentMethods),
		Token:    r.Payment.Token,
		Option:   r.ShippingOption,
		Revision: r.Revision,
		Email:    r.BuyerEmail,
		Notes:    r.Notes,
	}, err
}

func toAPIDeclined(d purchase.Declined) failedAnswer {
	return failedAnswer{
		Status: "payment_failed",
		Error: paymentError{
			Code:        "card_declined",
			Message:     d.Outcome.Message,
			DeclineCode: d.Outcome.Code,
		},
		CheckoutID:     d.Checkout.String(),
		CheckoutStatus: d.Status.String(),
		RetryAllowed:   d.Status == checkout.Pending,
		Revision:       d.Revision,
		Total:          wire.ToMoney(d.Total),
		Currency:       d.Total.Currency().Code(),
		NextActions:    afterDecline(d),
	}
}
