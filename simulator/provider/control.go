package provider

import (
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

// The look-alike's own endpoints, for tests and for tools that check the ledger.

func (p *Provider) routeControl(mux *http.ServeMux) {
	mux.HandleFunc("POST /lookalike/tokens", p.control(issueToken))
	mux.HandleFunc("POST /lookalike/agreements", p.control(issueAgreement))
	mux.HandleFunc("POST /lookalike/faults", p.control(addFault))
	mux.HandleFunc("GET /lookalike/faults", p.control(showFaults))
	mux.HandleFunc("DELETE /lookalike/faults", p.control(clearFaults))
	mux.HandleFunc("POST /lookalike/webhooks", p.control(setWebhookFaults))
	mux.HandleFunc("GET /lookalike/webhooks", p.control(showWebhookFaults))
	mux.HandleFunc("POST /lookalike/refunds", p.control(refundInDashboard))
	mux.HandleFunc("POST /lookalike/refunds/fail", p.control(failRefund))
	mux.HandleFunc("POST /lookalike/disputes", p.control(openDispute))
	mux.HandleFunc("POST /lookalike/disputes/close", p.control(closeDispute))
	mux.HandleFunc("POST /lookalike/captures/settle", p.control(settleCapture))
	mux.HandleFunc("POST /lookalike/payouts", p.control(payOut))
	mux.HandleFunc("POST /lookalike/intents", p.control(addIntents))
	mux.HandleFunc("POST /lookalike/clock", p.control(setClock))
	mux.HandleFunc("GET /ledger", p.control(showLedger))
}

type controlRequest struct {
	query url.Values
	body  []byte
}

// read refuses unknown fields, because a test with a misspelled one would not test what it says.
func (r controlRequest) read(into any) error {
	decoder := json.NewDecoder(strings.NewReader(string(r.body)))
	decoder.DisallowUnknownFields()
	return decoder.Decode(into)
}

// control serves an endpoint that answers 200 with the result of work, or 400 with its error.
func (p *Provider) control(work func(*change, controlRequest) (any, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := readBody(r)
		if err != nil {
			return
		}
		var given any
		var refused error
		var early []string
		position, err := p.change(func(c *change) {
			if given, refused = work(c, controlRequest{query: r.URL.Query(), body: body}); refused != nil {
				c.entry, c.early = ledger.Entry{}, nil
			}
			early = c.early
		})
		if err == nil {
			err = p.journal.Sync(position)
		}
		p.sendEarly(early)
		if err != nil {
			cut(w)
			return
		}
		w.Header().Set("Content-Type", "application/json")
		if refused != nil {
			w.WriteHeader(http.StatusBadRequest)
			given = map[string]any{"error": refused.Error()}
		}
		_ = json.NewEncoder(w).Encode(given)
		p.wakeRun()
	}
}

type tokenRequest struct {
	Kind          string `json:"kind"`
	Script        string `json:"script"`
	Seller        string `json:"seller"`
	PaymentMethod string `json:"payment_method"`
	Currency      string `json:"currency"`
	MaxAmount     int64  `json:"max_amount"`
	ExpiresAt     int64  `json:"expires_at"`
	Uses          int    `json:"uses"`
}

func issueToken(c *change, r controlRequest) (any, error) {
	var asked tokenRequest
	if err := r.read(&asked); err != nil {
		return nil, err
	}
	asked.Uses = cmp.Or(asked.Uses, 1)
	return c.issue(asked)
}

func issueAgreement(c *change, r controlRequest) (any, error) {
	var asked struct {
		Seller    string `json:"seller"`
		Currency  string `json:"currency"`
		MaxAmount int64  `json:"max_amount"`
		ExpiresAt int64  `json:"expires_at"`
		SingleUse bool   `json:"single_use"`
		Script    string `json:"script"`
	}
	if err := r.read(&asked); err != nil {
		return nil, err
	}
	uses := -1
	if asked.SingleUse {
		uses = 1
	}
	return c.issue(tokenRequest{
		Kind:      "paypal",
		Script:    asked.Script,
		Seller:    asked.Seller,
		Currency:  asked.Currency,
		MaxAmount: asked.MaxAmount,
		ExpiresAt: asked.ExpiresAt,
		Uses:      uses,
	})
}

// issue creates a token of either kind.
func (c *change) issue(asked tokenRequest) (any, error) {
	if _, err := parseScript(asked.Script); err != nil {
		return nil, err
	}
	made := ledger.Token{
		Kind:      asked.Kind,
		Seller:    asked.Seller,
		Script:    asked.Script,
		Currency:  asked.Currency,
		MaxAmount: asked.MaxAmount,
		ExpiresAt: asked.ExpiresAt,
		Uses:      max(0, asked.Uses),
		Created:   c.seconds(),
	}
	switch asked.Kind {
	case "stripe":
		made.ID, made.Method = newID("spt_1", 23), cmp.Or(asked.PaymentMethod, "pm_card_visa")
		if _, _, known := ledger.CardOf(made.Method); !known {
			return nil, errors.New("payment_method: unknown " + made.Method)
		}
	case "paypal":
		made.ID = newID("B-", 17)
	default:
		return nil, errors.New("kind: stripe or paypal")
	}
	if asked.MaxAmount < 0 || asked.ExpiresAt < 0 {
		return nil, errors.New("max_amount and expires_at: not below zero")
	}
	c.entry.Tokens = append(c.entry.Tokens, made)
	return map[string]any{"id": made.ID, "token": made.ID, "kind": made.Kind, "script": made.Script}, nil
}

func addFault(c *change, r controlRequest) (any, error) {
	var asked struct {
		Fault     string `json:"fault"`
		Count     int    `json:"count"`
		Operation string `json:"operation"`
	}
	if err := r.read(&asked); err != nil {
		return nil, err
	}
	steps, err := parseScript(asked.Fault)
	switch {
	case err != nil:
		return nil, err
	case !slices.Contains(operations, asked.Operation):
		return nil, errors.New("operation: one of " + strings.Join(operations[1:], ", "))
	case len(steps) == 0:
		return nil, errors.New("fault: missing")
	case asked.Count < 0:
		return nil, errors.New("count: from 1")
	}
	made := ledger.ScheduledFault{
		ID:        newID("flt_", 16),
		Fault:     strings.ReplaceAll(asked.Fault, "refund.", ""),
		Operation: asked.Operation,
		Left:      cmp.Or(asked.Count, 1),
	}
	c.entry.Faults = append(c.entry.Faults, made)
	return made, nil
}

func showFaults(c *change, _ controlRequest) (any, error) {
	waiting := []ledger.ScheduledFault{}
	for fault := range c.Faults.Oldest() {
		if fault.Left > 0 {
			waiting = append(waiting, fault)
		}
	}
	return map[string]any{"faults": waiting}, nil
}

func clearFaults(c *change, _ controlRequest) (any, error) {
	for fault := range c.Faults.Oldest() {
		if fault.Left > 0 {
			fault.Left = 0
			c.entry.Faults = append(c.entry.Faults, fault)
		}
	}
	return map[string]any{"faults": []ledger.ScheduledFault{}}, nil
}

func setWebhookFaults(c *change, r controlRequest) (any, error) {
	var asked ledger.WebhookFaults
	if err := r.read(&asked); err != nil {
		return nil, err
	}
	if asked.Duplicates < 0 || asked.Duplicates > 100 || asked.Tamper < 0 || asked.Tamper > 100 || asked.Shuffle < 0 ||
		asked.DelayMS < 0 || asked.Drop < 0 || asked.Drop > 1 {
		return nil, errors.New("duplicates and tamper: 0 to 100; drop: 0 to 1; shuffle and delay_ms: from 0")
	}
	c.entry.Mischief = &asked
	return asked, nil
}

func showWebhookFaults(c *change, _ controlRequest) (any, error) { return c.Mischief, nil }

type ledgerCharge struct {
	ID       string            `json:"id"`
	Provider string            `json:"provider"`
	Account  string            `json:"account"`
	Key      string            `json:"key"`
	Amount   int64             `json:"amount"`
	Currency string            `json:"currency"`
	Metadata map[string]string `json:"metadata"`
	Status   string            `json:"status"`
	Created  int64             `json:"created"`
	Refunded int64             `json:"refunded"`
	Token    string            `json:"token,omitempty"`
	Intent   string            `json:"payment_intent,omitempty"`
	Order    string            `json:"order,omitempty"`
}

type ledgerRefund struct {
	ID       string            `json:"id"`
	Charge   string            `json:"charge"`
	Key      string            `json:"key"`
	Amount   int64             `json:"amount"`
	Currency string            `json:"currency"`
	Metadata map[string]string `json:"metadata"`
	Created  int64             `json:"created"`
}

type ledgerTotal struct {
	Captured int64 `json:"captured"`
	Refunded int64 `json:"refunded"`
}

// showLedger lists all charges, including failed ones, and all refunds. Currencies are in capitals. Totals count what
// succeeded. PayPal's invoice_id, custom_id and reference_id are in metadata.
func showLedger(c *change, r controlRequest) (any, error) {
	charges, refunds, totals := []ledgerCharge{}, []ledgerRefund{}, map[string]ledgerTotal{}
	shown := map[string]bool{}
	for taken := range c.Charges.Oldest() {
		if !matches(taken.Metadata, r.query) {
			continue
		}
		shown[taken.ID] = true
		currency := strings.ToUpper(taken.Currency)
		charges = append(charges, ledgerCharge{taken.ID, taken.Provider, taken.Account, taken.Key, taken.Amount, currency,
			metadata(taken.Metadata), taken.Status, taken.Created, taken.Refunded, taken.Token, taken.Intent, taken.Order})
		if total := totals[currency]; taken.Status == "succeeded" {
			total.Captured += taken.Amount
			totals[currency] = total
		}
	}
	for given := range c.Refunds.Oldest() {
		if !shown[given.Charge] {
			continue
		}
		currency := strings.ToUpper(given.Currency)
		refunds = append(refunds, ledgerRefund{given.ID, given.Charge, given.Key, given.Amount, currency, metadata(given.Metadata), given.Created})
		total := totals[currency]
		total.Refunded += given.Amount
		totals[currency] = total
	}
	return map[string]any{"charges": charges, "refunds": refunds, "totals": totals}, nil
}

func matches(m map[string]string, query url.Values) bool {
	for name := range query {
		if key, ok := strings.CutPrefix(name, "metadata."); ok && m[key] != query.Get(name) {
			return false
		}
	}
	return true
}
