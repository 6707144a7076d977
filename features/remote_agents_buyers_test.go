package features

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
)

func (c *remoteAgentsContext) textReachesBuyer(field, text string) error {
	return c.answerShows(field, strconv.Quote(text))
}

// resultsAre compares the names of the latest search's results, in their order, with a list of quoted names.
func (c *remoteAgentsContext) resultsAre(list string) error {
	return c.answerShows("results.*.name", "["+list+"]")
}

func (c *remoteAgentsContext) handlerHasRefused(what, reason string) error {
	code := map[string]string{"checkout": "checkout_refused", "payment": "finalize_refused"}[what]
	if reason == "a reason" {
		reason = "present"
	}
	return errors.Join(c.isRefused(http.StatusConflict, code), c.answerShows("message", reason))
}

// ucpAgentOrders opens a checkout as an agent that speaks a version of UCP, and completes it.
func (c *remoteAgentsContext) ucpAgentOrders(version string, quantity int, name string) error {
	c.ucpPath = "/ucp/checkout-sessions"
	if version == aprilVersion {
		c.ucpPath = "/" + aprilVersion + c.ucpPath
	}
	body := fmt.Sprintf(`{"line_items": [{"item": {"id": %q}, "quantity": %d}], "buyer": {"email": "ada@example.com", "first_name": "Ada", "last_name": "Buyer"}, `+
		`"fulfillment": {"methods": [{"type": "shipping", "destinations": [{"street_address": "12 Harbor Street", "address_locality": "Portland", `+
		`"address_region": "OR", "postal_code": "97205", "address_country": "US"}]}]}}`, c.products[name].ID, quantity)
	if err := errors.Join(
		c.ucp.agentSends("", http.MethodPost, c.ucpPath, body),
		c.answerShows("status", `"ready_for_complete"`),
		c.rememberAnswer("id"),
	); err != nil {
		return err
	}
	return c.ucpAgentCompletes()
}

func (c *remoteAgentsContext) ucpAgentCompletes() error {
	return c.ucp.agentSends("", http.MethodPost, c.ucpPath+"/"+c.remembered["id"]+"/complete", `{"payment": $payment_ok}`)
}

func (c *remoteAgentsContext) ucpAgentNeedsReview(text string) error {
	return c.answerShows(
		"status", `"requires_escalation"`,
		"continue_url", `matches /acp/checkout/chk_[0-9a-z]+/page$`,
		"messages.0.severity", `"requires_buyer_review"`,
		"messages.0.content", strconv.Quote(text),
	)
}
