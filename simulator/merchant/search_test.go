package merchant_test

import (
	"context"
	"testing"

	"github.com/haggle-commerce/haggle/simulator/merchant"
)

func TestClient_searchIndexRequest(t *testing.T) {
	t.Parallel()
	eachSends(t, map[string]sent{
		"read how far the index is": {func(c *merchant.Client) error { _, err := c.SearchIndex(context.Background()); return err },
			"GET /v1/catalog/search-index", ""},
	})
}
