package feed_test

import (
	"reflect"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
)

func usd(minor int64) money.Amount { return money.Of(minor, money.USD) }

func TestNDJSON_product(t *testing.T) {
	t.Parallel()
	got := only(t, "a.ndjson", strings.ReplaceAll(`{"sku":"A","name":"Tent","price":249.90,"category":"outdoor/tents","brand":"Larkfell",
		"description":"Dry.","attributes":{"season":"3"},"tags":["a","b"],"images":[{"url":"/a.svg","alt":"Tent"}],
		"variants":[{"sku":"A-1","size":"M","color":"Red","price":250,"quantity":3},{"sku":"A-2"}],"negotiable":false,
		"cost":1e2,"competitor_price":240.00,"reviews":{"average_rating":4.55,"count":12,"summary":"Good."},
		"related":["B"],"status":"archived"}`, "\n", " "))
	price, quantity := usd(25_000), 3
	want := catalog.Draft{
		SKU:         patch.To("A"),
		Name:        patch.To("Tent"),
		Price:       patch.To(usd(24_990)),
		Category:    patch.To("outdoor/tents"),
		Brand:       patch.To("Larkfell"),
		Description: patch.To("Dry."),
		Attributes:  patch.To(map[string]string{"season": "3"}),
		Tags:        patch.To([]string{"a", "b"}),
		Images:      patch.To([]catalog.Image{{URL: "/a.svg", Alt: "Tent"}}),
		Variants: patch.To([]catalog.VariantDraft{
			{SKU: "A-1", Size: "M", Color: "Red", Price: &price, Quantity: &quantity}, {SKU: "A-2"},
		}),
		Negotiable:      patch.To(false),
		Cost:            patch.To(usd(10_000)),
		CompetitorPrice: patch.To(usd(24_000)),
		Reviews: patch.To(catalog.Reviews{
			Average: 455,
			Count:   12,
			Summary: "Good.",
		}),
		Related: patch.To([]string{"B"}),
		Status:  patch.To("archived"),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestNDJSON_nullOrLeftOut(t *testing.T) {
	t.Parallel()
	got := only(t, "a.ndjson", `{"sku":"A","cost":null,"tags":null,"quantity":0}`)
	want := catalog.Draft{
		SKU:      patch.To("A"),
		Cost:     patch.Null[money.Amount](),
		Tags:     patch.Null[[]string](),
		Quantity: patch.To(0),
	}
	if !reflect.DeepEqual(got, want) {
		t.Errorf("got  %+v\nwant %+v", got, want)
	}
}

func TestNDJSON_badLines(t *testing.T) {
	t.Parallel()
	const at = "line 2 (sku A): "
	for _, c := range []struct{ line, want string }{
		{`{"sku":"A","price":1e400}`, at + `price "1e400" is too large`},
		{`{"sku":"A","price":1.005}`, at + `price "1.005" has more decimals than the currency`},
		{`{"sku":"A","cost":"5"}`, at + `cost "5" must be a number`},
		{`{"sku":"A","quantity":-1}`, at + `quantity "-1" must be between 0 and 1,000,000,000`},
		{`{"sku":"A","quantity":1.5}`, at + `quantity "1.5" is not a whole number`},
		{`{"sku":"A","variants":[{"sku":"A-1"},{"sku":"A-2","price":0.001}]}`,
			at + `variants.1.price "0.001" has more decimals than the currency`},
		{`{"sku":"A","reviews":{"average_rating":4.555}}`, at + `reviews.average_rating "4.555" must have at most two decimals`},
		{`{"sku":"A","reviews":{"count":1.5}}`, at + `reviews.count "1.5" is not a whole number`},
		{`{"name":"A"}`, "line 2: sku is required"},
		{`{"sku":""}`, "line 2: sku is required"},
		{`{"sku":"A","SKU":"B"}`, at + `SKU "B" is unknown; did you mean sku?`},
		{`{"sku":"A","weight":1}`, at + `weight "1" is unknown`},
		{`{"sku":"A","price":1,"price":2}`, at + `price "2" is given twice`},
		{`{"sku":"A","attributes":{"a":"1","a":"2"}}`, at + `attributes.a "2" is given twice`},
		{`{"sku":"A","images":[{"url":"/a","src":"/b"}]}`, at + `images.0.src "/b" is unknown`},
		{`{"sku":7}`, `line 2 (sku 7): sku "7" must be a string`},
		{`{"sku":"A","negotiable":"yes"}`, at + `negotiable "yes" must be true or false`},
		{`{"sku":"A","tags":"a"}`, at + `tags "a" must be a list`},
		{`{"sku":"A","attributes":[1]}`, at + `attributes "[1]" must be an object`},
		{`{"sku":"A","attributes":{"weight":3}}`, at + `attributes.weight "3" must be a string`},
		{`["A"]`, "line 2 is not a JSON object"},
		{`{"sku":"A"} {"sku":"B"}`, "line 2 (sku A) is not JSON: invalid character '{' after top-level value at byte 13"},
		{`{"sku":"A",`, "line 2 (sku A) is not JSON: unexpected EOF at byte 12"},
		{"{\"sku\":\"\xff\"}", "line 2 is not UTF-8: save the file as UTF-8"},
		{`{"sku":"` + strings.Repeat("x", 1<<20) + `"}`, "line 2 is longer than 1 MiB"},
	} {
		got := summarize(t, "a.ndjson", `{"sku":"first"}`+"\n"+c.line+"\n"+`{"sku":"last"}`+"\n")
		equal(t, got, []string{"1 first", c.want, "3 last"})
	}
}

func TestNDJSON_blankLines(t *testing.T) {
	t.Parallel()
	got := summarize(t, "a.ndjson", "\n{\"sku\":\"A\"}\r\n \t\r\n\n{\"sku\":\"B\"}")
	equal(t, got, []string{"2 A", "5 B"})
}

func TestNDJSON_cutOffLastLine(t *testing.T) {
	t.Parallel()
	got := summarize(t, "a.ndjson", "{\"sku\":\"A\"}\n{\"sku\":\"B\",\"na")
	equal(t, got, []string{"1 A", "line 2 (sku B) is not JSON: unexpected EOF at byte 15"})
}

func TestNDJSON_allProblemsOfALine(t *testing.T) {
	t.Parallel()
	got := summarize(t, "a.ndjson", `{"sku":"A","price":0.001,"cost":1e400,"quantity":-1}`+"\n")
	equal(t, got, []string{
		`line 1 (sku A): price "0.001" has more decimals than the currency`,
		`line 1 (sku A): cost "1e400" is too large`,
		`line 1 (sku A): quantity "-1" must be between 0 and 1,000,000,000`,
	})
}
