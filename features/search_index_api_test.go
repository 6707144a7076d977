package features

import "testing"

func TestGetSearchIndex_emptyShop(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.asMerchant("GET /v1/catalog/search-index")
		a.answers(200)
		a.shows(
			"status", `"ready"`,
			"catalog_version", `0`,
			"indexed_version", `0`,
			"products", `0`,
			"vectors", `{"source": null, "model": null, "embedded": 0, "pending": 0}`,
			"embedding_error", `null`,
			"memory_bytes", `0`,
			"left_out", `[]`,
		)
	})
}
