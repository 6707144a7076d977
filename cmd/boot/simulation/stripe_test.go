package simulation

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

// serve handles a request like Stripe's API.
func (m *stripeModel) serve(r *http.Request) (status int, body string) {
	form := r.URL.Query()
	if r.Body != nil {
		text, _ := io.ReadAll(r.Body)
		if more, err := url.ParseQuery(string(text)); err == nil && len(text) > 0 {
			form = more
		}
	}
	a := m.route(r.Method, strings.TrimPrefix(r.URL.Path, "/v1/"), r.Header.Get("Idempotency-Key"), form)
	return a.status, a.body()
}

func (m *stripeModel) route(method, path, key string, form url.Values) reply {
	parts := strings.Split(path, "/")
	amount, _ := strconv.ParseInt(form.Get("amount"), 10, 64)
	number := func(name string, otherwise int64) int64 {
		if n, err := strconv.ParseInt(form.Get(name), 10, 64); err == nil {
			return n
		}
		return otherwise
	}
	switch {
	case path == "payment_intents" && method == http.MethodPost:
		token := form.Get("payment_method_data[shared_payment_granted_token]")
		return m.create(key, form.Get("metadata[checkout]"), amount, form.Get("metadata[void]") != "", token)
	case path == "payment_intents":
		limit := max(int(number("limit", 10)), 10)
		return m.page(number("created[gte]", 0), number("created[lte]", 1<<60), form.Get("starting_after"), limit)
	case path == "payment_intents/search":
		_, wanted, _ := strings.Cut(form.Get("query"), ":'")
		return m.search(strings.TrimSuffix(wanted, "'"))
	case path == "refunds" && method == http.MethodPost:
		return m.refund(key, form.Get("payment_intent"), amount)
	case path == "refunds":
		return m.refundsOf(form.Get("payment_intent"))
	case parts[0] == "refunds":
		return m.readRefund(parts[1])
	case strings.HasSuffix(path, "/cancel"):
		return m.cancel(parts[1])
	}
	return m.retrieve(parts[1])
}

func (r reply) body() string {
	switch {
	case r.status >= http.StatusBadRequest:
		decline, intent := "", "null"
		if r.intent != nil {
			decline, intent = r.intent.decline, r.intent.show()
		}
		return fmt.Sprintf(`{"error": {"type": %q, "code": %q, "decline_code": %q, "message": "no", "payment_intent": %s}}`, r.kind, r.code, decline, intent)
	case r.list != "":
		var items []string
		for _, i := range r.intents {
			items = append(items, i.show())
		}
		for _, b := range r.refunds {
			items = append(items, b.show())
		}
		return fmt.Sprintf(`{"object": %q, "data": [%s], "has_more": %v}`, r.list, strings.Join(items, ", "), r.more)
	case r.refund != nil:
		return r.refund.show()
	}
	return r.intent.show()
}

func (i stripeIntent) show() string {
	meta := map[string]string{"key": i.key, "checkout": i.checkout}
	if i.void {
		meta["void"] = "true"
	}
	text, _ := json.Marshal(meta)
	problem := "null"
	if i.decline != "" {
		problem = fmt.Sprintf(`{"type": "card_error", "code": "card_declined", "decline_code": %q}`, i.decline)
	}
	return fmt.Sprintf(`{"id": %q, "object": "payment_intent", "amount": %d, "amount_received": %d, "currency": "usd", "status": %q, "created": %d, "metadata": %s, "last_payment_error": %s}`,
		i.id, i.amount, i.amount, i.status, i.created.Unix(), text, problem)
}

func (r moneyBack) show() string {
	status := "succeeded"
	if r.failed {
		status = "failed"
	}
	return fmt.Sprintf(`{"id": %q, "object": "refund", "amount": %d, "currency": "usd", "status": %q, "payment_intent": %q, "metadata": {"refund": %q}}`,
		r.id, r.amount, status, r.charge, r.key)
}
