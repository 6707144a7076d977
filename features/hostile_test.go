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

// hostileContext sends hostile requests.
type hostileContext struct{ *scenario }

func (c *hostileContext) searchesNested(depth int) error {
	nest := strings.Repeat("[", depth-1) + strings.Repeat("]", depth-1)
	return c.buyerSends("POST", "/acp/search", `{"query": "tent", "deep": `+nest+`}`)
}

// buyerSendsWithHeader sends a buyer's request with additional headers.
func (c *hostileContext) buyerSendsWithHeader(header http.Header, method, path, body string) error {
	return c.attempt(func() error {
		b, err := c.currentBuyer()
		if err != nil {
			return err
		}
		return b.send(c.scenario, method, path, body, header)
	})
}

func (c *hostileContext) buyerSearchesWithHeader(header, value string) error {
	return c.buyerSendsWithHeader(http.Header{header: {value}}, "POST", "/acp/search", `{"query": "tent"}`)
}

func (c *hostileContext) buyerSearchesFor(text string) error {
	query, err := json.Marshal(map[string]string{"query": text})
	if err != nil {
		return err
	}
	return c.buyerSendsWithHeader(nil, "POST", "/acp/search", string(query))
}

func (c *hostileContext) merchantSendsLargeWithKey(key, path string) error {
	return c.attempt(func() error { return c.send("POST", path, twoMiB("name"), http.Header{idempotencyHeader: {key}}) })
}

// merchantSendsHeader sends a header with a body that would fail validation if the server read it.
func (c *hostileContext) merchantSendsHeader(header, value string) error {
	return c.attempt(func() error { return c.send("POST", keysPath, `{"name": ""}`, http.Header{header: {value}}) })
}

const requestIDHeader = "X-Request-Id"

func (c *hostileContext) readsProductWithRequestID(id string) error {
	c.remembered = map[string]string{"request": id}
	return c.buyerSendsWithHeader(http.Header{requestIDHeader: {id}}, "GET", "/acp/products/"+c.product.ID, "")
}

func (c *hostileContext) readsProductWithOddRequestID(kind string) error {
	odd := map[string]string{"no": "", "unprintable": "caf\u00e9", "129": strings.Repeat("a", 129)}
	return c.readsProductWithRequestID(odd[kind])
}

func (c *hostileContext) readsMissingWithRequestID(id string) error {
	return c.buyerSendsWithHeader(http.Header{requestIDHeader: {id}}, "GET", "/acp/products/prod_unknown", "")
}

func (c *hostileContext) echoesRequestID(same bool) error {
	got := c.recorder.last().header.Get(requestIDHeader)
	if got == "" || (got == c.remembered["request"]) != same {
		return fmt.Errorf("it names %q", got)
	}
	return nil
}

func (c *hostileContext) showsRequestID(where, want string) error {
	answer := c.recorder.last()
	if got := answer.header.Get(requestIDHeader); got != want {
		return fmt.Errorf("the header is %q", got)
	}
	return checkValue(answer.value(), where, `"`+want+`"`)
}

func (c *hostileContext) refusalHasFormOf(who string) error {
	fields := []string{"status", "error", "message", "request_id"}
	if who == "merchants" {
		fields = []string{"error.code", "error.message", "error.details", "error.request_id"}
	}
	var wrong error
	for _, field := range fields {
		wrong = errors.Join(wrong, checkValue(c.recorder.last().value(), field, "present"))
	}
	return wrong
}

func (c *hostileContext) allowHeaderIs(want string) error {
	if got := c.recorder.last().header.Get("Allow"); got != want {
		return fmt.Errorf("they are %q", got)
	}
	return nil
}

// callsEveryEndpoint calls every ACP endpoint of the shop, and gets some refusals.
func (c *hostileContext) callsEveryEndpoint() error {
	return c.mustAct(func(b *shopper) {
		b.Claims = &acp.BuyerContext{LoyaltyTier: "gold", PurchaseHistory: 5}
		b.Discover().Search("tent").ViewResult(0).CheckAvailability(defaultAddress).AskPrice()
		b.OfferShare(percent(50)).OfferShare(percent(80)).AcceptCounter().ReadSession().Extend(5)
		b.InitCheckout(defaultAddress).Pay(acp.PSPToken, "spt_sandbox_decline_do_not_honor").Pay(acp.PSPToken, goodToken)
		b.ReadOrder().SendBack(1, "Too large")
	})
}

var internalTerms = regexp.MustCompile(`(?i)\b(sql|sqlite|postgres|pq|panic|goroutine|stack|huma|runtime|constraint)\b|\.go\b`)

func (c *hostileContext) answerHasNoInternals() error {
	c.refusal = nil // any refusal is expected
	if found := internalTerms.FindString(string(c.recorder.last().body)); found != "" || c.recorder.last().status >= 500 {
		return fmt.Errorf("%d, it tells of %q", c.recorder.last().status, found)
	}
	return nil
}
