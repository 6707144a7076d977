package feed_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/feed"
	"github.com/haggle-commerce/haggle/domain/money"
)

// BenchmarkRead reports products per second for a product of common size.
func BenchmarkRead(b *testing.B) {
	var csv, ndjson strings.Builder
	csv.WriteString("sku,name,price,category,description,attributes.weight,quantity\n")
	for i := range 1000 {
		description := strings.Repeat("A freestanding tent with two doors. ", 8)
		fmt.Fprintf(&csv, "T%d,Tent %d,%d.95,outdoor/tents,\"%s\",1.9 kg,%d\n", i, i, i+1, description, i)
		fmt.Fprintf(&ndjson, `{"sku":"T%d","name":"Tent %d","price":%d.95,"category":"outdoor/tents","description":"%s","attributes":{"weight":"1.9 kg"},"quantity":%d}`+"\n",
			i, i, i+1, description, i)
	}
	for name, text := range map[string]string{"a.csv": csv.String(), "a.ndjson": ndjson.String()} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			products := 0
			for b.Loop() {
				r, err := feed.New(strings.NewReader(text), feed.Options{Name: name, Currency: money.USD})
				if err != nil {
					b.Fatal(err)
				}
				for _, err := range r.All() {
					if err != nil {
						b.Fatal(err)
					}
					products++
				}
			}
			b.ReportMetric(float64(products)/b.Elapsed().Seconds(), "products/s")
		})
	}
}
