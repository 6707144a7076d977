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

// sendsUnder sends a buyer's request with a header.
func (w *world) sendsUnder(header http.Header, method, path, body string) error {
	return w.attempt(func() error {
		b, err := w.someone()
		if err != nil {
			return err
		}
		return b.send(w, method, path, body, header)
	})
}

func (w *world) buyerSendsAs(header, value string) error {
	return w.sendsUnder(http.Header{header: {value}}, "POST", "/acp/search", `{"query": "tent"}`)
}

func (w *world) searchesForOddText(text string) error {
	query, err := json.Marshal(map[string]string{"query": text})
	if err != nil {
		return err
	}
	return w.sendsUnder(nil, "POST", "/acp/search", string(query))
}

func (w *world) merchantSendsMuchUnder(key, path string) error {
	return w.attempt(func() error { return w.send("POST", path, twoMiB("name"), http.Header{idempotencyHeader: {key}}) })
}

// merchantSendsKeyAs sends what would be refused for its values if it were read.
func (w *world) merchantSendsKeyAs(header, value string) error {
	return w.attempt(func() error { return w.send("POST", keysPath, `{"name": ""}`, http.Header{header: {value}}) })
}

const requestIDHeader = "X-Request-Id"

func (w *world) asksUnder(id string) error {
	w.remembered = map[string]string{"request": id}
	return w.sendsUnder(http.Header{requestIDHeader: {id}}, "GET", "/acp/products/"+w.product.ID, "")
}

func (w *world) asksUnderOdd(kind string) error {
	odd := map[string]string{"no": "", "unprintable": "caf\u00e9", "129": strings.Repeat("a", 129)}
	return w.asksUnder(odd[kind])
}

func (w *world) asksForMissingUnder(id string) error {
	return w.sendsUnder(http.Header{requestIDHeader: {id}}, "GET", "/acp/products/prod_unknown", "")
}

func (w *world) namesRequest(same bool) error {
	got := w.tape.last().header.Get(requestIDHeader)
	if got == "" || (got == w.remembered["request"]) != same {
		return fmt.Errorf("it names %q", got)
	}
	return nil
}

func (w *world) showsRequestID(where, want string) error {
	answer := w.tape.last()
	if got := answer.header.Get(requestIDHeader); got != want {
		return fmt.Errorf("the header is %q", got)
	}
	return judge(answer.value(), where, `"`+want+`"`)
}

func (w *world) inWordsOf(who string) error {
	fields := []string{"status", "error", "message", "request_id"}
	if who == "merchants" {
		fields = []string{"error.code", "error.message", "error.details", "error.request_id"}
	}
	var wrong error
	for _, field := range fields {
		wrong = errors.Join(wrong, judge(w.tape.last().value(), field, "present"))
	}
	return wrong
}

func (w *world) tellsMethods(want string) error {
	if got := w.tape.last().header.Get("Allow"); got != want {
		return fmt.Errorf("they are %q", got)
	}
	return nil
}

// goesThroughEverything meets every endpoint of the shop, and some of their refusals.
func (w *world) goesThroughEverything() error {
	return w.must(func(b *shopper) {
		b.Claims = &acp.BuyerContext{LoyaltyTier: "gold", PurchaseHistory: 5}
		b.Discover().Search("tent").ViewResult(0).CheckAvailability(home).AskPrice()
		b.OfferShare(percent(50)).OfferShare(percent(80)).AcceptCounter().ReadSession().Extend(5)
		b.InitCheckout(home).Pay(acp.PSPToken, "spt_sandbox_decline_do_not_honor").Pay(acp.PSPToken, goodToken)
		b.ReadOrder().SendBack(1, "Too large")
	})
}

var insides = regexp.MustCompile(`(?i)\b(sql|sqlite|postgres|pq|panic|goroutine|stack|huma|runtime|constraint)\b|\.go\b`)

func (w *world) tellsNothingInside() error {
	w.refusal = nil // whatever it is
	if found := insides.FindString(string(w.tape.last().body)); found != "" || w.tape.last().status >= 500 {
		return fmt.Errorf("%d, it tells of %q", w.tape.last().status, found)
	}
	return nil
}
