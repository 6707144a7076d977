package acp_test

import (
	"net/http/httptest"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
)

func TestManifest(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.shop.Settings.MaxDiscount = 125
	a := s.ok("GET", "/.well-known/acp/manifest.json", "")
	a.expect(t, map[string]string{
		"acp_version":           `"1.0"`,
		"merchant.name":         `"Rainy \u003cb\u003eDays\u003c/b\u003e"`,
		"merchant.capabilities": `["recommend","negotiate","bundle"]`,
		"endpoints": `{"checkout":"/acp/checkout/init","finalize":"/acp/checkout/finalize","orders":"/acp/orders/{id}",` +
			`"product":"/acp/products/{id}","quote":"/acp/quote","returns":"/acp/returns","search":"/acp/search"}`,
		"payment_methods":      `[{"currencies":["USD"],"type":"psp_spt"},{"currencies":["USD"],"type":"wallet_ba"}]`,
		"supported_currencies": `["USD"]`, "shipping_regions": `["US"]`,
		"policies":   `{"free_shipping_threshold":100.00,"max_discount_percent":12.5,"negotiation_enabled":true,"return_window_days":30}`,
		"categories": `[{"id":"outdoor","name":"Outdoor","product_count":2},{"id":"outdoor/rain-jackets","name":"Rain jackets","product_count":1}]`,
	})
	if got := a.header.Get("Cache-Control"); got != "public, max-age=60" {
		t.Errorf("Cache-Control: %s", got)
	}

	known := func(tag string) answer {
		request := httptest.NewRequest("GET", "/p/demo/.well-known/acp/manifest.json", nil)
		request.Header.Set("If-None-Match", tag)
		return s.send(request)
	}
	tag := a.header.Get("ETag")
	if again := known(`"other", W/` + tag); again.status != 304 || again.text != "" || again.header.Get("ETag") != tag {
		t.Errorf("unchanged: %d %q %v", again.status, again.text, again.header)
	}
	s.shop.Storefront.FreeShippingThreshold = nil
	changed := known(tag)
	if changed.status != 200 || changed.header.Get("ETag") == tag {
		t.Errorf("changed: %d %v", changed.status, changed.header)
	}
	changed.expect(t, map[string]string{"policies.free_shipping_threshold": "null"})
}

func TestSearch(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	a := s.ok("POST", "/acp/search", `{"query":"rain","filters":{"category":"outdoor","price_max":150.5,"size":"M","color_preference":["green"]}}`)
	a.expect(t, map[string]string{
		"results.0.product_id": `"` + jacket.String() + `"`, "results.0.list_price": "100.00", "results.0.negotiable": "true",
		"results.0.semantic_match":   `{"reasons":["name: rain"],"score":0.87}`,
		"results.0.images":           `[{"alt":"A jacket","url":"https://shops.example.com/images/j.jpg"},{"alt":"Its back","url":"https://cdn.example.com/j2.jpg"}]`,
		"results.0.availability":     `{"in_stock":true,"quantity":7,"shipping_estimate":"3-5 business days"}`,
		"results.0.variants":         `[{"availability":"in_stock","color":"Green","id":"` + green.String() + `","in_stock":true,"requires_shipping":true,"size":"M"},{"availability":"out_of_stock","color":"Red","id":"` + red.String() + `","in_stock":false,"requires_shipping":true,"size":"L"}]`,
		"results.0.currency":         `"USD"`,
		"results.0.url":              `"https://shops.example.com/p/demo/acp/products/` + jacket.String() + `"`,
		"next_cursor":                "null",
		"warnings":                   "null",
		"no_results":                 "null",
		"total_count":                "3",
		"semantic_confidence":        "0.87",
		"facets":                     `{"brands":[{"count":3,"name":"Nimbus"}],"colors":[{"count":2,"name":"Green"}],"price_ranges":[{"count":3,"max":100.00,"min":0.00}]}`,
		"recommendations.0.type":     `"complementary"`,
		"recommendations.0.price":    "12.95",
		"recommendations.0.name":     `"Mug"`,
		"results.0.brand":            `"Nimbus"`,
		"recommendations.0.currency": "null",
	})
	q := s.asked
	if q.Text != "rain" || q.Limit != 10 || q.Filter.Category() != "outdoor" || q.Filter.Size != "M" ||
		q.Filter.Colors[0] != "green" || *q.Filter.PriceMax != usd(15050) || q.Prefer != nil {
		t.Errorf("asked %+v", q)
	}
	again := s.ok("POST", "/acp/search", `{"query":"","limit":50,"session_id":`+a.at("session_id")+`}`)
	if again.at("session_id") != a.at("session_id") || s.asked.Limit != 50 {
		t.Errorf("session %s, limit %d", again.at("session_id"), s.asked.Limit)
	}
}

// refusal is a request and the error that it is answered with.
type refusal struct{ method, path, body, want string }

func (s *shop) refuses(t *testing.T, requests map[string]refusal) {
	t.Helper()
	for name, c := range requests {
		t.Run(name, func(t *testing.T) {
			if got := s.call(c.method, c.path, c.body).fault(); got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
		})
	}
}

func TestSearch_refused(t *testing.T) {
	t.Parallel()
	openShop(t).refuses(t, map[string]refusal{
		"a long query":         {"POST", "/acp/search", `{"query":"` + strings.Repeat("é", 2001) + `"}`, "422 validation_error query"},
		"a hundred and one":    {"POST", "/acp/search", `{"limit":101}`, "422 validation_error limit"},
		"no results":           {"POST", "/acp/search", `{"limit":0}`, "422 validation_error limit"},
		"half a cent":          {"POST", "/acp/search", `{"filters":{"price_max":9.995}}`, "422 validation_error filters.price_max"},
		"half a cent at least": {"POST", "/acp/search", `{"filters":{"price_min":9.995}}`, "422 validation_error filters.price_min"},
		"prices the wrong way": {"POST", "/acp/search", `{"filters":{"price_min":10,"price_max":9.99}}`, "422 validation_error filters.price_min"},
		"an order of its own":  {"POST", "/acp/search", `{"sort":"cheapest"}`, "422 validation_error sort"},
		"a cursor of nobody":   {"POST", "/acp/search", `{"cursor":"bm90IG9uZQ"}`, "422 validation_error cursor"},
		"a cursor of no form":  {"POST", "/acp/search", `{"cursor":"?"}`, "422 validation_error cursor"},
		"six stars":            {"POST", "/acp/search", `{"filters":{"rating_min":6}}`, "422 validation_error filters.rating_min"},
		"brands of no type":    {"POST", "/acp/search", `{"filters":{"brand":7}}`, "422 validation_error filters.brand"},
		"eleven attributes":    {"POST", "/acp/search", `{"filters":{"attributes":{` + attributes(11) + `}}}`, "422 validation_error filters.attributes"},
		"a colour alone":       {"POST", "/acp/search", `{"filters":{"color_preference":"red"}}`, "422 validation_error filters.color_preference"},
		"a liked colour alone": {"POST", "/acp/search", `{"buyer_context":{"color_preference":"red"}}`, "422 validation_error buyer_context.color_preference"},
		"an unknown visit":     {"POST", "/acp/search", `{"session_id":"sess_1"}`, "404 session_not_found"},
	})
}

func TestProduct_refused(t *testing.T) {
	t.Parallel()
	look := "/acp/products/" + jacket.String()
	openShop(t).refuses(t, map[string]refusal{
		"a colour of no type":    {"GET", look + "?buyer_context=" + url.QueryEscape(`{"color_preference":"red"}`), "", "400 invalid_request buyer_context"},
		"a malformed product":    {"GET", "/acp/products/1", "", "404 product_not_found"},
		"a product's session":    {"GET", look + "?session_id=1", "", "404 session_not_found"},
		"a broken context":       {"GET", look + "?buyer_context=" + url.QueryEscape(`{"loyalty_tier":`), "", "400 invalid_request buyer_context"},
		"a context that is none": {"GET", look + "?buyer_context=null", "", "400 invalid_request buyer_context"},
		"a context in a list":    {"GET", look + "?buyer_context=[]", "", "400 invalid_request buyer_context"},
		"a context said twice":   {"GET", look + "?buyer_context=" + url.QueryEscape(`{"urgency":"a","urgency":"b"}`), "", "400 invalid_request buyer_context"},
		"a context with a tail":  {"GET", look + "?buyer_context=" + url.QueryEscape(`{}{}`), "", "400 invalid_request buyer_context"},
		"a tier of no type":      {"GET", look + "?buyer_context=" + url.QueryEscape(`{"loyalty_tier":1}`), "", "400 invalid_request buyer_context"},
	})
}

func TestAvailability_refused(t *testing.T) {
	t.Parallel()
	openShop(t).refuses(t, map[string]refusal{
		"items of nothing":    {"POST", "/acp/availability", `{"items":[]}`, "422 validation_error items"},
		"an item of nothing":  {"POST", "/acp/availability", `{"items":[{"product_id":"","quantity":0}]}`, "422 validation_error items.0.product_id items.0.quantity"},
		"a malformed item":    {"POST", "/acp/availability", `{"items":[{"product_id":"x","quantity":1}]}`, "404 product_not_found"},
		"a country of a name": {"POST", "/acp/availability", wants(mug.String(), "", 1, "USA"), "422 validation_error shipping_address.country"},
		"a country too far":   {"POST", "/acp/availability", wants(mug.String(), "", 1, "NZ"), "422 validation_error shipping_address.country"},
	})
}

func attributes(n int) string {
	all := make([]string, n)
	for i := range all {
		all[i] = `"a` + strconv.Itoa(i) + `":"b"`
	}
	return strings.Join(all, ",")
}

// A filter for several values also accepts a single value instead of a list.
func TestSearch_filters(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.ok("POST", "/acp/search", `{"sort":"price_desc","filters":{"brand":"Nimbus","price_min":5,"in_stock":true,"rating_min":4.25,`+
		`"attributes":{"material":"nylon","use":["hiking","city"],"fit":[]}}}`)
	want := catalog.Filter{
		Brands:     []string{"Nimbus"},
		PriceMin:   optionalUSD(500),
		InStock:    true,
		RatingMin:  425,
		Attributes: map[string][]string{"material": {"nylon"}, "use": {"hiking", "city"}},
	}
	if !reflect.DeepEqual(s.asked.Filter, want) || s.asked.Sort != catalog.PriceDesc {
		t.Errorf("asked %+v", s.asked)
	}
	s.ok("POST", "/acp/search", `{"filters":{"brand":["Nimbus","Gale"]}}`)
	if got := s.asked.Filter.Brands; !slices.Equal(got, []string{"Nimbus", "Gale"}) {
		t.Errorf("brands %q", got)
	}
}

// A cursor continues only the search that returned it.
func TestSearch_cursors(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.found.Next = &catalog.Place{Shown: []uint64{7}}
	body := `"query":"rain","sort":"newest","filters":{"price_max":150,"attributes":{"use":["hiking"]}}`
	first := s.ok("POST", "/acp/search", `{`+body+`}`)
	cursor := `,"cursor":` + first.at("next_cursor")
	s.ok("POST", "/acp/search", `{`+body+cursor+`,"limit":3,"buyer_context":{"color_preference":["red"]}}`)
	if after := s.asked.After; after == nil || !slices.Equal(after.Shown, s.found.Next.Shown) {
		t.Errorf("goes on after %+v", after)
	}
	forged := strings.Replace(cursor, `:"`, `:"A`, 1)
	for name, other := range map[string]string{
		"another query":     strings.Replace(body, "rain", "snow", 1) + cursor,
		"another order":     strings.Replace(body, "newest", "rating", 1) + cursor,
		"another price":     strings.Replace(body, "150", "151", 1) + cursor,
		"another attribute": strings.Replace(body, "use", "fit", 1) + cursor,
		"another filter":    strings.Replace(body, `"price_max"`, `"in_stock":true,"price_max"`, 1) + cursor,
		"a forged one":      body + forged,
	} {
		if got := s.call("POST", "/acp/search", `{`+other+`}`).fault(); got != "422 validation_error cursor" {
			t.Errorf("%s: %s", name, got)
		}
	}
}

func TestSearch_warnings(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	a := s.ok("POST", "/acp/search", `{"query":"rain","q":"tent","price_max":9,"filters":{"max_price":100,"sort":"newest","zz<b>\"":1}}`)
	for i, want := range []string{
		"unknown_field price_max price_max is not a field of a search; did you mean filters.price_max? It was ignored.",
		"unknown_field q q is not a field of a search; did you mean query? It was ignored.",
		"unknown_filter filters.max_price max_price is not a filter; did you mean price_max? It was ignored.",
		"unknown_filter filters.sort sort is not a filter; did you mean sort beside filters? It was ignored.",
		"unknown_filter filters.zz?b?? zz?b?? is not a filter; It was ignored.",
	} {
		at := "warnings." + strconv.Itoa(i) + "."
		got := strings.ReplaceAll(a.at(at+"code")+" "+a.at(at+"field")+" "+a.at(at+"message"), `"`, "")
		if !strings.HasPrefix(strings.ReplaceAll(got, `\u003c`, "<"), want) {
			t.Errorf("%s, want %s", got, want)
		}
	}
	if !strings.Contains(a.text, "Known: category, brand, price_min, price_max, size, color_preference, in_stock, attributes, rating_min.") {
		t.Error(a.text)
	}
	many := s.ok("POST", "/acp/search", `{`+attributes(50)+`,"`+strings.Repeat("é", 100)+`":1}`)
	if n := strings.Count(many.text, `"unknown_field"`); n != 10 {
		t.Errorf("%d warnings", n)
	}
	long := s.ok("POST", "/acp/search", `{"`+strings.Repeat("é", 100)+`":1}`)
	if got := long.at("warnings.0.field"); got != `"`+strings.Repeat("é", 64)+`"` {
		t.Errorf("named %s", got)
	}
}

func TestSearch_noResults(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.found.Nothing = &catalog.NoResults{
		Matched:   12,
		RemovedBy: []catalog.Removal{{Filter: "price_max", Removed: 9, Without: 3}, {Filter: "size", Removed: 4}},
	}
	s.ok("POST", "/acp/search", `{"query":"rain","filters":{"price_max":1,"size":"XS"}}`).expect(t, map[string]string{
		"no_results": `{"matched_without_filters":12,"message":"12 products match without filters; price_max removes 9 of them.",` +
			`"removed_by":[{"filter":"price_max","found_without":3,"removed":9},{"filter":"size","found_without":0,"removed":4}]}`,
	})
}

func TestProduct(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	s.products[jacket].CompetitorPrice = optionalUSD(9977) // above a gold member's opening price, so it does not lower the price
	a := s.ok("GET", "/acp/products/"+jacket.String()+"?buyer_context="+url.QueryEscape(`{"loyalty_tier":"gold","shoe_size":9,"location":"a\u0000b"}`), "")
	a.expect(t, map[string]string{
		"product_id": `"` + jacket.String() + `"`, "category": `"outdoor/rain-jackets"`, "list_price": "100.00", "negotiable": "true",
		"attributes": `{"material":"nylon"}`, "reviews": `{"average_rating":4.5,"count":12,"summary":"Dry."}`,
		"variants": `[{"availability":"in_stock","color":"Green","id":"` + green.String() + `","in_stock":true,"price":100.00,"quantity":7,"requires_shipping":true,"size":"M","sku":"J-G"},` +
			`{"availability":"out_of_stock","color":"Red","id":"` + red.String() + `","in_stock":false,"price":110.00,"quantity":0,"requires_shipping":true,"size":"L","sku":"J-R"}]`,
		"images":                    `[{"position":1,"url":"https://shops.example.com/images/j.jpg"},{"position":2,"url":"https://cdn.example.com/j2.jpg"}]`,
		"shipping":                  `{"estimated_delivery":"3-5 business days","free_shipping":true,"free_shipping_threshold":100.00}`,
		"returns":                   `{"allowed":true,"conditions":"Unused and in its original packaging.","window_days":30}`,
		"personalized_price.price":  "95.00",
		"personalized_price.reason": `"Opening price for a gold member. Offers are welcome."`,
	})
	if from, offer := a.at("negotiation_hints.likely_acceptance_range.0"), a.at("negotiation_hints.suggested_offer"); from != offer {
		t.Errorf("suggests %s of %s", offer, a.at("negotiation_hints"))
	}
	for _, secret := range []string{"31.41", "99.77", "floor", "target", "cost", "competitor", "margin"} {
		if strings.Contains(a.text, secret) {
			t.Errorf("%s shows", secret)
		}
	}
	s.shop.Settings.NegotiationEnabled, s.shop.Storefront.ReturnWindowDays, s.shop.Storefront.FreeShippingThreshold = false, 0, nil
	s.ok("GET", "/acp/products/"+jacket.String(), "").expect(t, map[string]string{
		"negotiable": "false", "negotiation_hints": `{"likely_acceptance_range":[100.00,100.00],"suggested_offer":100.00}`,
		"returns.allowed": "false", "shipping.free_shipping": "false", "shipping.free_shipping_threshold": "null",
	})
}

// wants asks for one item.
func wants(product, variant string, quantity int, country string) string {
	text := `{"items":[` + line(product, variant, quantity, "") + `]`
	if country != "" {
		text += `,"shipping_address":{"postal_code":"97205","country":"` + country + `"}`
	}
	return text + `}`
}

func TestAvailability(t *testing.T) {
	t.Parallel()
	s := openShop(t)
	for name, c := range map[string]struct{ body, want, all, free, cost string }{
		"enough":  {wants(jacket.String(), green.String(), 7, "us"), `{"available_quantity":7,"status":"in_stock","warehouse":"Main warehouse"}`, "true", "true", "0.00"},
		"some":    {wants(mug.String(), "", 3, ""), `{"available_quantity":2,"status":"partial","warehouse":"attic"}`, "false", "false", "5.99"},
		"nothing": {wants(jacket.String(), red.String(), 1, "US"), `{"available_quantity":0,"status":"out_of_stock","warehouse":""}`, "false", "true", "0.00"},
	} {
		t.Run(name, func(t *testing.T) {
			a := s.ok("POST", "/acp/availability", c.body)
			got := `{"available_quantity":` + a.at("items.0.available_quantity") + `,"status":` + a.at("items.0.status") +
				`,"warehouse":` + a.at("items.0.warehouse") + `}`
			if got != c.want {
				t.Errorf("%s, want %s", got, c.want)
			}
			a.expect(t, map[string]string{
				"available": c.all, "free_shipping_qualified": c.free, "total_shipping": c.cost,
				"items.0.shipping_estimate": `{"cost":` + c.cost + `,"days":"3-5","method":"standard"}`,
				"shipping_options.2":        `{"cost":29.99,"days":"1","method":"overnight"}`,
			})
		})
	}
}
