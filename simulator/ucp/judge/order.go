package judge

// order checks an order in an answer or in a webhook.
func (r *report) order() {
	r.envelope()
	lines := list(r.root["line_items"])
	known := r.unique("$.line_items", lines)
	r.parents(lines)
	r.require(currencyCode.MatchString(text(r.root["currency"])), "$.currency", "%q is no ISO 4217 code", text(r.root["currency"]))
	r.https("permalink_url", r.root["permalink_url"])
	r.allTotals(false)
	r.policies()
	r.messages()
	for i, line := range lines {
		r.orderLine(at("$.line_items", i), object(line))
	}
	shipped := object(r.root["fulfillment"])
	r.unique("$.fulfillment.expectations", list(shipped["expectations"]))
	for i, expectation := range list(shipped["expectations"]) {
		r.lineReferences(at("$.fulfillment.expectations", i), object(expectation), known)
	}
	r.unique("$.fulfillment.events", list(shipped["events"]))
	for i, event := range list(shipped["events"]) {
		where, happened := at("$.fulfillment.events", i), object(event)
		r.lineReferences(where, happened, known)
	}
	r.unique("$.adjustments", list(r.root["adjustments"]))
	for i, adjustment := range list(r.root["adjustments"]) {
		r.adjustment(at("$.adjustments", i), object(adjustment), known)
	}
}

// orderLine checks that the status follows from the quantities.
func (r *report) orderLine(path string, line map[string]any) {
	quantity := object(line["quantity"])
	now, counted := integer(quantity["total"])
	done, shipped := integer(quantity["fulfilled"])
	if !counted || !shipped {
		return
	}
	want := "processing"
	switch {
	case now == 0:
		want = "removed"
	case done == now:
		want = "fulfilled"
	case done > 0:
		want = "partial"
	}
	r.require(text(line["status"]) == want, path+".status", "%d of %d are fulfilled, so it is %s and not %q", done, now, want, text(line["status"]))
}

func (r *report) lineReferences(path string, of map[string]any, known map[string]bool) {
	for i, reference := range list(of["line_items"]) {
		id := text(object(reference)["id"])
		r.require(known[id], at(path+".line_items", i)+".id", "there is no line %q", id)
	}
}

// adjustment checks that refunds are negative.
func (r *report) adjustment(path string, of map[string]any, known map[string]bool) {
	r.lineReferences(path, of, known)
	sum := r.totals(path+".totals", list(of["totals"]))
	switch kind := text(of["type"]); kind {
	case "refund", "credit", "return":
		r.require(sum.of[total] <= 0, path+".totals", "a %s of %d would be paid by the buyer", kind, sum.of[total])
	}
}
