package console

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/console/pricepath"
)

// memberRequestTo returns a request for an address. answer takes the place of the API.
func memberRequestTo(address string, answer func(asked *url.URL) (status int, body string)) (*memberRequest, *[]string) {
	asked := &[]string{}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		*asked = append(*asked, r.URL.String())
		status, body := answer(r.URL)
		w.WriteHeader(status)
		_, _ = fmt.Fprint(w, body)
	})
	r := httptest.NewRequest(http.MethodGet, address, http.NoBody)
	now := time.Date(2026, time.November, 22, 12, 0, 0, 0, time.UTC)
	return &memberRequest{
		r:    r,
		api:  &api{handler: handler, page: r},
		shop: &shop{Slug: "demo", words: newWords("en-US", "USD", time.UTC, now)},
	}, asked
}

// The price paths of all orders on a page are fetched in one request, and only if a price was negotiated.
func TestOrders_pricePath(t *testing.T) {
	item := func(neg, product, floor string) string {
		return `{"id": "` + neg + `", "product_id": "` + product + `", "variant_id": "v", "product_name": "Trail Tent", "quantity": 1, "state": "deal",
			"step_count": 2, "list_price": 100.00, "currency": "USD", "deal_price": 95.00, "offers": [90.00, 95.00], "prices": [98.00, 95.00]` + floor + `}`
	}
	answers := `{"data": [` + item("neg_1", "p1", `, "floor": 80.00`) + `, ` + item("neg_2", "p2", "") + `, ` + item("neg_3", "other", "") + `], "meta": {"next": null}}`
	v, asked := memberRequestTo("/", func(*url.URL) (int, string) { return http.StatusOK, answers })
	placed := func(neg, product string, savings json.Number) order {
		return order{
			ID:          "ord_" + product,
			Negotiation: neg,
			Savings:     savings,
			Currency:    "USD",
			Lines:       []orderLine{{ProductID: product, VariantID: "v", Quantity: 1, Original: "100.00"}},
		}
	}
	orders := []order{
		placed("neg_2", "p2", "5.00"),
		placed("neg_1", "p1", "5.00"),
		placed("neg_1", "p1", "5.00"),
		placed("neg_3", "p3", "5.00"),
		placed("neg_4", "p4", "0.00"),
	}
	items, err := v.haggled(orders)
	if err != nil || !slices.Equal(*asked, []string{"/v1/negotiations?ids=neg_1%2Cneg_2%2Cneg_3&limit=100"}) {
		t.Fatalf("%v, asked %q", err, *asked)
	}
	rows := make([]orderRow, len(orders))
	for i := range orders {
		rows[i] = v.orderRow(&orders[i], items)
	}
	for i, want := range []string{"/console/demo/negotiations/neg_2", "/console/demo/negotiations/neg_1", "/console/demo/negotiations/neg_1", "", ""} {
		if rows[i].Negotiation != want || (rows[i].Spark == "") != (want == "") {
			t.Errorf("row %d: %q, %q", i, rows[i].Negotiation, rows[i].Spark)
		}
	}
	if strings.Contains(string(rows[0].Spark), "pp-ground") || !strings.Contains(string(rows[1].Spark), "pp-ground") {
		t.Error("a floor is shown without one, or left out")
	}
	if _, err := v.haggled(orders[4:]); err != nil || len(*asked) != 1 {
		t.Errorf("%v, asked %q", err, *asked)
	}
}

func TestFetchPage(t *testing.T) {
	page := func(rows, next, previous, total, precision string) string {
		return `{"data": [` + rows + `], "meta": {"total": ` + total + `, "total_precision": "` + precision + `", "next": ` + next + `, "previous": ` + previous + `}}`
	}
	first := page(`"a"`, `"a"`, "null", "10000", "at_least")
	answer := func(asked *url.URL) (int, string) {
		q := asked.Query()
		switch {
		case q.Get("after") == "x" || q.Get("before") == "x":
			return http.StatusUnprocessableEntity, `{"error": {"code": "validation_error"}}`
		case q.Get("after") == "a":
			return http.StatusOK, page(`"b"`, `"b"`, `"b"`, "2", "at_least")
		case q.Get("after") == "last":
			return http.StatusOK, page("", "null", "null", "0", "at_least")
		case q.Get("before") == "c":
			return http.StatusOK, page(`"b"`, `"b"`, `"b"`, "2", "at_least")
		case q.Get("before") == "b":
			return http.StatusOK, page(`"a"`, `"a"`, "null", "1", "at_least")
		case q.Get("total_limit") != "10000":
			return http.StatusInternalServerError, ""
		}
		return http.StatusOK, first
	}
	for address, c := range map[string]struct {
		row, newer, older, total string
		unknown                  []string
	}{
		"/":                     {"a", "", "after a", "More than 10,000 things", nil},
		"/?after=a":             {"b", "newer_than b", "after b", "Older things", nil},
		"/?after=last":          {"a", "", "after a", "More than 10,000 things", nil},
		"/?newer_than=c":        {"b", "newer_than b", "after b", "Older things", nil},
		"/?newer_than=b":        {"a", "", "after a", "More than 10,000 things", nil},
		"/?after=x":             {"a", "", "after a", "More than 10,000 things", []string{"after=x"}},
		"/?newer_than=x":        {"a", "", "after a", "More than 10,000 things", []string{"newer_than=x"}},
		"/?before=c":            {"a", "", "after a", "More than 10,000 things", nil}, // another thing in addresses of returns
		"/?after=x&status=open": {"a", "", "after a", "More than 10,000 things", []string{"after=x"}},
	} {
		v, _ := memberRequestTo(address, answer)
		p, unknown, err := fetchPage[string](v, "/v1/things", url.Values{"status": {""}})
		if err != nil {
			t.Errorf("%s: %v", address, err)
			continue
		}
		newer, older := p.neighbors(func(name, place string) string { return name + " " + place })
		if p.Data[0] != c.row || newer != c.newer || older != c.older || p.total("thing", "things") != c.total || !slices.Equal(unknown, c.unknown) {
			t.Errorf("%s: %v, newer %q, older %q, %q, unknown %q", address, p.Data, newer, older, p.total("thing", "things"), unknown)
		}
	}
}

func TestMemberRequest_pathOptions(t *testing.T) {
	v, _ := memberRequestTo("/", nil)
	floor := pricepath.Number("80.00")
	for name, c := range map[string]struct {
		item   threadItem
		limits bool
		paid   pricepath.Number
	}{
		"an open item":             {threadItem{Currency: "USD"}, false, ""},
		"a visible floor":          {threadItem{Currency: "USD", Floor: &floor}, true, ""},
		"a deal without its floor": {threadItem{Currency: "USD", DealPrice: "95.00"}, false, "95.00"},
	} {
		o := v.pathOptions(&c.item, "price1")
		if o.Limits != c.limits || (o.End.Price != nil) != (c.paid != "") || o.End.Price != nil && *o.End.Price != c.paid {
			t.Errorf("%s: limits %t, end %+v", name, o.Limits, o.End)
		}
	}
}

func TestNegative(t *testing.T) {
	t.Parallel()
	for n, want := range map[json.Number]json.Number{"12.50": "-12.50", "-12.50": "12.50", "0.05": "-0.05", "0.00": "0.00", "0": "0", "": ""} {
		if got := negative(n); got != want {
			t.Errorf("%q: %q, want %q", n, got, want)
		}
	}
}

func TestPersonalized_words(t *testing.T) {
	t.Parallel()
	for want, p := range map[string]*personalized{
		"":                         nil,
		"Moved by claimed loyalty": {Used: []string{"claimed_loyalty"}},
		"Moved by claimed loyalty, probing limit, shown with: A text.": {[]string{"claimed_loyalty", "probing_limit"}, "A text."},
	} {
		if got := p.words(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
