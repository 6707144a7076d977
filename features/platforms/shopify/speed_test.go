package shopify

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// BenchmarkSync reads 2,000 products, in short mode 100, and their stock from the simulated Shopify by bulk operations. It reports products per
// second, from the start of the sync to its end, including the wait for the files.
func BenchmarkSync(b *testing.B) {
	products := 2000
	if testing.Short() {
		products = 100
	}
	for _, engine := range boottest.Engines {
		b.Run(engine.Name, func(b *testing.B) {
			for range b.N {
				there, err := platforms.Start("127.0.0.1:0", platforms.Config{Products: products})
				if err != nil {
					b.Fatal(err)
				}
				s := open(b, engine.URL(b), there, "")
				at := s.connect()
				began := time.Now()
				run := s.sync(at, `{"full_sync": true, "resources": ["products", "inventory"]}`)
				took := time.Since(began)
				if run["status"] != "completed" {
					b.Fatal(run)
				}
				b.ReportMetric(float64(products)/took.Seconds(), "products/s")
				for resource, one := range run["progress"].(map[string]any) {
					if waited, ok := one.(map[string]any)["waited_seconds"].(float64); ok {
						b.ReportMetric(waited, resource+"-waited-s")
					}
				}
				_ = there.Close()
			}
		})
	}
}
