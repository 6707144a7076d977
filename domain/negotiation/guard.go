package negotiation

import "github.com/haggle-commerce/haggle/domain/money"

// Guard is the guardrail between an agent and the buyer. It returns the agent's proposal if the proposal follows the
// rules, or else the nearest answer that does. Guard(t, Decide(t)) is Decide(t). For any proposal, the answer's price
// is at or above the floor or an outstanding commitment, and never above list.
func Guard(t Table, proposal Decision) Decision {
	if proposal == nil {
		return Decide(t)
	}
	if t.Offer == nil {
		return t.guardQuote(proposal)
	}
	if t.Settled() {
		return Decide(t)
	}
	switch d := proposal.(type) {
	case Accepted:
		return Accepted{t.atMostList(), d.By}
	case Countered:
		return t.guardCounter(d)
	case Rejected: // only offers below the floor are rejected, and those are settled; others get the price as a counter
		if d.Price.IsPositive() {
			return t.guardCounter(Countered{d.Price, false, d.By})
		}
	}
	return t.guardCounter(Countered{t.current(), false, AgentAnswer})
}

func (t Table) guardQuote(proposal Decision) Decision {
	q, ok := proposal.(Quoted)
	if !ok || t.Bounds.Fixed() || t.exhausted() || t.undercuts(q.Price) {
		return Decide(t)
	}
	return Quoted{t.clamp(q.Price, t.Bounds.floor.Minor()), q.By}
}

// guardCounter keeps a counter above the offer, at or above the floor, and at or below every earlier one. It repeats
// the earlier counter if the buyer did not move, or after the last round. The rules decide whether the counter is
// final, because they would not keep to an agent's final price.
func (t Table) guardCounter(d Countered) Decision {
	if t.offer() >= t.current().Minor() {
		return Accepted{t.atMostList(), AtAsk}
	}
	if t.undercuts(d.Price) {
		return Decide(t)
	}
	price := t.clamp(d.Price, max(t.Bounds.floor.Minor(), t.offer()+1))
	if t.Progress.Counter.IsPositive() && (t.exhausted() || !t.moved()) {
		price = t.Progress.Counter
	}
	return Countered{price, t.exhausted() || t.lastRound(), d.By}
}

// undercuts reports whether a price is below the floor. Raising it to the floor would reveal the floor, so the rules
// decide instead.
func (t Table) undercuts(price money.Amount) bool {
	return price.Currency() == t.Bounds.list.Currency() && price.Minor() < min(t.Bounds.floor.Minor(), t.current().Minor())
}

// clamp limits a price to between low and the current price, which a product's page may have shown already. A price in
// another currency is invalid and becomes the highest price allowed.
func (t Table) clamp(price money.Amount, low int64) money.Amount {
	high := min(t.current().Minor(), t.Bounds.list.Minor())
	if price.Currency() != t.Bounds.list.Currency() {
		return t.amount(high)
	}
	return t.amount(min(max(price.Minor(), low), high))
}
