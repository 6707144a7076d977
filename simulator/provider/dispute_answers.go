package provider

import (
	"bytes"
	"encoding/json"
	"io"
	"maps"
	"mime"
	"mime/multipart"
	"net/http"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

// Merchants' responses to disputes. Sources, read November 2026: docs.stripe.com/api/disputes/update and /close,
// docs.stripe.com/testing#evidence; developer.paypal.com/api/customer-disputes/v1 (disputes-provide-evidence,
// accept-claim).

// respondWithin is the number of seconds that a merchant has to respond: seven days.
const respondWithin = 7 * 24 * 3600

const waitingForSeller = "WAITING_FOR_SELLER_RESPONSE"

// stripeEvidence are the supported text fields of Stripe's evidence.
var stripeEvidence = []string{
	"product_description", "shipping_carrier", "shipping_tracking_number", "shipping_date", "uncategorized_text", "customer_name", "customer_email_address",
}

// openStripeDispute returns a dispute that needs a response.
func openStripeDispute(c *change, call *call) (ledger.Dispute, answer, bool) {
	of := call.request.PathValue("id")
	d, ok := c.Disputes.Get(of)
	switch {
	case !ok || d.Provider != "stripe" || d.Account != call.account:
		return d, unknownID("dispute", of, ""), false
	case d.ClosedAt > 0:
		return d, invalid(http.StatusBadRequest, "", "", "This dispute is already closed"), false
	case !strings.HasSuffix(d.Status, "needs_response"):
		return d, invalid(http.StatusBadRequest, "", "", "This dispute has already been submitted"), false
	}
	return d, answer{}, true
}

// updateDispute accepts evidence. As in Stripe's test mode, the texts winning_evidence and losing_evidence decide the
// dispute at once.
func updateDispute(c *change, call *call) answer {
	if refused, bad := unknownParam(call.form, "evidence", "metadata", "submit"); bad {
		return refused
	}
	d, refused, ok := openStripeDispute(c, call)
	if !ok {
		return refused
	}
	given := object(call.form, "evidence")
	for name, text := range given {
		switch {
		case !slices.Contains(stripeEvidence, name):
			return invalid(http.StatusBadRequest, "parameter_unknown", "evidence["+name+"]", "Received unknown parameter: evidence["+name+"]")
		case len(text) > 20_000:
			return invalid(http.StatusBadRequest, "", "evidence["+name+"]", "Evidence has at most 20000 characters.")
		}
	}
	d.Evidence = maps.Clone(metadata(d.Evidence))
	maps.Copy(d.Evidence, given)
	d.UpdatedAt = c.seconds()
	if call.form.Get("submit") == "false" {
		c.entry.Disputes = append(c.entry.Disputes, d)
		return answer{status: http.StatusOK, body: showDispute(d)}.began()
	}
	d.Submitted++
	d.Status = strings.Replace(d.Status, "needs_response", "under_review", 1)
	c.announceDispute(d, "charge.dispute.updated", "")
	switch d.Evidence["uncategorized_text"] {
	case "winning_evidence":
		d = c.decide(d, "won")
	case "losing_evidence":
		d = c.decide(d, "lost")
	default:
		c.entry.Disputes = append(c.entry.Disputes, d)
	}
	return answer{status: http.StatusOK, body: showDispute(d)}.began()
}

// acceptDispute closes a Stripe dispute as lost.
func acceptDispute(c *change, call *call) answer {
	d, refused, ok := openStripeDispute(c, call)
	if !ok {
		return refused
	}
	if strings.HasPrefix(d.Status, "warning_") {
		d.Status, d.ClosedAt = "warning_closed", c.seconds()
		c.announceDispute(d, "charge.dispute.closed", "")
		c.entry.Disputes = append(c.entry.Disputes, d)
		return answer{status: http.StatusOK, body: showDispute(d)}.began()
	}
	return answer{status: http.StatusOK, body: showDispute(c.decide(d, "lost"))}.began()
}

func disputeLinks(d ledger.Dispute) []any {
	links := []any{}
	for _, rel := range []string{"provide-evidence", "accept-claim"} {
		links = append(links, map[string]any{"href": "https://provider.example/v1/customer/disputes/" + d.ID + "/" + rel, "rel": rel, "method": "POST"})
	}
	return links
}

func (c *change) payPalDispute(call *call) (ledger.Dispute, bool) {
	d, ok := c.Disputes.Get(call.request.PathValue("id"))
	return d, ok && d.Provider == "paypal" && d.Account == call.account
}

func readPayPalDispute(c *change, call *call) answer {
	d, ok := c.payPalDispute(call)
	if !ok {
		return call.noSuchResource()
	}
	return answer{status: http.StatusOK, body: showPayPalDispute(d)}
}

// respond returns a PayPal dispute that waits for the seller's response.
func (c *change) respond(call *call) (d ledger.Dispute, refused answer, ok bool) {
	d, known := c.payPalDispute(call)
	switch {
	case !known:
		return d, call.noSuchResource(), false
	case d.Status != waitingForSeller:
		return d, call.unprocessable("ACTION_NOT_ALLOWED_IN_CURRENT_DISPUTE_STATE", "The requested action is not allowed in the dispute's current state."), false
	}
	return d, answer{}, true
}

type payPalEvidence struct {
	Type  string `json:"evidence_type"`
	Notes string `json:"notes"`
	Info  struct {
		Tracking []struct {
			Carrier string `json:"carrier_name"`
			Other   string `json:"carrier_name_other"`
			Number  string `json:"tracking_number"`
		} `json:"tracking_info"`
	} `json:"evidence_info"`
}

// provideEvidence accepts a multipart form whose part "input" is JSON.
func provideEvidence(c *change, call *call) answer {
	d, refused, ok := c.respond(call)
	if !ok {
		return refused
	}
	var asked struct {
		Evidences []payPalEvidence `json:"evidences"`
	}
	if part := formPart(call, "input"); part == nil || json.Unmarshal(part, &asked) != nil || len(asked.Evidences) == 0 {
		return call.badRequest("MISSING_REQUIRED_PARAMETER", "/evidences", "A required field is missing.")
	}
	d.Evidence = map[string]string{}
	for _, e := range asked.Evidences {
		if len([]rune(e.Notes)) > 2000 {
			return call.badRequest("INVALID_STRING_LENGTH", "/evidences/0/notes", "The value of a field is either too short or too long.")
		}
		d.Evidence[e.Type] = strings.TrimSpace(d.Evidence[e.Type] + "\n" + e.Notes)
	}
	d.Status, d.UpdatedAt, d.Submitted = "UNDER_REVIEW", c.seconds(), d.Submitted+1
	c.announceDispute(d, "", "CUSTOMER.DISPUTE.UPDATED")
	c.entry.Disputes = append(c.entry.Disputes, d)
	return answer{status: http.StatusOK, body: map[string]any{"links": []any{call.link("/v1/customer/disputes/"+d.ID, "self", "GET")}}}
}

func formPart(call *call, name string) []byte {
	kind, params, err := mime.ParseMediaType(call.request.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/form-data" {
		return nil
	}
	reader := multipart.NewReader(bytes.NewReader(call.body), params["boundary"])
	for {
		part, err := reader.NextPart()
		if err != nil {
			return nil
		}
		if part.FormName() == name {
			content, _ := io.ReadAll(part)
			return content
		}
	}
}

// acceptClaim refunds the buyer and closes the dispute.
func acceptClaim(c *change, call *call) answer {
	d, refused, ok := c.respond(call)
	if !ok {
		return refused
	}
	var asked struct {
		Note string `json:"note"`
		Type string `json:"accept_claim_type"`
	}
	if refused, ok := call.readJSON(&asked); !ok {
		return refused
	}
	if asked.Note == "" {
		return call.badRequest("MISSING_REQUIRED_PARAMETER", "/note", "A required field is missing.")
	}
	c.decide(d, "lost")
	return answer{status: http.StatusOK, body: map[string]any{"links": []any{call.link("/v1/customer/disputes/"+d.ID, "self", "GET")}}}
}
