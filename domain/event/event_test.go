package event_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/event"
)

// The names are the contract's (spec 6.1, decisions 13).
func TestTypeFollowsFromTheData(t *testing.T) {
	t.Parallel()
	for name, data := range map[string]event.Data{
		"order.completed":  event.OrderCompleted{},
		"quote.accepted":   event.QuoteAccepted{},
		"return.requested": event.ReturnRequested{},
	} {
		if got := data.Type().String(); got != name {
			t.Errorf("%T is %s, want %s", data, got, name)
		}
	}
}
