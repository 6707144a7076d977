package console

import (
	"encoding/json"
	"net/http"
	"net/http/httptest"
	"testing"
)

func TestMovement_held(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct{ text, by, change string }{
		"taken in":     {`{"currency": "USD", "amount": 63.11, "entries": [{"account": "funds:sandbox", "amount": 63.11}, {"account": "sales", "amount": -63.11}]}`, "Sandbox", "63.11"},
		"given back":   {`{"currency": "USD", "amount": 20.00, "entries": [{"account": "refunds", "amount": 20.00}, {"account": "funds:stripe", "amount": -20.00}]}`, "Stripe", "-20.00"},
		"two entries":  {`{"currency": "USD", "amount": 3.00, "entries": [{"account": "funds:x", "amount": -1.00}, {"account": "funds:x", "amount": -2.00}]}`, "x", "-3.00"},
		"without fund": {`{"currency": "USD", "amount": 5.00, "entries": [{"account": "fees", "amount": 5.00}]}`, "–", "5.00"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var m movement
			if err := json.Unmarshal([]byte(test.text), &m); err != nil {
				t.Fatal(err)
			}
			if by, change := m.held(); by != test.by || change.String() != test.change {
				t.Errorf("%s by %s, want %s by %s", change, by, test.change, test.by)
			}
		})
	}
}

func TestStreamed(t *testing.T) {
	t.Parallel()
	client := httptest.NewRecorder()
	answer := &streamed{to: client, recorded: recorded{header: http.Header{}}}
	answer.Header().Set("Content-Type", "text/csv")
	answer.Header().Set("X-Of-The-Api", "kept back")
	if _, err := answer.Write([]byte("a,b\r\n")); err != nil {
		t.Fatal(err)
	}
	if client.Body.String() != "a,b\r\n" || answer.body.Len() > 0 {
		t.Errorf("%q went on, %q waits", client.Body, &answer.body)
	}
	if h := client.Header(); h.Get("Content-Type") != "text/csv" || h.Get("X-Of-The-Api") != "" {
		t.Errorf("headers are %v", h)
	}
}

func TestStreamed_refused(t *testing.T) {
	t.Parallel()
	client := httptest.NewRecorder()
	answer := &streamed{to: client, recorded: recorded{header: http.Header{}}}
	answer.WriteHeader(http.StatusForbidden)
	_, _ = answer.Write([]byte(`{"error": {"code": "forbidden", "message": "No."}}`))
	if client.Body.Len() > 0 {
		t.Errorf("%q went on", client.Body)
	}
	if err := answer.read("GET", "/v1/x", nil); err == nil || err.Error() != "forbidden: No." {
		t.Errorf("it is %v", err)
	}
}

func TestGoodsReturn_words(t *testing.T) {
	t.Parallel()
	lines := []orderLine{{ProductID: "p1", VariantID: "v1", Name: "Tent"}, {ProductID: "p1", VariantID: "v2", Name: "Blue tent"}}
	r := &goodsReturn{Items: []backItem{
		{ProductID: "p1", VariantID: "v2", Quantity: 2, Reason: "wrong_size"},
		{ProductID: "p1", Quantity: 1, Reason: "wrong_size"},
		{ProductID: "gone", Quantity: 1},
	}}
	if got, want := r.what(lines), "2 × Blue tent, Tent, gone"; got != want {
		t.Errorf("what is %q, want %q", got, want)
	}
	if got, want := r.why(), "wrong size"; got != want {
		t.Errorf("why is %q, want %q", got, want)
	}
	if r.pieces() != 4 {
		t.Errorf("%d pieces", r.pieces())
	}
	if got := times("12.50", 3, "USD"); got != "37.50" {
		t.Errorf("three times 12.50 is %s", got)
	}
}
