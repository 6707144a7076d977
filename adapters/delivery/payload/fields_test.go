package payload_test

import (
	"fmt"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/delivery/payload"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/project"
)

// The payload that receivers get, and the event log stores, has every field of every event.
func TestEncodeEvent_everyField(t *testing.T) {
	t.Parallel()
	for _, seen := range []func(*testing.T){
		everyField[event.OrderCompleted],
		everyField[event.OrderShipped],
		everyField[event.OrderUpdated],
		everyField[event.OrderDelivered],
		everyField[event.OrderCanceled],
		everyField[event.OrderRefunded],
		everyField[event.ReturnRequested],
		everyField[event.ReturnApproved],
		everyField[event.ReturnRejected],
		everyField[event.RefundFailed],
		everyField[event.DisputeOpened],
		everyField[event.DisputeClosed],
		everyField[event.QuoteAccepted],
		everyField[event.NegotiationLost],
		everyField[event.CheckoutAbandoned],
		everyField[event.PaymentUnresolved],
		everyField[event.RefundUnresolved],
		everyField[event.PaymentOrphaned],
		everyField[event.MoneyUnexplained],
		everyField[event.SyncCompleted],
		everyField[event.SyncFailed],
		everyField[event.IntegrationError],
		everyField[event.CustomerDataRequested],
		everyField[event.InventoryLow],
		everyField[event.SubscriptionDisabled],
		everyField[event.Ping],
	} {
		seen(t)
	}
}

func everyField[T event.Data](t *testing.T) {
	t.Helper()
	known := []any{event.Gone, event.Unreachable, project.SharedPaymentToken, project.BillingAgreement}
	data := fieldtest.Fill[T](known...)
	fieldtest.Matter(t, &data, func(data *T) any {
		body, _, err := payload.EncodeEvent(&event.Event{Data: *data})
		if err != nil {
			t.Fatal(err)
		}
		return body
	}, omitted[fmt.Sprintf("%T", data)], known...)
}

// omitted are fields that payloads leave out, with the reason.
var omitted = map[string]fieldtest.Reasons{
	"event.OrderCompleted": {"event.OrderCompleted.Address.ID": "the agent's name for it, in its checkout alone"},
}
