package management_test

import (
	"strings"
	"testing"
)

func TestUpdateSettings_merge(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	path := "/v1/projects/" + w.one.String() + "/settings"
	wants(t, w.call("admin", "PATCH", path,
		`{"commerce":{"max_discount_percent":12.5,"bundle_suggestions":false},"agents":{"temperature":0.25},"general":{"name":"New"}}`),
		"OK", `"max_discount_percent":12.5`, `"bundle_suggestions":false`, `"temperature":0.25`, `"name":"New"`, `"slug":"shop"`)
	wants(t, w.call("admin", "PATCH", path, `{"commerce":{"max_discount_percent":null}}`),
		`"max_discount_percent":20`, `"bundle_suggestions":false`)
	wants(t, w.call("admin", "PATCH", path, `{"commerce":null,"agents":null}`),
		`"bundle_suggestions":true`, `"temperature":0.7`, `"name":"New"`)
	wants(t, w.call("admin", "GET", path, ""), `"alert_channels":[]`, `"session_timeout_minutes":30`)
}

// The refusal of an unknown field names the known fields and the one that was probably meant.
func TestSettings_unknownFields(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	path := "/v1/projects/" + w.one.String() + "/settings"
	for body, says := range map[string]string{
		`{"negotiation":{"max_discount_percent":20}}`: `"is not a known field: did you mean commerce.max_discount_percent? known fields are agents, `,
		`{"max_discount_percent":20}`:                 `"is not a known field: did you mean commerce.max_discount_percent? known fields are agents, `,
		`{"commerce":{"max_discount_procent":20}}`:    `"is not a known field: did you mean max_discount_percent? known fields are `,
		`{"commerce":{"MAX_DISCOUNT_PERCENT":20}}`:    `did you mean max_discount_percent? known fields are `,
		`{"general":{"bundle_suggestions":true}}`:     `did you mean commerce.bundle_suggestions? known fields are `,
		`{"general":{"xyzzy":true}}`:                  `"is not a known field: known fields are `,
	} {
		wants(t, w.call("admin", "PATCH", path, body), "validation_error", says)
	}
}

func TestUpdateSettings_problems(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	path := "/v1/projects/" + w.one.String()
	for body, field := range map[string]string{
		`{"commerce":{"max_discount_percent":91}}`:      "commerce.max_discount_percent",
		`{"commerce":{"max_discount_percent":12.55}}`:   "commerce.max_discount_percent",
		`{"commerce":{"max_discount_percent":1e400}}`:   "commerce.max_discount_percent",
		`{"commerce":{"MAX_DISCOUNT_PERCENT":5}}`:       "commerce.MAX_DISCOUNT_PERCENT",
		`{"general":null}`:                              "general.name",
		`{"general":{"slug":"A"}}`:                      "general.slug",
		`{"general":{"timezone":"Mars/Base"}}`:          "general.timezone",
		`{"agents":{"temperature":2.1}}`:                "agents.temperature",
		`{"agents":{"max_tokens_per_request":0}}`:       "agents.max_tokens_per_request",
		`{"notifications":{"alert_channels":["fax"]}}`:  "notifications.alert_channels.0",
		`{"notifications":{"chat_webhook":"http://x"}}`: "notifications.chat_webhook",
		`{"security":{"session_timeout_minutes":4}}`:    "security.session_timeout_minutes",
		`{"sound":{}}`: "sound",
	} {
		wants(t, w.call("admin", "PATCH", path+"/settings", body), "Unprocessable", `"validation_error"`, `"field":"`+field+`"`)
	}
	wants(t, w.call("admin", "PATCH", path, `{"settings":{"max_discount_percent":91}}`), `"field":"settings.max_discount_percent"`)
}

func TestRegisterProjects_updateAndDelete(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	path := "/v1/projects/" + w.one.String()
	got := w.call("admin", "PATCH", path, `{"name":"Neu","settings":{"negotiation_enabled":false}}`)
	want := `OK {"id":"` + w.one.String() + `","name":"Neu","settings":{"default_currency":"USD","timezone":"UTC","locale":"en-US",` +
		`"negotiation_enabled":false,"max_discount_percent":20},"updated_at":"2026-01-02T03:04:05.67Z"}`
	if got != want {
		t.Errorf("%s\nwant %s", got, want)
	}
	wants(t, w.call("admin", "DELETE", path, ""), "Bad Request", "confirmation_required")
	wants(t, w.call("admin", "DELETE", path, "", "X-Confirm-Delete: "+w.two.String()), "Bad Request", "confirmation_required")
}

func TestUpdateStorefront_exactMoney(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	path := "/v1/projects/" + w.one.String() + "/storefront"
	wants(t, w.call("admin", "PATCH", path, `{"free_shipping_threshold":75,"tax_rates":[{"country":"US","state":"NY","rate":8.875}]}`),
		"OK", `"free_shipping_threshold":75.00`, `"rate":8.875`)
	wants(t, w.call("admin", "PATCH", path, `{"free_shipping_threshold":null}`), `"free_shipping_threshold":null`, `"rate":8.875`)
	wants(t, w.call("admin", "PATCH", path,
		`{"free_shipping_threshold":1.999,"shipping_rates":[{"region":"*","method":"standard","price":0.001,"min_days":1,"max_days":2}]}`),
		"Unprocessable", `"free_shipping_threshold"`, `"shipping_rates.0.price"`, "has more decimals than USD has")
}

func TestRegister_createProduct(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	const path = "/v1/catalog/products"
	wants(t, w.call("admin", "POST", path, `{"name":"Tent","sku":"T-1","price":199.5,"category":"outdoor/tents"}`, w.in(w.one)),
		"Created", `"id":"prod_`, `"price":199.50`, `"category":"outdoor/tents"`, `"created_at":"2026-01-02T03:04:05.67Z"`, `"cost":null`)
	got := w.call("admin", "POST", path,
		`{"price":1.999,"cost":-1,"variants":[{"sku":"a","price":0.001},{"sku":"a"}],"reviews":{"average_rating":5.5,"count":1}}`, w.in(w.one))
	wants(t, got, "Unprocessable")
	for _, field := range []string{"name", "sku", "price", "cost", "variants.0.price", "variants.1.sku", "reviews.average_rating"} {
		wants(t, got, `"field":"`+field+`"`)
	}
	wants(t, w.call("admin", "GET", path+"/prod_x", "", w.in(w.one)), "Not Found", "product_not_found")
}

func TestRegister_listBounds(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	const path = "/v1/catalog/categories"
	wants(t, w.call("admin", "GET", path, "", w.in(w.one)), `"meta":{"total":3,"limit":20,"offset":0}`)
	wants(t, w.call("admin", "GET", path+"?limit=1&offset=1", "", w.in(w.one)),
		`{"data":[{"id":"a/b","name":"b","product_count":1}],"meta":{"total":3,"limit":1,"offset":1}}`)
	wants(t, w.call("admin", "GET", path+"?offset=9", "", w.in(w.one)), `{"data":[],"meta":{"total":3,"limit":20,"offset":9}}`)
	for _, query := range []string{"limit=0", "limit=101", "limit=x", "offset=-1"} {
		field, _, _ := strings.Cut(query, "=")
		wants(t, w.call("admin", "GET", path+"?"+query, "", w.in(w.one)), "Bad Request", "invalid_request", `"field":"`+field+`"`)
	}
}

// A batch may have 16 MiB, other bodies less, even that of one product.
func TestRegister_largeBatch(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	body := `{"products":[],"x":"` + strings.Repeat("x", 5<<20) + `"}`
	wants(t, w.call("admin", "POST", "/v1/catalog/products/batch", body, w.in(w.one)), "Unprocessable", "validation_error")
	wants(t, w.call("admin", "POST", "/v1/catalog/products", body, w.in(w.one)), "Too Large", "body_too_large")
	body = `{"products":[],"x":"` + strings.Repeat("x", 16<<20) + `"}`
	wants(t, w.call("admin", "POST", "/v1/catalog/products/batch", body, w.in(w.one)), "Too Large", "body_too_large")
}
