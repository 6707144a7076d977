package finance

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/viewtest"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/order"
)

// The tests below check that merchants see every field of their data, except those listed with a reason.

func TestToAPICase_everyField(t *testing.T) {
	viewtest.Shown(func(o order.Order) OrderDetail {
		return ToAPICase(&order.Case{Order: &o})
	}, viewtest.Omitted("order.Order", map[string]string{
		viewtest.Internal: "Sequence Payment.Refunding Payment.Provider Lines[].ID Address.ID Fulfillment.CanceledAt", viewtest.Secret: "TokenSalt TokenHash Lines[].Token.Salt Lines[].Token.Hash", "the provider names it": "Payment.Route.Integration",
		"the decisions of its session show it": "Lines[].Quote Lines[].Bundled Lines[].Personal.Region", "its host is shown": "Hook.URL",
	}))(t)
}

func TestToAPIPayment_everyField(t *testing.T) {
	viewtest.Shown(toAPIPayment, fieldtest.Reasons{
		"ports.OrderPayment.Project":                   viewtest.InPath,
		"ports.OrderPayment.Payment.Refunding":         "its refunds show it",
		"ports.OrderPayment.Payment.Provider":          viewtest.Internal,
		"ports.OrderPayment.Payment.Route.Integration": "the provider names it",
	})(t)
}

func TestToAPIRefund_everyField(t *testing.T) {
	viewtest.Shown(toAPIRefund, viewtest.Omitted("order.Refund", map[string]string{
		"the list of unresolved refunds shows it": "Problem Attempts DueAt", viewtest.Internal: "Provider UpdatedAt",
	}))(t)
}

func TestToAPIReturn_everyField(t *testing.T) {
	viewtest.Shown(toAPIReturn, viewtest.Omitted("order.Return", map[string]string{
		viewtest.Internal: "Allocation", "it is for the buyer": "Instructions", "how many pieces is enough": "Restocked[].Variant Restocked[].Location",
	}))(t)
}

func TestToAPIDispute_everyField(t *testing.T) {
	viewtest.Shown(ToAPIDispute, viewtest.Omitted("order.Dispute", map[string]string{
		viewtest.Internal: "Steps Reported",
	}))(t)
}

func TestToAPIOrphan_everyField(t *testing.T) {
	viewtest.Shown(toAPIOrphan, viewtest.Omitted("checkout.Orphan", map[string]string{viewtest.Internal: "Attempts DueAt", "the provider names it": "Route.Integration"}))(t)
}

func TestToAPITransaction_everyField(t *testing.T) {
	viewtest.Shown(toAPITransaction, viewtest.Omitted("ledger.Transaction", map[string]string{"the postings name its funds": "Provider", "of a dispute it is the number of a step": "Reference"}))(t)
}
