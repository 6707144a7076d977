package exposure

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"net/url"
	"regexp"
	"slices"
	"strings"
)

// overrides are values of bodies that the schema does not determine, by operation and dotted path. {} is the slug of the
// caller's shop, and nil is the caller's id of that kind.
var overrides = map[string]map[string]any{
	"create-project":            {"slug": "new-{}"},
	"update-project":            {"name": "Taken over"},
	"update-settings":           {"general.name": "Taken over"},
	"update-storefront":         {"description": "Taken over"},
	"update-account":            {"name": "Taken over"},
	"create-api-key":            {"scopes": []any{"keys:read"}},
	"create-invitation":         {"email": "new@{}.example", "role": "analyst"},
	"update-member":             {"name": "Taken over"},
	"create-product":            {"sku": "new-sku"},
	"create-event-subscription": {"url": "https://127.0.0.1:1/hook", "event_types": []any{"*"}},
	"update-event-subscription": {"description": "Taken over"},
	"update-product":            {"name": "Taken over"},
	"upsert-products":           {"products.name": "Taken over", "products.price": 1},
	"create-synonym":            {"words": []any{"sofa", "couch"}},
	"update-synonym":            {"words": []any{"taken", "over"}},
	"replace-synonyms":          {"synonyms.words": []any{"taken", "over"}},
	"create-agent":              {"name": "Spare"},
	"update-agent":              {"name": "Taken over"},
	"create-agent-policy":       {"policy.round_cap": 3},
	"dry-run-agent-policy":      {"policy.round_cap": 3, "product_ids": nil},
	"simulate-agent":            {"product_id": nil, "offers": []any{90}},
	"replay-agent":              {"limit": 100},
	"tune-agent":                {"limit": 200},
	"start-market":              {"buyers": 50, "product_ids": nil},
	"send-test-buyers":          {"count": 1},
	"redeliver-failed-events":   {"since": "2026-01-01T00:00:00Z"},
	"confirm-mfa":               {"code": "123456"},
	"connect-api-key":           {"type": "stripe", "credentials.api_key": "sk_test_{}"},
	"rotate-credentials":        {"api_key": "another-of-{}"},
	"connect-integration":       {"type": "hubspot", "redirect_uri": "https://example.com/back"},
	"complete-connection":       {"type": "hubspot", "code": nil, "state": nil},
	"update-integration":        {"name": "Taken over"},
	"start-sync":                {"resources": []any{"customers"}},
	"register-webhook":          {"topic": "orders/create"},
	"create-buyer-token":        {"email": nil},
	"export-buyer":              {"email": "a@example.com"}, // who ordered from every tenant
	"erase-buyer":               {"email": "b@example.com"},
	"get-shipping-rates":        {"integration_id": nil, "weight_grams": 500},
	"create-shipping-label":     {"integration_id": nil, "weight_grams": 500, "carrier_code": "stamps_com", "service_code": "usps_priority_mail"},
	"refund-payment":            {"amount": 1},
	"resolve-payment":           {"outcome": "not_charged", "reason": "Taken over"},
	"resolve-refund":            {"outcome": "failed", "reason": "Taken over"},
	"resolve-orphan":            {"outcome": "failed", "reason": "Taken over"},
	"submit-evidence":           {"note": "Taken over"},
	"open-sandbox-dispute":      {"payment_id": nil, "amount": 1},
	"cancel-order":              {"reason": "Taken over"},
	"create-order-note":         {"text": "Taken over"},
	"approve-return":            {"restock": false},
	"reject-return":             {"reason": "Taken over"},
	"acp-order-cancel":          {"reason": "Taken over", "manage_token": nil, "session_id": nil},
	"acp-quote":                 {"product_id": nil},
	"acp-search":                {"query": "mug"},
	"acp-checkout-init":         {"items.product_id": nil, "shipping_address": somewhere},
	"acp-checkout-revise":       {"items.product_id": nil, "shipping_address": somewhere},
	"acp-checkout-finalize":     {"payment.method": "psp_spt", "payment.token": "spt_sandbox_ok", "buyer_email": "a@example.com"},
	"acp-availability":          {"shipping_address.country": "US"},
}

var somewhere = map[string]any{"name": "A", "line1": "1 B St", "city": "C", "state": "CA", "postal_code": "90001", "country": "US"}

// nameless are values of required parameters that name nothing.
var nameless = map[string]string{"from": "2026-01-01T00:00:00Z", "to": "2026-01-02T00:00:00Z", "resource": "customers", "version": "1"}

// looksLikeID matches names whose values the walk must know.
var looksLikeID = regexp.MustCompile(`(?i)(^|[_-])(id|ids|sku|skus|token)$`)

// notIDs look like ids but are not ours, or give no access to anything.
var notIDs = []string{"items.line_id", "model.templates.id", "payment.token", "provider_charge_id", "provider_refund_id"}

// kinds are the kinds of things behind names that mean something else in other operations, or are ambiguous.
var kinds = map[string]map[string]string{
	"complete-connection":   {"code": "code", "state": "state"},
	"create-buyer-token":    {"email": "customer_email"},
	"acp-checkout":          {"id": "checkout_id"},
	"acp-checkout-page":     {"id": "checkout_id"},
	"acp-checkout-revise":   {"id": "checkout_id"},
	"acp-order":             {"X-Manage-Token": "manage_token"},
	"acp-buyer-receipt":     {"code": "receipt_code"},
	"revoke-signing-key":    {"kid": "kid"},
	"revoke-agent-key":      {"key_id": "agent_key_id"},
	"list-orders":           {"ids": "order_id"},
	"list-negotiations":     {"ids": "negotiation_id"},
	"end-console-session":   {"session_id": "console_session_id"},
	"get-shipping-rates":    {"integration_id": "shipper_id"},
	"create-shipping-label": {"integration_id": "shipper_id"},
	"dry-run-agent-policy":  {"product_ids": "product_id"},
	"replay-agent":          {"negotiation_ids": "negotiation_id"},
	"start-market":          {"product_ids": "product_id"},
	"export-import-errors":  {"job_id": "import_id"},
}

// kindOf returns the kind of thing that a parameter or field names, which is a key of tenant.ids, or "".
func (o *operation) kindOf(name string) string {
	if kind := kinds[o.ID][name]; kind != "" {
		return kind
	}
	if slices.Contains(notIDs, name) {
		return ""
	}
	last := name[strings.LastIndex(name, ".")+1:]
	switch last {
	case "X-Project-ID", "X-Confirm-Delete", "project_ids":
		return "project_id"
	case "related":
		return "sku"
	case "id": // of a path such as sessions/{id}
		before, _, _ := strings.Cut(o.path, "s/{id}")
		return before[strings.LastIndex(before, "/")+1:] + "_id"
	}
	if looksLikeID.MatchString(last) {
		return last
	}
	return ""
}

// place is where a request names a thing.
type place struct{ in, name string }

func (p place) String() string { return p.in + " " + p.name }

// places returns all places that name something, sorted.
func (o *operation) places() []place {
	var list []place
	for _, p := range o.Parameters {
		if o.kindOf(p.Name) != "" {
			list = append(list, place{p.In, p.Name})
		}
	}
	if body := o.body(); body != nil {
		found := map[string]bool{}
		leaves(body, o.defs, "", found)
		for _, path := range slices.Sorted(maps.Keys(found)) {
			if o.kindOf(path) != "" {
				list = append(list, place{"body", path})
			}
		}
	}
	return list
}

// request is one call of an operation.
type request struct {
	method, path, body string
	headers            []string
}

// request fills in an operation with ids, and with those of changed in their places.
func (o *operation) request(ids map[string]string, changed map[place]string) (request, error) {
	r := request{method: o.method, path: o.path}
	query := url.Values{}
	for _, p := range o.Parameters {
		value, kind := changed[place{p.In, p.Name}], o.kindOf(p.Name)
		if p.Name == "slug" {
			kind = "slug"
		}
		if value == "" && (p.In == "path" || p.In == "header" && kind != "" || p.Required) {
			if value = cmp.Or(ids[kind], nameless[p.Name]); value == "" {
				return r, fmt.Errorf("the walk has no value for the %s parameter %s", p.In, p.Name)
			}
		}
		switch {
		case p.In == "path":
			r.path = strings.ReplaceAll(r.path, "{"+p.Name+"}", value)
		case value != "" && p.In == "header":
			r.headers = append(r.headers, p.Name, value)
		case value != "":
			query.Set(p.Name, value)
		}
	}
	if len(query) > 0 {
		r.path += "?" + query.Encode()
	}
	var err error
	r.body, err = o.fillBody(ids, changed)
	if o.Body != nil && o.body() == nil { // a file
		r.headers = append(r.headers, "Content-Type", "text/csv")
		r.body = "sku,name,price\nWALL-1,Wall,5\n"
	}
	return r, err
}

func (o *operation) fillBody(ids map[string]string, changed map[place]string) (string, error) {
	if o.body() == nil {
		return "", nil
	}
	f := filling{
		defs:  o.defs,
		set:   map[string]any{},
		known: func(path string) string { return ids[o.kindOf(path)] },
	}
	for path, value := range overrides[o.ID] {
		if text, ok := value.(string); ok {
			value = strings.ReplaceAll(text, "{}", ids["slug"])
		}
		if value == nil {
			value = f.known(path)
		}
		f.set[path] = value
	}
	for p, value := range changed {
		if p.in == "body" {
			f.set[p.name] = value
		}
	}
	for _, p := range o.places() {
		if p.in == "body" && ids[o.kindOf(p.name)] == "" {
			return "", fmt.Errorf("the walk knows no value for %s", p)
		}
	}
	body := f.value(o.body(), "")
	if object, ok := body.(map[string]any); ok && len(object) == 0 {
		return "", fmt.Errorf("the walk has nothing to put into the body: overrides needs a line for %s", o.ID)
	}
	text, err := json.Marshal(body)
	return string(text), err
}
