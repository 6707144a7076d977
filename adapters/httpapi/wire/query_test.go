package wire_test

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

func TestUnknownQueryParameters(t *testing.T) {
	t.Parallel()
	server := newServer(t)
	r := post(t, server.URL+"/v1/offers?limit=5&Limit=6&sort=price", "application/json", `{"offer_price":1}`)
	r.is(t, 400, "invalid_request", "Limit", "sort")
	for _, d := range r.Details {
		if d.Message != "is not a known parameter: known parameters are limit" {
			t.Errorf("%s %s", d.Field, d.Message)
		}
	}
	if r := post(t, server.URL+"/p/demo/offers?sort=price", "application/json", `{"offer_price":1}`); r.status != 200 {
		t.Errorf("a buyer: %d %s", r.status, r.text)
	}
}

func TestWhen(t *testing.T) {
	t.Parallel()
	berlin, err := time.LoadLocation("Europe/Berlin")
	if err != nil {
		t.Fatal(err)
	}
	for text, want := range map[string]string{
		"2026-03-01":                "2026-02-28T23:00:00Z",
		"2026-07-01":                "2026-06-30T22:00:00Z",
		"2026-03-01T12:00:00Z":      "2026-03-01T12:00:00Z",
		"2026-03-01T12:00:00+02:00": "2026-03-01T10:00:00Z",
		"0002-01-01T00:00:00Z":      "0002-01-01T00:00:00Z",
	} {
		var w wire.When
		if err := w.UnmarshalText([]byte(text)); err != nil || !w.Given() || w.In(berlin).Format(time.RFC3339) != want {
			t.Errorf("%s: %v, %v, want %s", text, w.In(berlin), err, want)
		}
	}
	for _, text := range []string{"", "yesterday", "2026-02-30", "2026-3-1", "2026-03-01T12:00:00", "1", "0001-01-01T00:00:00Z", "0001-01-01", "0000-12-31"} {
		var w wire.When
		if err := w.UnmarshalText([]byte(text)); err == nil {
			t.Errorf("%q is %v", text, w.In(time.UTC))
		}
	}
	if none := (wire.When{}); none.Given() || !none.In(berlin).IsZero() {
		t.Error("nothing is a time")
	}
}
