package features

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"

	"github.com/haggle-commerce/haggle/simulator/acp"
)

// hostileContext sends hostile requests.
type hostileContext struct{ *scenario }

func (c *hostileContext) buyerSearchesFor(text string) error {
	query, err := json.Marshal(map[string]string{"query": text})
	if err != nil {
		return err
	}
	return c.buyerSends("POST", "/acp/search", string(query))
}

const requestIDHeader = "X-Request-Id"

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
