package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

func twoMiB(field string) string { return `{"` + field + `": "` + strings.Repeat("a", 2<<20) + `"}` }

func (w *world) searchesNested(depth int) error {
	nest := strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1)
	return w.buyerSends("POST", "/acp/search", `{"query": "tent", "deep": `+nest+`}`)
}

// buyerSendsWithHeader sends a buyer's request with additional headers.
func (w *world) buyerSendsWithHeader(header http.Header, method, path, body string) error {
	return w.attempt(func() error {
		b, err := w.currentBuyer()
		if err != nil {
			return err
		}
		return b.send(w, method, path, body, header)
	})
}

func (w *world) buyerSearchesWithHeader(header, value string) error {
	return w.buyerSendsWithHeader(http.Header{header: {value}}, "POST", "/acp/search", `{"query": "tent"}`)
}

func (w *world) buyerSearchesFor(text string) error {
	query, err := json.Marshal(map[string]string{"query": text})
	if err != nil {
		return err
	}
	return w.buyerSendsWithHeader(nil, "POST", "/acp/search", string(query))
}

func (w *world) merchantSendsLargeWithKey(key, path string) error {
	return w.attempt(func() error { return w.send("POST", path, twoMiB("name"), http.Header{idempotencyHeader: {key}}) })
}

// merchantSendsHeader sends a header with a body that would fail validation if the server read it.
func (w *world) merchantSendsHeader(header, value string) error {
	return w.attempt(func() error { return w.send("POST", keysPath, `{"name": ""}`, http.Header{header: {value}}) })
}

const requestIDHeader = "X-Request-Id"

func (w *world) readsProductWithRequestID(id string) error {
	w.remembered = map[string]string{"request": id}
	return w.buyerSendsWithHeader(http.Header{requestIDHeader: {id}}, "GET", "/acp/products/"+w.product.ID, "")
}

func (w *world) readsProductWithOddRequestID(kind string) error {
	odd := map[string]string{"no": "", "unprintable": "caf\u00e9", "129": strings.Repeat("a", 129)}
	return w.readsProductWithRequestID(odd[kind])
}

func (w *world) readsMissingWithRequestID(id string) error {
	return w.buyerSendsWithHeader(http.Header{requestIDHeader: {id}}, "GET", "/acp/products/prod_unknown", "")
}

func (w *world) echoesRequestID(same bool) error {
	got := w.recorder.last().header.Get(requestIDHeader)
	if got == "" || (got == w.remembered["request"]) != same {
		return fmt.Errorf("it names %q", got)
	}
	return nil
}

func (w *world) showsRequestID(where, want string) error {
	answer := w.recorder.last()
	if got := answer.header.Get(requestIDHeader); got != want {
		return fmt.Errorf("the header is %q", got)
	}
	return checkValue(answer.value(), where, `"`+want+`"`)
}

func (w *world) refusalHasFormOf(who string) error {
	fields := []string{"status", "error", "message", "request_id"}
	if who == "merchants" {
		fields = []string{"error.code", "error.message", "error.details", "error.request_id"}
	}
	var wrong error
	for _, field := range fields {
		wrong = errors.Join(wrong, checkValue(w.recorder.last().value(), field, "present"))
	}
	return wrong
}

func (w *world) allowHeaderIs(want string) error {
	if got := w.recorder.last().header.Get("Allow"); got != want {
		return fmt.Errorf("they are %q", got)
	}
	return nil
}

// callsEveryEndpoint calls every ACP endpoint of the shop, and gets some refusals.
func (w *world) callsEveryEndpoint() error {
	return w.mustAct(func(b *shopper) {
		b.Claims = &acp.BuyerContext{LoyaltyTier: "gold", PurchaseHistory: 5}
		b.Discover().Search("tent").ViewResult(0).CheckAvailability(defaultAddress).AskPrice()
		b.OfferShare(percent(50)).OfferShare(percent(80)).AcceptCounter().ReadSession().Extend(5)
		b.InitCheckout(defaultAddress).Pay(acp.PSPToken, "spt_sandbox_decline_do_not_honor").Pay(acp.PSPToken, goodToken)
		b.ReadOrder().SendBack(1, "Too large")
	})
}

var internalTerms = regexp.MustCompile(`(?i)\b(sql|sqlite|postgres|pq|panic|goroutine|stack|huma|runtime|constraint)\b|\.go\b`)

func (w *world) answerHasNoInternals() error {
	w.refusal = nil // any refusal is expected
	if found := internalTerms.FindString(string(w.recorder.last().body)); found != "" || w.recorder.last().status >= 500 {
		return fmt.Errorf("%d, it tells of %q", w.recorder.last().status, found)
	}
	return nil
}
