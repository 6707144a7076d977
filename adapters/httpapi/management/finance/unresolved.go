package finance

import (
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// statusUnresolved picks, of payments and of refunds, those that nobody knows the outcome of.
const statusUnresolved = "unresolved"

// UnresolvedView says how long nobody has known the outcome of a payment attempt or a refund, and why.
type UnresolvedView struct {
	Attempt    int        `json:"attempt,omitempty" doc:"Of a payment: which attempt of its checkout it is."`
	Provider   string     `json:"provider" example:"stripe"`
	AgeSeconds int64      `json:"age_seconds" doc:"Since created_at."`
	TimesAsked int        `json:"times_asked" doc:"How many times the provider was asked."`
	Problem    string     `json:"problem" doc:"Why the provider did not tell the outcome when it was last asked."`
	AlertedAt  *wire.Time `json:"alerted_at" nullable:"true" doc:"When the merchant was last alerted: an hour after it began, and every day since. Null: not yet."`
}

func toAPIUnresolvedPayment(u ports.UnresolvedPayment) PaymentView {
	charge, s := u.Checkout.Charge(), u.Checkout.Snapshot()
	none := wire.ToMoney(money.Zero(charge.Amount.Currency()))
	return PaymentView{
		Status:         statusUnresolved,
		Amount:         wire.ToMoney(charge.Amount),
		RefundedAmount: none,
		DisputedAmount: none,
		Currency:       charge.Amount.Currency().Code(),
		Method:         operation.PaymentMethods[charge.Method],
		Provider:       charge.Route.Provider,
		CheckoutID:     s.ID.String(),
		CreatedAt:      wire.ToTime(charge.Since),
		Unresolved: &UnresolvedView{
			Attempt:    s.Attempt,
			Provider:   charge.Route.Provider,
			AgeSeconds: int64(u.Age / time.Second),
			TimesAsked: s.Unresolved,
			Problem:    s.Problem,
			AlertedAt:  wire.ToKnownTime(u.AlertedAt),
		},
	}
}

func toAPIUnresolvedRefund(u ports.UnresolvedRefund) RefundView {
	view := toAPIRefund(u.Refund)
	view.Unresolved = &UnresolvedView{
		Provider:   u.Route.Provider,
		AgeSeconds: int64(u.Age / time.Second),
		TimesAsked: u.Attempts,
		Problem:    u.Problem,
		AlertedAt:  wire.ToKnownTime(u.AlertedAt),
	}
	return view
}
