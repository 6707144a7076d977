package acp

import (
	"reflect"
	"slices"
	"strings"
	"unicode"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

// Bounds of what an answer says about unknown fields.
const (
	mostUnknown    = 10
	longestUnknown = 64 // characters of a name
)

var (
	searchFields = fieldsOf(reflect.TypeFor[searchRequest]())
	filterFields = fieldsOf(reflect.TypeFor[searchFilters]())
	quoteFields  = fieldsOf(reflect.TypeFor[quoteRequest]())
	initFields   = fieldsOf(reflect.TypeFor[initRequest]())
	reviseFields = fieldsOf(reflect.TypeFor[reviseRequest]())
	putFields    = fieldsOf(reflect.TypeFor[putCartRequest]())
)

// These maps have the names that other APIs use for our fields.
var (
	inPurchases = map[string]string{
		"shipping": "shipping_option", "shipping_method": "shipping_option", "shipping_option_id": "shipping_option", "delivery": "shipping_option",
		"address": "shipping_address", "email": "buyer", "buyer_email": "buyer", "customer": "buyer", "webhook": "order_webhook", "webhook_url": "order_webhook",
		"token": "checkout_token", "tokens": "checkout_token", "quote": "quote_id", "offer": "offer_price", "price": "offer_price", "amount": "offer_price",
		"product": "product_id", "variant": "variant_id", "count": "quantity", "qty": "quantity", "context": "buyer_context", "bundle": "add_bundle",
		"lines": "items", "line_items": "items", "products": "items", "session": "session_id", "partial": "allow_incomplete", "cart": "from_cart",
	}
	inSearches = map[string]string{
		"q": "query", "text": "query", "search": "query", "keyword": "query", "keywords": "query", "term": "query",
		"order": "sort", "order_by": "sort", "sort_by": "sort", "sorting": "sort",
		"offset": "cursor", "page": "cursor", "after": "cursor", "page_token": "cursor",
		"page_size": "limit", "per_page": "limit", "count": "limit", "max_results": "limit", "top_k": "limit",
		"filter": "filters", "context": "buyer_context", "session": "session_id",
		"max": "price_max", "price": "price_max", "budget": "price_max", "min": "price_min",
		"color": "color_preference", "colour": "color_preference", "colors": "color_preference", "colours": "color_preference",
		"available": "in_stock", "availability": "in_stock", "stock": "in_stock", "in_stock_only": "in_stock",
		"rating": "rating_min", "stars": "rating_min", "vendor": "brand", "manufacturer": "brand",
		"attribute": "attributes", "sizes": "size", "categories": "category",
	}
)

// fieldsOf returns the known field names of a request's object, sorted.
func fieldsOf(t reflect.Type) (names []string) {
	for field := range t.Fields() {
		if name, _, _ := strings.Cut(field.Tag.Get("json"), ","); name != "" {
			names = append(names, name)
		}
	}
	return names
}

// warnings returns warnings about unknown fields of a search.
func (r *searchRequest) warnings() []warning {
	all := unknown(r.Unknown, "", "unknown_field", "field of a search", searchFields, inSearches)
	if r.Filters != nil {
		all = append(all, unknown(r.Filters.Unknown, "filters.", "unknown_filter", "filter", filterFields, inSearches)...)
	}
	return all[:min(len(all), mostUnknown)]
}

// strangers returns warnings about unknown fields of a purchase's request.
func strangers(fields wire.Unknown, known []string) []warning {
	return unknown(fields, "", "unknown_field", "field of this request", known, inPurchases)
}

func unknown(fields wire.Unknown, path, code, thing string, known []string, spellings map[string]string) (all []warning) {
	for _, name := range sorted(fields)[:min(len(fields), mostUnknown)] {
		shown := cut(name)
		message := shown + " is not a " + thing + "; "
		if meant := meantBy(name, path, known, spellings); meant != "" {
			message += "did you mean " + meant + "? "
		}
		message += "It was ignored. Known: " + strings.Join(known, ", ") + "."
		all = append(all, warning{
			Code:    code,
			Field:   path + shown,
			Message: message,
		})
	}
	return all
}

// meantBy returns the known field that is most like an unknown name, with its path if it is in another object, or "".
func meantBy(name, path string, known []string, spellings map[string]string) string {
	likeness := strings.ToLower(strings.ReplaceAll(name, "-", "_"))
	if spelt, ok := spellings[likeness]; ok {
		likeness = spelt
	}
	like := func(one string) bool { return sameWords(likeness, one) }
	if at := slices.IndexFunc(known, like); at >= 0 {
		return known[at]
	}
	if path == "" && !slices.Equal(known, searchFields) {
		return ""
	}
	elsewhere, other := searchFields, ""
	if path == "" {
		elsewhere, other = filterFields, "filters."
	}
	if at := slices.IndexFunc(elsewhere, like); at >= 0 {
		if other == "" {
			return elsewhere[at] + " beside filters"
		}
		return other + elsewhere[at]
	}
	return ""
}

// sameWords reports whether two names have the same words in any order, ignoring a plural s: max_prices is price_max.
func sameWords(a, b string) bool {
	words := func(name string) []string {
		all := strings.FieldsFunc(name, func(r rune) bool { return r == '_' })
		for i := range all {
			all[i] = strings.TrimSuffix(all[i], "s")
		}
		slices.Sort(all)
		return all
	}
	return slices.Equal(words(a), words(b))
}

// cut shortens a text of a request for a message: one line, without characters that a page or a terminal may interpret.
func cut(text string) string {
	runes := []rune(text)
	shown := string(runes[:min(len(runes), longestUnknown)])
	return strings.Map(func(r rune) rune {
		if unicode.IsPrint(r) && !strings.ContainsRune("<>&\"'`\\", r) {
			return r
		}
		return '?'
	}, shown)
}
