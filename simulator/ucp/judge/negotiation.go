package judge

import (
	"slices"
	"strings"
)

// The states of a negotiation, and what a buyer may do next.
const (
	accepted   = "accepted"
	makeOffer  = "make_offer"
	acceptOne  = "accept_offer"
	declineOne = "decline_offer"
	capability = ".negotiation.quote"
	since      = "2026-12-01"
)

// negotiation checks an answer of Haggle's negotiation capability.
func (r *report) negotiation() {
	r.version()
	r.credentials("$", r.root)
	r.constraints("$", r.root)
	r.named()
	r.messages()
	status := text(r.root["status"])
	talking := slices.Contains([]string{"open", "countered", "rejected"}, status)
	item := object(r.root["item"])
	listed, current, hint := price(item["list_price"]), price(r.root["standing_price"]), price(r.root["hint"])
	stands := r.root["standing_price"] != nil
	var actions []string
	for _, action := range list(r.root["buyer_actions"]) {
		actions = append(actions, text(action))
	}
	r.require(!talking || stands, "$.standing_price", "a negotiation that is %s has one", status)
	r.require(!stands || current.currency == listed.currency, "$.standing_price.currency", "%s, the list price is in %s", current.currency, listed.currency)
	r.require(!stands || current.amount <= listed.amount, "$.standing_price", "%d is above the list price %d", current.amount, listed.amount)
	r.require(r.root["hint"] == nil || hint.amount <= listed.amount, "$.hint", "%d is above the list price %d", hint.amount, listed.amount)
	r.require(!talking || r.root["expires_at"] != nil, "$.expires_at", "a negotiation that is %s ends at some time", status)
	r.require(!slices.Contains(actions, acceptOne) || talking && stands, "$.buyer_actions", "there is nothing to accept")
	r.require(!slices.Contains(actions, makeOffer) || r.root["final"] != any(true), "$.buyer_actions", "a final price takes no offer")
	r.require(talking || !slices.ContainsFunc(actions, func(a string) bool { return a == makeOffer || a == declineOne }),
		"$.buyer_actions", "a negotiation that is %s is over", status)
	used, _ := integer(object(r.root["rounds"])["used"])
	allowed, _ := integer(object(r.root["rounds"])["allowed"])
	r.require(used <= allowed, "$.rounds", "%d of %d", used, allowed)
	r.onlyLine(item)
	r.deal(status, listed)
}

// onlyLine checks that item and quantity are those of the only line.
func (r *report) onlyLine(item map[string]any) {
	lines := list(r.root["lines"])
	if len(lines) == 0 {
		return
	}
	first := object(lines[0])
	r.require(text(object(first["item"])["id"]) == text(item["id"]), "$.lines[0].item.id", "it is not the item's")
	r.require(first["quantity"] == r.root["quantity"], "$.lines[0].quantity", "%v, quantity is %v", first["quantity"], r.root["quantity"])
}

// deal checks that an agreement, and nothing else, shows a deal.
func (r *report) deal(status string, listed money) {
	deal, shown := r.root["deal"].(map[string]any)
	agreeing := r.operation != GetNegotiation && status == accepted
	r.require(shown || !agreeing, "$.deal", "an accepted offer brings one")
	r.require(!shown || agreeing, "$.deal", "a deal code is shown once, in the answer that accepts")
	if !shown {
		return
	}
	agreed := price(deal["unit_price"])
	r.require(agreed.currency == listed.currency && agreed.amount <= listed.amount, "$.deal.unit_price",
		"%d %s, the list price is %d %s", agreed.amount, agreed.currency, listed.amount, listed.currency)
	r.require(deal["quantity"] == r.root["quantity"], "$.deal.quantity", "%v, quantity is %v", deal["quantity"], r.root["quantity"])
}

// named checks that the answer names the capability in its only version.
func (r *report) named() {
	for name, entries := range object(object(r.root["ucp"])["capabilities"]) {
		if !strings.HasSuffix(name, capability) {
			continue
		}
		for _, entry := range list(entries) {
			r.require(text(object(entry)["version"]) == since, "$.ucp.capabilities['"+name+"']", "its version is %q", text(object(entry)["version"]))
		}
		return
	}
	r.add("$.ucp.capabilities", "none is …%s", capability)
}
