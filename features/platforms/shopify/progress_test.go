package shopify

import (
	"testing"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// A sync run has the number of records read so far and the total.
func TestProgress(t *testing.T) {
	each(t, func(t *testing.T, database string) {
		there := lookalike(t, platforms.Config{
			Products:  30,
			Customers: 7,
			Orders:    5,
		})
		s := open(t, database, there, "")
		run := s.sync(s.connect(), `{"full_sync": true}`)
		for resource, one := range run["progress"].(map[string]any) {
			p := one.(map[string]any)
			counted := run["resources"].(map[string]any)[resource].(map[string]any)
			if p["done"] != counted["total"] || p["total"] != p["done"] || p["seconds_left"] != 0. || p["done"] == 0. {
				t.Errorf("%s: %v", resource, p)
			}
		}
		if len(run["progress"].(map[string]any)) != 4 || run["seconds_left"] != nil {
			t.Errorf("%v", run)
		}
	})
}
