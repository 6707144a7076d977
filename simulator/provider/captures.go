package provider

import (
	"cmp"
	"errors"
	"net/http"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

type captureRequest struct {
	Source struct {
		Token struct {
			ID   string `json:"id"`
			Type string `json:"type"`
		} `json:"token"`
	} `json:"payment_source"`
}

// paypalTokenOf returns the token whose script applies to a capture or refund.
func paypalTokenOf(s *ledger.State, c *call) string {
	if c.operation == "refund" {
		paid, _ := s.Charges.Get(c.request.PathValue("id"))
		return paid.Token
	}
	var asked captureRequest
	_, _ = c.readJSON(&asked)
	return asked.Source.Token.ID
}

func captureOrder(c *change, call *call) answer {
	known, ok := c.orderOf(call)
	if !ok {
		return call.noSuchResource()
	}
	var asked captureRequest
	if refused, ok := call.readJSON(&asked); !ok {
		return refused
	}
	source := asked.Source.Token
	switch {
	case known.Status == "COMPLETED":
		return call.unprocessable("ORDER_ALREADY_CAPTURED", "Order already captured. If 'intent=CAPTURE' only one capture per order is allowed.").began()
	case known.Intent != "CAPTURE":
		return call.unprocessable("ACTION_DOES_NOT_MATCH_INTENT", "Order was created with an intent to 'AUTHORIZE', to complete authorization, call 'AUTHORIZE' or create an order with an intent of 'CAPTURE'.").began()
	case source.ID == "":
		return call.unprocessable("ORDER_NOT_APPROVED", "Payer has not yet approved the Order for payment. Please redirect the payer to the 'rel':'approve' url returned as part of the HATEOAS links within the Create Order call or provide a valid payment_source in the request.").began()
	case source.Type != "BILLING_AGREEMENT":
		return call.badRequest("INVALID_PARAMETER_VALUE", "/payment_source/token/type", "The value of a field is invalid.")
	}
	return c.capture(call, known, source.ID)
}

// capture charges an order by a billing agreement.
func (c *change) capture(call *call, o ledger.Order, agreement string) answer {
	t, ok := c.Tokens.Get(agreement)
	if !ok || t.Kind != "paypal" || t.Seller != "" && t.Seller != call.account {
		return call.refuse("BILLING_AGREEMENT_NOT_FOUND")
	}
	if why := checkLimits(t, o.Currency, o.Amount, c.seconds()); why != nil {
		return call.refuse(why.issue)
	}
	switch {
	case call.plan.fault == "decline":
		return call.refuse(cmp.Or(call.plan.code, "INSTRUMENT_DECLINED"))
	case o.InvoiceID != "" && c.Invoices[ledger.InvoiceKey(call.account, o.InvoiceID)]:
		return call.unprocessable("DUPLICATE_INVOICE_ID", "Duplicate Invoice ID detected. To avoid a potential duplicate transaction your account setting requires that Invoice Id be unique for each transaction.").began()
	}
	taken := ledger.Charge{
		ID:          strings.ToUpper(newID("", 17)),
		Provider:    "paypal",
		Account:     call.account,
		Key:         call.key,
		Amount:      o.Amount,
		Currency:    o.Currency,
		Status:      "succeeded",
		Created:     c.seconds(),
		Order:       o.ID,
		Token:       t.ID,
		Description: o.Description,
		InvoiceID:   o.InvoiceID,
		CustomID:    o.CustomID,
		Metadata:    map[string]string{"reference_id": o.Reference},
	}
	for name, value := range map[string]string{"invoice_id": o.InvoiceID, "custom_id": o.CustomID} {
		if value != "" {
			taken.Metadata[name] = value
		}
	}
	o.Status, o.Capture, o.Updated = "COMPLETED", taken.ID, c.seconds()
	if call.plan.fault == "pending" {
		taken.Status = "pending"
	}
	c.entry.Orders = append(c.entry.Orders, o)
	c.entry.Charges = append(c.entry.Charges, taken)
	c.recordCharge(t, taken.Amount)
	c.emitCapture(call, taken)
	return answer{
		status: http.StatusCreated,
		body:   c.showOrder(call, o),
		order:  o.ID,
	}.began()
}

// emitCapture emits the event for a capture's status.
func (c *change) emitCapture(call *call, taken ledger.Charge) {
	name := map[string]string{"succeeded": "COMPLETED", "pending": "PENDING", "failed": "DENIED"}[taken.Status]
	c.emitPayPal(call, "PAYMENT.CAPTURE."+name, "capture", c.showCapture(call, taken))
}

// settleCapture decides a pending capture.
func settleCapture(c *change, r controlRequest) (any, error) {
	var asked struct {
		Capture string `json:"capture"`
		Denied  bool   `json:"denied"`
	}
	if err := r.read(&asked); err != nil {
		return nil, err
	}
	taken, ok := c.Charges.Get(asked.Capture)
	if !ok || taken.Status != "pending" {
		return nil, errors.New("capture: no such pending capture")
	}
	taken.Status = map[bool]string{false: "succeeded", true: "failed"}[asked.Denied]
	c.entry.Charges = append(c.entry.Charges, taken)
	c.emitCapture(callAs(taken.Account, taken.Live), taken)
	return taken, nil
}

func (c *change) captureOf(call *call) (ledger.Charge, bool) {
	known, ok := c.Charges.Get(call.request.PathValue("id"))
	return known, ok && known.Provider == "paypal" && known.Account == call.account
}

func readCapture(c *change, call *call) answer {
	known, ok := c.captureOf(call)
	if !ok {
		return call.noSuchResource()
	}
	return answer{status: http.StatusOK, body: c.showCapture(call, known)}
}

func refundCapture(c *change, call *call) answer {
	paid, ok := c.captureOf(call)
	if !ok {
		return call.noSuchResource()
	}
	var asked struct {
		Amount    *paypalAmount `json:"amount"`
		InvoiceID string        `json:"invoice_id"`
		CustomID  string        `json:"custom_id"`
		Note      string        `json:"note_to_payer"`
	}
	if refused, ok := call.readJSON(&asked); !ok {
		return refused
	}
	amount := paid.Amount - paid.Refunded
	if asked.Amount != nil {
		var refused answer
		if amount, refused, ok = asked.Amount.read(call, "/amount"); !ok {
			return refused
		}
	}
	if refused, no := call.refundRefused(paid, asked.Amount, amount); no {
		return refused
	}
	given := ledger.Refund{
		ID:        strings.ToUpper(newID("", 17)),
		Provider:  "paypal",
		Account:   call.account,
		Key:       call.key,
		Charge:    paid.ID,
		Amount:    amount,
		Currency:  paid.Currency,
		Created:   c.seconds(),
		InvoiceID: asked.InvoiceID,
		CustomID:  asked.CustomID,
		Note:      asked.Note,
	}
	paid.Refunded += amount
	c.entry.Refunds = append(c.entry.Refunds, given)
	c.entry.Charges = append(c.entry.Charges, paid)
	shown := c.showPayPalRefund(call, given)
	c.emitPayPal(call, "PAYMENT.CAPTURE.REFUNDED", "refund", shown)
	if call.minimal() {
		shown = map[string]any{"id": given.ID, "status": "COMPLETED", "links": shown["links"]}
	}
	return answer{
		status: http.StatusCreated,
		body:   shown,
		refund: given.ID,
	}.began()
}

func (c *call) refundRefused(paid ledger.Charge, asked *paypalAmount, amount int64) (answer, bool) {
	left := paid.Amount - paid.Refunded
	switch {
	case left == 0:
		return c.unprocessable("CAPTURE_FULLY_REFUNDED", "The capture has already been fully refunded.").began(), true
	case asked != nil && !strings.EqualFold(asked.Currency, paid.Currency):
		return c.unprocessable("REFUND_CAPTURE_CURRENCY_MISMATCH", "Refund must be in the same currency as the capture.").began(), true
	case amount > left:
		return c.unprocessable("REFUND_AMOUNT_EXCEEDED", "The refund amount must be less than or equal to the capture amount that has not yet been refunded.").began(), true
	case c.plan.fault == "decline":
		return c.refuse(cmp.Or(c.plan.code, "REFUND_FAILED_INSUFFICIENT_FUNDS")), true
	}
	return answer{}, false
}

func readPayPalRefund(c *change, call *call) answer {
	known, ok := c.Refunds.Get(call.request.PathValue("id"))
	if !ok || known.Provider != "paypal" || known.Account != call.account {
		return call.noSuchResource()
	}
	return answer{status: http.StatusOK, body: c.showPayPalRefund(call, known)}
}

func (c *change) showCapture(call *call, taken ledger.Charge) map[string]any {
	status := "COMPLETED"
	switch {
	case taken.Status == "pending":
		status = "PENDING"
	case taken.Status == "failed":
		status = "DECLINED"
	case taken.Refunded == taken.Amount:
		status = "REFUNDED"
	case taken.Refunded > 0:
		status = "PARTIALLY_REFUNDED"
	}
	money := inPayPal(taken.Amount, taken.Currency)
	path := "/v2/payments/captures/" + taken.ID
	shown := map[string]any{
		"id": taken.ID, "status": status, "amount": money, "final_capture": true, "disbursement_mode": "INSTANT",
		"seller_protection":           map[string]any{"status": "NOT_ELIGIBLE"},
		"seller_receivable_breakdown": map[string]any{"gross_amount": money, "paypal_fee": inPayPal(0, taken.Currency), "net_amount": money},
		"create_time":                 moment(taken.Created), "update_time": moment(taken.Created),
		"supplementary_data": map[string]any{"related_ids": map[string]any{"order_id": taken.Order}},
		"links": []any{call.link(path, "self", "GET"), call.link(path+"/refund", "refund", "POST"),
			call.link("/v2/checkout/orders/"+taken.Order, "up", "GET")},
	}
	for name, value := range map[string]string{"invoice_id": taken.InvoiceID, "custom_id": taken.CustomID} {
		if value != "" {
			shown[name] = value
		}
	}
	return shown
}

func (c *change) showPayPalRefund(call *call, given ledger.Refund) map[string]any {
	money := inPayPal(given.Amount, given.Currency)
	shown := map[string]any{
		"id": given.ID, "status": "COMPLETED", "amount": money, "create_time": moment(given.Created), "update_time": moment(given.Created),
		"seller_payable_breakdown": map[string]any{"gross_amount": money, "paypal_fee": inPayPal(0, given.Currency), "net_amount": money, "total_refunded_amount": money},
		"links":                    []any{call.link("/v2/payments/refunds/"+given.ID, "self", "GET"), call.link("/v2/payments/captures/"+given.Charge, "up", "GET")},
	}
	for name, value := range map[string]string{"invoice_id": given.InvoiceID, "custom_id": given.CustomID, "note_to_payer": given.Note} {
		if value != "" {
			shown[name] = value
		}
	}
	return shown
}
