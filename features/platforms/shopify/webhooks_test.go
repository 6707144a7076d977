package shopify

import (
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// A webhook that Shopify has deleted, or whose calls lack fields, is registered again, and the changes that may have been
// missed are read.
func TestWebhooks_restored(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		there := lookalike(t, platforms.Config{
			Products:  12,
			Customers: 5,
			Orders:    5,
		})
		s := open(t, database, there, "")
		i := s.connect()
		s.Ask(201, "POST", i+"/webhooks", `{"topic": "products/update"}`)
		s.sync(i, `{}`)
		db := boottest.Inspect(t, database)
		checked := func(what string, done func(webhook map[string]any) bool) {
			t.Helper()
			if _, err := db.Exec("UPDATE integration_webhooks SET check_at = 0"); err != nil {
				t.Fatal(err)
			}
			s.Until(what, func() bool { return done(s.Ask(200, "GET", i+"/webhooks", "")["data"].([]any)[0].(map[string]any)) })
		}
		hooks := func() []platforms.Hook { return there.Hooks()[platforms.Shopify].([]platforms.Hook) }
		fields := len(hooks()[0].Fields)
		runs := func() int { return len(s.Ask(200, "GET", i+"/sync/history", "")["data"].([]any)) }
		before := runs()

		checked("the webhook is checked", func(w map[string]any) bool { return w["checked_at"] != nil })
		if n := len(hooks()); n != 1 || runs() != before {
			t.Errorf("a webhook that is there: %d, %d runs", n, runs())
		}
		var last any
		for _, how := range []string{"widen", "delete"} {
			if _, err := there.Lose(platforms.Lose{Platform: platforms.Shopify, How: how}); err != nil {
				t.Fatal(err)
			}
			checked("a webhook is registered again after "+how, func(w map[string]any) bool {
				restored := w["restored_at"]
				if restored == nil || restored == last || w["status"] != "active" {
					return false
				}
				last = restored
				return true
			})
			if list := hooks(); len(list) != 1 || fields == 0 || len(list[0].Fields) != fields {
				t.Errorf("after %s: %+v", how, list)
			}
		}
		s.Until("what was missed is read", func() bool { return runs() > before })
	})
}
