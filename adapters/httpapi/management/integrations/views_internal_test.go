package integrations

import (
	"testing"

	"github.com/go-json-experiment/json"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/viewtest"
	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// The tests below check that merchants see every field of their data, except those listed with a reason.

func TestToAPILabel_everyField(t *testing.T) {
	viewtest.Shown(viewtest.Pointed(toAPILabel), viewtest.Omitted("order.Label", map[string]string{
		"the request names it": "Integration Grams", viewtest.Internal: "DueAt VoidDueAt Unsure Remote Told", "BoughtAt is shown": "CreatedAt",
		"each is shown as a label":          "Former",
		"nobody is to print a voided label": "PDF",
	}))(t)
}

func TestToAPIRecord_everyField(t *testing.T) {
	viewtest.Shown(viewtest.Pointed(toAPIRecord), viewtest.Omitted("syncrun.ExternalRecord", map[string]string{
		viewtest.InPath: "Integration", viewtest.Internal: "Digest Prints Quantity Seen UpdatedAt", "the order or customer has it": "Email",
	}))(t)
}

func TestToAPISyncChange_everyField(t *testing.T) {
	viewtest.Shown(toAPISyncChange, omittedFromChanges())(t)
}

func TestToAPIWebhookCall_everyField(t *testing.T) {
	viewtest.Shown(viewtest.Pointed(toAPIWebhookCall), viewtest.Omitted("integration.Delivery", map[string]string{
		viewtest.InPath: "Integration", viewtest.Internal: "Remote At DueAt", "logs leave payloads out": "Payload",
	}))(t)
}

func TestToAPISubscription_everyField(t *testing.T) {
	viewtest.Shown(viewtest.Pointed(toAPISubscription), viewtest.Omitted("event.Subscription", map[string]string{viewtest.Secret: "Secret Previous", viewtest.Internal: "PreviousEnd ActiveSince"}))(t)
}

func TestToAPIDelivery_everyField(t *testing.T) {
	viewtest.Shown(viewtest.Pointed(toAPIDelivery), viewtest.Omitted("event.Delivery", map[string]string{viewtest.InPath: "Target", viewtest.Internal: "Tries Since"}))(t)
}

// omittedFromChanges excepts the parts of values, which TestFieldValue tests one by one.
func omittedFromChanges() fieldtest.Reasons {
	except := fieldtest.Reasons{"syncrun.Change.Preview": "the sync says so"}
	for _, side := range []string{"Ours", "Theirs"} {
		for _, part := range []string{"Tags", "Images", "Attributes", "Variants"} {
			except["syncrun.Change.Fields[]."+side+"."+part] = "it is the value of another field"
		}
		except["syncrun.Change.Fields[]."+side+".Cut"] = "the other side's is shown as well"
	}
	return except
}

// Values are written as the catalog's operations write them: prices as numbers, and an empty value by its type.
func TestFieldValue(t *testing.T) {
	t.Parallel()
	for field, c := range map[string]struct {
		value syncrun.Value
		want  string
		empty string
	}{
		"name":       {syncrun.Value{Text: `A "tent"`}, `"A \"tent\""`, `""`},
		"price":      {syncrun.Value{Text: "149.50"}, "149.50", "null"},
		"tags":       {syncrun.Value{Tags: []string{"a", "b"}}, `["a","b"]`, "[]"},
		"images":     {syncrun.Value{Images: []catalog.Image{{URL: "/a.jpg", Alt: "A"}}}, `[{"url":"/a.jpg","alt":"A"}]`, "[]"},
		"attributes": {syncrun.Value{Attributes: map[string]string{"season": "3"}}, `{"season":"3"}`, "{}"},
		"variants": {
			syncrun.Value{Variants: []syncrun.VariantValue{
				{SKU: "A", Size: "s", Color: "c", Price: "9.00", GTIN: "96385074", MPN: "m", InventoryPolicy: "tracked"},
				{SKU: "B", InventoryPolicy: "backorder", Digital: true},
			}},
			`[{"sku":"A","size":"s","color":"c","price":9.00,"gtin":"96385074","mpn":"m","inventory_policy":"tracked","requires_shipping":true},` +
				`{"sku":"B","size":"","color":"","price":null,"gtin":"","mpn":"","inventory_policy":"backorder","requires_shipping":false}]`,
			"[]",
		},
	} {
		for value, want := range map[*syncrun.Value]string{&c.value: c.want, {}: c.empty} {
			text, err := json.Marshal(toAPIFieldChange(syncrun.FieldChange{Field: field, Ours: *value}).Ours)
			if err != nil || string(text) != want {
				t.Errorf("%s: %s, %v, want %s", field, text, err, want)
			}
		}
	}
}
