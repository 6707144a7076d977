package provider

import (
	"cmp"
	"encoding/json"
	"net/http"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

// paypalAmount is an amount in PayPal's format.
type paypalAmount struct {
	Currency string `json:"currency_code"`
	Value    string `json:"value"`
}

func inPayPal(n int64, currency string) paypalAmount {
	return paypalAmount{Currency: currency, Value: decimals(n, currency)}
}

// read returns the amount in minor units.
func (a paypalAmount) read(call *call, field string) (int64, answer, bool) {
	if !isCurrency(strings.ToLower(a.Currency)) {
		return 0, call.badRequest("INVALID_CURRENCY_CODE", field+"/currency_code", "Currency code is invalid or is not currently supported."), false
	}
	n, ok := minorUnits(a.Value, a.Currency)
	switch {
	case a.Value == "":
		return 0, call.badRequest("MISSING_REQUIRED_PARAMETER", field+"/value", "A required field / parameter is missing."), false
	case !ok:
		return 0, call.unprocessable("DECIMAL_PRECISION", "If the currency supports decimals, only two decimal place precision is supported."), false
	case n == 0:
		return 0, call.unprocessable("CANNOT_BE_ZERO_OR_NEGATIVE", "Must be greater than zero."), false
	}
	return n, answer{}, true
}

type purchaseUnit struct {
	ReferenceID string       `json:"reference_id"`
	CustomID    string       `json:"custom_id"`
	InvoiceID   string       `json:"invoice_id"`
	Description string       `json:"description"`
	Amount      paypalAmount `json:"amount"`
}

func createOrder(c *change, call *call) answer {
	var asked struct {
		Intent string         `json:"intent"`
		Units  []purchaseUnit `json:"purchase_units"`
	}
	if refused, ok := call.readJSON(&asked); !ok {
		return refused
	}
	switch {
	case asked.Intent != "CAPTURE" && asked.Intent != "AUTHORIZE":
		return call.badRequest("INVALID_PARAMETER_VALUE", "/intent", "The value of a field is invalid.")
	case len(asked.Units) == 0:
		return call.badRequest("MISSING_REQUIRED_PARAMETER", "/purchase_units", "A required field / parameter is missing.")
	case len(asked.Units) > 1:
		return call.unprocessable("UNSUPPORTED_INTENT_FOR_MULTIPLE_PAYEES", "The look-alike takes one purchase unit.")
	}
	unit := asked.Units[0]
	amount, refused, ok := unit.Amount.read(call, "/purchase_units/@reference_id=='default'/amount")
	switch {
	case !ok:
		return refused
	case len(unit.CustomID) > 255 || len(unit.InvoiceID) > 127:
		return call.badRequest("INVALID_STRING_MAX_LENGTH", "/purchase_units/0", "The value of a field is too long.")
	}
	made := ledger.Order{
		ID:          strings.ToUpper(newID("", 17)),
		Account:     call.account,
		Key:         call.key,
		Intent:      asked.Intent,
		Status:      "CREATED",
		Created:     c.seconds(),
		Updated:     c.seconds(),
		Reference:   cmp.Or(unit.ReferenceID, "default"),
		CustomID:    unit.CustomID,
		InvoiceID:   unit.InvoiceID,
		Description: unit.Description,
		Currency:    strings.ToUpper(unit.Amount.Currency),
		Amount:      amount,
	}
	c.entry.Orders = append(c.entry.Orders, made)
	shown := c.showOrder(call, made)
	if call.minimal() {
		shown = map[string]any{"id": made.ID, "status": made.Status, "links": shown["links"]}
	}
	return answer{
		status: http.StatusCreated,
		body:   shown,
		order:  made.ID,
	}.began()
}

func (c *change) orderOf(call *call) (ledger.Order, bool) {
	known, ok := c.Orders.Get(call.request.PathValue("id"))
	return known, ok && known.Account == call.account
}

func readOrder(c *change, call *call) answer {
	known, ok := c.orderOf(call)
	if !ok {
		return call.noSuchResource()
	}
	return answer{status: http.StatusOK, body: c.showOrder(call, known)}
}

// patchOrder applies a JSON Patch: all of its operations or none.
func patchOrder(c *change, call *call) answer {
	known, ok := c.orderOf(call)
	if !ok {
		return call.noSuchResource()
	}
	var operations []struct {
		Op    string          `json:"op"`
		Path  string          `json:"path"`
		Value json.RawMessage `json:"value"`
	}
	if refused, ok := call.readJSON(&operations); !ok {
		return refused
	}
	if known.Status != "CREATED" {
		return call.unprocessable("ORDER_ALREADY_COMPLETED", "The order cannot be patched after it is completed.")
	}
	for _, o := range operations {
		if o.Op != "replace" && o.Op != "add" {
			return call.badRequest("INVALID_PATCH_OPERATION", "/op", "The operation cannot be honored.")
		}
		if refused, ok := patch(&known, call, o.Path, o.Value); !ok {
			return refused
		}
	}
	known.Updated = c.seconds()
	c.entry.Orders = append(c.entry.Orders, known)
	return answer{status: http.StatusNoContent}
}

func patch(o *ledger.Order, call *call, path string, value json.RawMessage) (answer, bool) {
	wrong := call.badRequest("INVALID_PARAMETER_VALUE", path, "The value of a field is invalid.")
	if path == "/intent" {
		ok := json.Unmarshal(value, &o.Intent) == nil && (o.Intent == "CAPTURE" || o.Intent == "AUTHORIZE")
		return wrong, ok
	}
	field, ok := strings.CutPrefix(path, "/purchase_units/@reference_id=='"+o.Reference+"'/")
	if !ok {
		return call.unprocessable("NOT_PATCHABLE", "Cannot be patched."), false
	}
	switch field {
	case "invoice_id":
		return wrong, json.Unmarshal(value, &o.InvoiceID) == nil
	case "custom_id":
		return wrong, json.Unmarshal(value, &o.CustomID) == nil
	case "description":
		return wrong, json.Unmarshal(value, &o.Description) == nil
	case "amount":
		var given paypalAmount
		if json.Unmarshal(value, &given) != nil {
			return wrong, false
		}
		amount, refused, ok := given.read(call, path)
		o.Amount, o.Currency = amount, strings.ToUpper(given.Currency)
		return refused, ok
	}
	return call.unprocessable("NOT_PATCHABLE", "Cannot be patched."), false
}

func (c *change) showOrder(call *call, o ledger.Order) map[string]any {
	unit := map[string]any{"reference_id": o.Reference, "amount": inPayPal(o.Amount, o.Currency),
		"payee": map[string]any{"email_address": "seller@example.com", "merchant_id": o.Account}}
	for name, value := range map[string]string{"custom_id": o.CustomID, "invoice_id": o.InvoiceID, "description": o.Description} {
		if value != "" {
			unit[name] = value
		}
	}
	path := "/v2/checkout/orders/" + o.ID
	links := []any{call.link(path, "self", "GET")}
	if o.Status == "CREATED" {
		links = append(links, call.link("/checkoutnow?token="+o.ID, "approve", "GET"), call.link(path, "update", "PATCH"),
			call.link(path+"/capture", "capture", "POST"))
	}
	shown := map[string]any{"id": o.ID, "intent": o.Intent, "status": o.Status, "purchase_units": []any{unit},
		"create_time": moment(o.Created), "update_time": moment(o.Updated), "links": links}
	if o.Capture != "" {
		unit["payments"] = map[string]any{"captures": []any{c.showCapture(call, c.currentCharge(o.Capture))}}
		shown["payer"] = map[string]any{"email_address": "payer@example.com", "payer_id": derived(c.currentCharge(o.Capture).Token, 13),
			"name": map[string]any{"given_name": "Test", "surname": "Payer"}}
		shown["payment_source"] = map[string]any{"paypal": map[string]any{"email_address": "payer@example.com", "account_status": "VERIFIED"}}
	}
	return shown
}

func moment(seconds int64) string { return time.Unix(seconds, 0).UTC().Format(time.RFC3339) }
