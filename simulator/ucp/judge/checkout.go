package judge

import (
	"regexp"
	"slices"
	"strings"
	"time"
)

// The states of a checkout.
const (
	incomplete         = "incomplete"
	requiresEscalation = "requires_escalation"
	readyForComplete   = "ready_for_complete"
	inProgress         = "complete_in_progress"
	completed          = "completed"
	canceled           = "canceled"
)

var currencyCode = regexp.MustCompile(`^[A-Z]{3}$`)

// session checks the rules that carts and checkouts share.
func (r *report) session() map[string]int {
	r.envelope()
	r.unique("$.line_items", list(r.root["line_items"]))
	r.parents(list(r.root["line_items"]))
	r.require(currencyCode.MatchString(text(r.root["currency"])), "$.currency", "%q is no ISO 4217 code", text(r.root["currency"]))
	r.allTotals(true)
	r.discounts()
	r.policies()
	r.https("continue_url", r.root["continue_url"])
	return r.messages()
}

// parents checks that a nested line belongs to another line of the same list.
func (r *report) parents(lines []any) {
	ids := map[string]bool{}
	for _, line := range lines {
		ids[text(object(line)["id"])] = true
	}
	for i, line := range lines {
		parent, nested := object(line)["parent_id"].(string)
		r.require(!nested || ids[parent] && parent != text(object(line)["id"]), at("$.line_items", i)+".parent_id", "there is no other line %q", parent)
	}
}

func (r *report) cart() {
	severities := r.session()
	r.actions(false)
	r.require(severities[unrecoverable] == 0, "$.messages", "an unrecoverable error comes without a cart")
	if r.operation != CancelCart {
		r.expiry()
	}
}

func (r *report) checkout() {
	severities := r.session()
	status := text(r.root["status"])
	over := status == completed || status == canceled
	handOff := severities[requiresBuyerInput]+severities[requiresBuyerReview] > 0
	_, ordered := r.root["order"]

	r.require(ordered == (status == completed), "$.order", "an order is there exactly when the status is completed; it is %s", status)
	r.require(status != requiresEscalation || handOff, "$.messages", "an escalation needs a message with severity requires_buyer_input or requires_buyer_review")
	r.require(status != requiresEscalation || r.root["continue_url"] != nil, "$.continue_url", "an escalation needs one")
	r.require(!handOff || status == requiresEscalation || over, "$.status", "it is %s, and a message wants the buyer", status)
	r.require(severities[unrecoverable] == 0 || status == canceled, "$.messages", "an unrecoverable error leaves no checkout that is %s", status)
	r.require(status != completed || len(severities) == 0 || r.operation == CancelCheckout, "$.messages", "a completed checkout has errors")
	r.actions(over || status == readyForComplete)
	r.fulfillment()
	r.payment()
	if !over {
		r.expiry()
	}
	if permalink := object(r.root["order"])["permalink_url"]; permalink != nil {
		r.https("order.permalink_url", permalink)
	}
	if r.judge.house {
		r.houseCheckout(status, severities)
	}
}

func (r *report) houseCheckout(status string, severities map[string]int) {
	over := status == completed || status == canceled
	r.require(status != incomplete || severities["recoverable"] > 0, "$.messages", "an incomplete checkout says in an error what is missing")
	r.require(over || r.root["expires_at"] != nil, "$.expires_at", "a checkout that is %s ends at some time", status)
	r.require(!over || r.root["continue_url"] == nil, "$.continue_url", "there is nothing to go on with, the checkout is %s", status)
	for i, message := range list(r.root["messages"]) {
		said := object(message)
		missing := status == incomplete && text(said["type"]) == "error"
		r.require(!missing || said["path"] != nil, at("$.messages", i)+".path", "an error says where")
	}
}

// expiry checks that a session that can still be changed has not expired. It needs a clock.
func (r *report) expiry() {
	ends, given := r.root["expires_at"].(string)
	if !given || r.judge.now == nil {
		return
	}
	when, err := time.Parse(time.RFC3339, ends)
	r.require(err != nil || when.After(r.judge.now()), "$.expires_at", "it is over since %s", ends)
}

// actions checks that outstanding actions have unique ids, and that there are none if none are allowed.
func (r *report) actions(none bool) {
	outstanding, present := r.root["actions"].(map[string]any)
	if !present {
		return
	}
	r.require(len(outstanding) > 0, "$.actions", "without any it is left out")
	r.require(!none, "$.actions", "none may be outstanding in this state")
	seen := map[string]bool{}
	for name, instances := range outstanding {
		for i, instance := range list(instances) {
			id := text(object(instance)["id"])
			r.require(!seen[id], at("$.actions['"+name+"']", i)+".id", "%q is there twice", id)
			seen[id] = true
		}
	}
}

// payment checks that instruments belong to handlers of the checkout, and that at most one is selected.
func (r *report) payment() {
	handlers := map[string]bool{}
	for _, configured := range object(object(r.root["ucp"])["payment_handlers"]) {
		for _, handler := range list(configured) {
			handlers[text(object(handler)["id"])] = true
		}
	}
	selected := 0
	for i, instrument := range list(object(r.root["payment"])["instruments"]) {
		handler := text(object(instrument)["handler_id"])
		r.require(handlers[handler], at("$.payment.instruments", i)+".handler_id", "the checkout offers no handler %q", handler)
		if chosen, _ := object(instrument)["selected"].(bool); chosen {
			selected++
		}
	}
	r.require(selected <= 1, "$.payment.instruments", "%d are selected", selected)
}

// discounts checks the discounts and where they are shown.
func (r *report) discounts() {
	discounts := object(r.root["discounts"])
	codes := []string{}
	for _, code := range list(discounts["codes"]) {
		codes = append(codes, strings.ToLower(text(code)))
	}
	var applied int64
	for i, entry := range list(discounts["applied"]) {
		where, taken := at("$.discounts.applied", i), object(entry)
		applied += amount(taken)
		code, byCode := taken["code"].(string)
		automatic, _ := taken["automatic"].(bool)
		provisional, _ := taken["provisional"].(bool)
		r.require(!byCode || !automatic, where+".automatic", "an automatic discount has no code")
		r.require(!byCode || discounts["codes"] == nil || slices.Contains(codes, strings.ToLower(code)), where+".code", "%q was not submitted", code)
		r.require(taken["eligibility"] == nil || !byCode, where+".eligibility", "a claim needs no code")
		r.require(!provisional || text(r.root["status"]) != completed, where+".provisional", "a completed checkout has none that wait for proof")
		r.allocations(where, taken)
	}
	if r.judge.house {
		var shown int64
		for _, entry := range list(r.root["totals"]) {
			if text(object(entry)["type"]) == itemsDiscount {
				shown -= amount(entry)
			}
		}
		r.require(applied == shown, "$.discounts.applied", "they add up to %d, items_discount is %d", applied, -shown)
	}
}

// allocations checks that allocations add up to the discount, and that each is on an existing line.
func (r *report) allocations(where string, taken map[string]any) {
	parts, split := taken["allocations"].([]any)
	if !split {
		return
	}
	var sum int64
	for i, part := range parts {
		sum += amount(part)
		path := text(object(part)["path"])
		if !strings.HasPrefix(path, "$.totals.") { // $.totals.shipping, an example in the specification, selects no element of a list
			r.path(at(where+".allocations", i)+".path", path)
		}
	}
	r.require(sum == amount(taken), where+".allocations", "they add up to %d, the discount is %d", sum, amount(taken))
}

// policies checks that a target is a path that selects something.
func (r *report) policies() {
	for i, policy := range list(r.root["policies"]) {
		for k, target := range list(object(policy)["applies_to"]) {
			r.path(at(at("$.policies", i)+".applies_to", k), text(target))
		}
	}
}
