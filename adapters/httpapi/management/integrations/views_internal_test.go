package integrations

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/viewtest"
)

// Merchants see every field of what is theirs, or it is an exception with its reason.
func TestViews_everyField(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"label": viewtest.Shown(viewtest.Pointed(toAPILabel), viewtest.Unseen("order.Label", map[string]string{
			"the request names it": "Integration Grams", viewtest.Internal: "DueAt VoidDueAt Unsure Remote Told", "BoughtAt is shown": "CreatedAt",
			"each is shown as a label":          "Former",
			"nobody is to print a voided label": "PDF",
		})),
		"record": viewtest.Shown(viewtest.Pointed(toAPIRecord), viewtest.Unseen("syncrun.Copy", map[string]string{
			viewtest.InPath: "Integration", viewtest.Internal: "Digest Prints Quantity Seen UpdatedAt", "the order or customer has it": "Email",
		})),
		"webhook call": viewtest.Shown(viewtest.Pointed(toAPIWebhookCall), viewtest.Unseen("integration.Delivery", map[string]string{
			viewtest.InPath: "Integration", viewtest.Internal: "Remote At DueAt", "logs leave payloads out": "Payload",
		})),
		"subscription": viewtest.Shown(viewtest.Pointed(toAPISubscription), viewtest.Unseen("event.Subscription", map[string]string{viewtest.Secret: "Secret Previous", viewtest.Internal: "PreviousEnd ActiveSince"})),
		"delivery":     viewtest.Shown(viewtest.Pointed(toAPIDelivery), viewtest.Unseen("event.Delivery", map[string]string{viewtest.InPath: "Target", viewtest.Internal: "Tries Since"})),
	} {
		t.Run(name, test)
	}
}
