package feed_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/feed"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
)

// FuzzRead feeds nonsense: every item must be a product with a sku or a fault on a line that exists.
func FuzzRead(f *testing.F) {
	f.Add("sku,name,variant_sku\nA,\"Tent\n\",A-1\nA,,A-2\n")
	f.Add("{\"sku\":\"A\",\"price\":1e400}\n{\"sku\":\"B\"")
	f.Add("\ufeffsku,price\r\n\"A\"\"\",-0.5\r\n,\n")
	f.Fuzz(func(t *testing.T, text string) {
		for _, name := range []string{"a.csv", "a.ndjson"} {
			r, err := feed.New(strings.NewReader(text), feed.Options{Name: name, Currency: money.USD})
			if err != nil {
				continue
			}
			for line, err := range r.All() {
				judge(t, line, err, strings.Count(text, "\n")+1)
			}
		}
	})
}

func judge(t *testing.T, line feed.Line, err error, last int) {
	t.Helper()
	if line.Number < 1 || line.Number > last {
		t.Errorf("line %d of %d", line.Number, last)
	}
	sku, _ := line.Draft.SKU.Value()
	_, isFault := errors.AsType[*fault.Error](err)
	if err == nil && sku == "" || err != nil && !isFault {
		t.Errorf("line %d: sku %q, %v", line.Number, sku, err)
	}
}
