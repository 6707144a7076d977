package simulation

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// stripeModel is Stripe's API as far as a charge and a refund use it, written from its documentation:
//
//   - An idempotency key keeps the first answer, an error of the server too, for 24 hours, and refuses other
//     parameters (docs.stripe.com/api/idempotent_requests). While the first request is at work the answer
//     is 409 (docs.stripe.com/error-low-level, read November 2026).
//   - Lists are newest first, in pages with has_more, by times of creation in whole seconds of its own clock
//     (docs.stripe.com/api/pagination). Search lags (docs.stripe.com/search).
//   - Webhooks may come late, twice and in any order (docs.stripe.com/webhooks).
type stripeModel struct {
	now     func() time.Time // its own clock
	work    func(what string) trouble
	told    func(stripeIntent) // of an intent that was decided
	keys    map[string]*keptAnswer
	intents []*stripeIntent // in the order of their creation
	refunds []*stripeRefund
	busy    int // pages of others' intents before ours, in each list
	// unsearchable has search answer with an error, as it does for merchants in India.
	unsearchable bool
}

// trouble is what befalls a request at the provider.
type trouble struct {
	takes  time.Duration
	before bool // a 500 that is kept, and nothing has happened
	after  bool // a 500 that is kept, and it has happened
}

type keptAnswer struct {
	request string
	at      time.Time
	done    bool
	status  int
	body    string
}

type stripeIntent struct {
	id       string
	amount   int64
	status   string
	code     string // why it was declined
	metadata map[string]string
	created  time.Time
}

func (i stripeIntent) void() bool { return i.metadata["void"] != "" }

type stripeRefund struct {
	id, intent string
	amount     int64
	metadata   map[string]string
}

// forgotten is how long a key is remembered.
const forgotten = 24 * time.Hour

// serve answers a request.
func (m *stripeModel) serve(r *http.Request) (status int, body string) {
	form := r.URL.Query()
	if r.Body != nil {
		text, _ := io.ReadAll(r.Body)
		if more, err := url.ParseQuery(string(text)); err == nil && len(text) > 0 {
			form = more
		}
	}
	key, path := r.Header.Get("Idempotency-Key"), strings.TrimPrefix(r.URL.Path, "/v1/")
	if r.Method == http.MethodGet || strings.HasSuffix(path, "/cancel") {
		what := path
		if path == "payment_intents" {
			what += " page"
		}
		_ = m.wait(m.work(what))
		return m.read(r.Method, path, form)
	}
	kept := m.keys[key]
	request := path + "?" + form.Encode()
	switch {
	case kept != nil && kept.done && m.now().Sub(kept.at) >= forgotten:
	case kept != nil && kept.request != request:
		return stripeFault(http.StatusBadRequest, "idempotency_error", "")
	case kept != nil && !kept.done:
		return stripeFault(http.StatusConflict, "idempotency_error", "idempotency_key_in_use")
	case kept != nil:
		return kept.status, kept.body
	}
	kept = &keptAnswer{request: request, at: m.now()}
	m.keys[key] = kept
	t := m.wait(m.work(path))
	kept.status, kept.body = http.StatusInternalServerError, `{"error": {"type": "api_error"}}`
	if !t.before {
		status, body := m.write(path, form)
		if !t.after {
			kept.status, kept.body = status, body
		}
	}
	kept.done = true
	return kept.status, kept.body
}

func (m *stripeModel) wait(t trouble) trouble {
	if t.takes > 0 {
		time.Sleep(t.takes)
	}
	return t
}

func stripeFault(status int, kind, code string) (int, string) {
	return status, fmt.Sprintf(`{"error": {"type": %q, "code": %q, "message": "no"}}`, kind, code)
}

func (m *stripeModel) write(path string, form url.Values) (int, string) {
	amount, _ := strconv.ParseInt(form.Get("amount"), 10, 64)
	if path == "refunds" {
		return m.giveBack(form, amount)
	}
	i := &stripeIntent{
		id: fmt.Sprintf("pi_%d", len(m.intents)+1), amount: amount, status: "requires_payment_method", created: m.now(), metadata: metadata(form),
	}
	m.intents = append(m.intents, i)
	if form.Get("confirm") != "true" {
		return http.StatusOK, m.show(i)
	}
	if token := form.Get("payment_method_data[shared_payment_granted_token]"); strings.HasPrefix(token, "declined") {
		i.code = "insufficient_funds"
		m.told(*i)
		return http.StatusPaymentRequired, fmt.Sprintf(
			`{"error": {"type": "card_error", "code": "card_declined", "decline_code": %q, "payment_intent": %s}}`, i.code, m.show(i))
	}
	i.status = "succeeded"
	m.told(*i)
	return http.StatusOK, m.show(i)
}

func metadata(form url.Values) map[string]string {
	values := map[string]string{}
	for name := range form {
		if inner, ok := strings.CutPrefix(name, "metadata["); ok {
			values[strings.TrimSuffix(inner, "]")] = form.Get(name)
		}
	}
	return values
}

func (m *stripeModel) giveBack(form url.Values, amount int64) (int, string) {
	i := m.intent(form.Get("payment_intent"))
	if i == nil || i.status != "succeeded" || m.refunded(i.id)+amount > i.amount {
		return stripeFault(http.StatusBadRequest, "invalid_request_error", "charge_already_refunded")
	}
	r := &stripeRefund{id: fmt.Sprintf("re_%d", len(m.refunds)+1), intent: i.id, amount: amount, metadata: metadata(form)}
	m.refunds = append(m.refunds, r)
	return http.StatusOK, r.show()
}

func (m *stripeModel) refunded(intent string) (sum int64) {
	for _, r := range m.refunds {
		if r.intent == intent {
			sum += r.amount
		}
	}
	return sum
}

func (m *stripeModel) intent(id string) *stripeIntent {
	for _, i := range m.intents {
		if i.id == id {
			return i
		}
	}
	return nil
}

func (m *stripeModel) show(i *stripeIntent) string {
	meta, _ := json.Marshal(i.metadata)
	problem := "null"
	if i.code != "" {
		problem = fmt.Sprintf(`{"type": "card_error", "code": "card_declined", "decline_code": %q}`, i.code)
	}
	return fmt.Sprintf(`{"id": %q, "object": "payment_intent", "amount": %d, "amount_received": %d, "currency": "usd", "status": %q, "created": %d, "metadata": %s, "last_payment_error": %s}`,
		i.id, i.amount, i.amount, i.status, i.created.Unix(), meta, problem)
}

func (r *stripeRefund) show() string {
	meta, _ := json.Marshal(r.metadata)
	return fmt.Sprintf(`{"id": %q, "object": "refund", "amount": %d, "currency": "usd", "status": "succeeded", "payment_intent": %q, "metadata": %s}`,
		r.id, r.amount, r.intent, meta)
}

// searchLag is after how long search finds an intent.
const searchLag = time.Minute

func (m *stripeModel) read(method, path string, form url.Values) (int, string) {
	parts := strings.Split(path, "/")
	switch {
	case path == "payment_intents":
		return m.list(form)
	case path == "payment_intents/search" && m.unsearchable:
		return stripeFault(http.StatusBadRequest, "invalid_request_error", "")
	case path == "payment_intents/search":
		var found []string
		for _, i := range m.intents {
			if m.now().Sub(i.created) >= searchLag && strings.Contains(form.Get("query"), "'"+i.metadata["key"]+"'") {
				found = append(found, m.show(i))
			}
		}
		return http.StatusOK, page("search_result", found, false)
	case path == "refunds":
		var found []string
		for _, r := range slices.Backward(m.refunds) {
			if form.Get("payment_intent") == r.intent {
				found = append(found, r.show())
			}
		}
		return http.StatusOK, page("list", found, false)
	case parts[0] == "payment_intents" && m.intent(parts[1]) != nil:
		i := m.intent(parts[1])
		if method == http.MethodPost {
			if i.status == "succeeded" {
				return stripeFault(http.StatusBadRequest, "invalid_request_error", "payment_intent_unexpected_state")
			}
			i.status = "canceled"
		}
		return http.StatusOK, m.show(i)
	case parts[0] == "refunds":
		for _, r := range m.refunds {
			if r.id == parts[1] {
				return http.StatusOK, r.show()
			}
		}
	}
	return stripeFault(http.StatusNotFound, "invalid_request_error", "resource_missing")
}

// list is a page of intents by their time of creation.
func (m *stripeModel) list(form url.Values) (int, string) {
	bound := func(name string, otherwise int64) int64 {
		if n, err := strconv.ParseInt(form.Get("created["+name+"]"), 10, 64); err == nil {
			return n
		}
		return otherwise
	}
	from, to := bound("gte", 0), bound("lte", 1<<60)
	limit, _ := strconv.Atoi(form.Get("limit"))
	if n, theirs := strings.CutPrefix(form.Get("starting_after"), "pi_other_"); m.busy > 0 && (theirs || form.Get("starting_after") == "") {
		read, _ := strconv.Atoi(n)
		if read < m.busy {
			other := &stripeIntent{id: fmt.Sprintf("pi_other_%d", read+1), amount: 100, status: "succeeded", created: m.now()}
			return http.StatusOK, page("list", []string{m.show(other)}, true)
		}
		form.Del("starting_after")
	}
	var found []string
	after, passed := form.Get("starting_after"), form.Get("starting_after") == ""
	for _, i := range slices.Backward(m.intents) {
		if at := i.created.Unix(); passed && at >= from && at <= to {
			if len(found) == max(limit, 10) {
				return http.StatusOK, page("list", found, true)
			}
			found = append(found, m.show(i))
		}
		passed = passed || i.id == after
	}
	return http.StatusOK, page("list", found, false)
}

func page(object string, list []string, more bool) string {
	return fmt.Sprintf(`{"object": %q, "data": [%s], "has_more": %v}`, object, strings.Join(list, ", "), more)
}

// captured are the intents that took money, by checkout.
func (m *stripeModel) captured() map[string][]*stripeIntent {
	all := map[string][]*stripeIntent{}
	for _, i := range m.intents {
		if i.status == "succeeded" && i.metadata["checkout"] != "" {
			all[i.metadata["checkout"]] = append(all[i.metadata["checkout"]], i)
		}
	}
	return all
}
