package negotiation

import "github.com/haggle-commerce/haggle/domain/money"

// Guard is the guardrail between an agent and the buyer: it returns the agent's proposal if it keeps
// the rules, else the nearest answer that does. Guard(t, Decide(t)) is Decide(t), and for any proposal
// the answer's price is at or above the floor or an outstanding commitment, and never above list.
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
	case Rejected: // only what is under the floor is rejected, which is settled; what is not hears the price instead
		if d.Price.IsPositive() {
			return t.guardCounter(Countered{d.Price, false, d.By})
		}
	}
	return t.guardCounter(Countered{t.standing(), false, AgentAnswer})
}

func (t Table) guardQuote(proposal Decision) Decision {
	q, ok := proposal.(Quoted)
	if !ok || t.Bounds.Fixed() || t.exhausted() || t.undercuts(q.Price) {
		return Decide(t)
	}
	return Quoted{t.clamp(q.Price, t.Bounds.floor.Minor()), q.By}
}

// guardCounter holds a counter to: above the offer, at or above the floor, at or below every earlier
// one; the same again for a buyer who did not move or after the last round. Whether it is final is the rules' to say:
// nothing would hold the house to an agent's last word.
func (t Table) guardCounter(d Countered) Decision {
	if t.offer() >= t.standing().Minor() {
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

// undercuts reports whether a price is under the floor. What is raised to the floor would show it, so the house decides.
func (t Table) undercuts(price money.Amount) bool {
	return price.Currency() == t.Bounds.list.Currency() && price.Minor() < min(t.Bounds.floor.Minor(), t.standing().Minor())
}

// clamp brings a price between low and the one that we stand by, which a product's page may have shown already. A
// price of another currency is none at all and becomes the highest allowed.
func (t Table) clamp(price money.Amount, low int64) money.Amount {
	high := min(t.standing().Minor(), t.Bounds.list.Minor())
	if price.Currency() != t.Bounds.list.Currency() {
		return t.amount(high)
	}
	return t.amount(min(max(price.Minor(), low), high))
}
