package console

import (
	"encoding/json"
	"net/url"
	"reflect"
	"testing"

	"github.com/haggle-commerce/haggle/domain/money"
)

func TestProductPatch(t *testing.T) {
	t.Parallel()
	shown := url.Values{
		"was.name": {"Tent"}, "name": {"Tent"}, "was.price": {"100.00"}, "price": {"100.00"}, "was.cost": {"60.00"}, "cost": {"60.00"},
		"was.negotiable": {"on"}, "negotiable": {"on"}, "was.digital": {"off"},
		"was.status": {"active"}, "status": {"active"},
	}
	for _, c := range []struct {
		what   string
		sent   url.Values
		simple bool
		want   map[string]any
	}{
		{"nothing was touched", url.Values{}, true, map[string]any{}},
		{"an amount", url.Values{"price": {" $110.5 "}}, true, map[string]any{"price": json.Number("110.5")}},
		{"no amount", url.Values{"price": {"12,50"}}, true, map[string]any{"price": "12,50"}},
		{"no price", url.Values{"price": {""}}, true, map[string]any{"price": ""}},
		{"no cost any more", url.Values{"cost": {""}}, true, map[string]any{"cost": nil}},
		{"not for haggling", url.Values{"negotiable": nil}, true, map[string]any{"negotiable": false}},
		{"digital", url.Values{"digital": {"on"}}, true, map[string]any{"requires_shipping": false}},
		{"digital, of one with variants", url.Values{"digital": {"on"}}, false, map[string]any{}},
		{"archived", url.Values{"status": {"archived"}}, true, map[string]any{"status": "archived"}},
	} {
		form := url.Values{}
		for _, values := range []url.Values{shown, c.sent} {
			for name, value := range values {
				form[name] = value
			}
		}
		if got := productPatch(form, c.simple); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %v, not %v", c.what, got, c.want)
		}
	}
}

func TestParsePercent(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]money.Percent{"5": 50, " 12.5% ": 125, "0.1": 1, "1000": 10_000, "0": 0, "12.55": 0, "-5": 0, "1000.1": 0, "": 0, "x": 0} {
		if got, err := parsePercent(text); (err == nil) != (want > 0) || err == nil && got != want {
			t.Errorf("%q: %v, %v", text, got, err)
		}
	}
}

// A refused form keeps what was sent, and the values that it showed at first.
func TestResend(t *testing.T) {
	t.Parallel()
	sent := url.Values{"price": {"12,50"}, "status": {"archived"}, "was.price": {"10.00"}}
	fields := []field{
		{Name: "price", Kind: "number", Value: "11.00"},
		{Name: "negotiable", Kind: "check", On: true},
		{Name: "status", Kind: "select", Options: []option{{Value: "active", Chosen: true}, {Value: "archived"}}},
	}
	hidden := []fact{{Label: "was.price", Value: "11.00"}, {Label: "was.cost", Value: "7.00"}}
	resend(sent, fields, hidden)
	if fields[0].Value != "12,50" || fields[1].On || fields[2].Options[0].Chosen || !fields[2].Options[1].Chosen {
		t.Errorf("fields %+v", fields)
	}
	if hidden[0].Value != "10.00" || hidden[1].Value != "7.00" {
		t.Errorf("hidden %+v", hidden)
	}
}
