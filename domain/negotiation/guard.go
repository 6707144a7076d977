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
	if t.committed() || t.Bounds.Fixed() || t.offer() < t.Bounds.floor.Minor() {
		return Decide(t) // these answers leave an agent no choice
	}
	switch d := proposal.(type) {
	case Accepted:
		return Accepted{t.atMostList(), d.By}
	case Countered:
		return t.guardCounter(d)
	}
	return t.guardCounter(Countered{t.standing(), false, AgentAnswer})
}

func (t Table) guardQuote(proposal Decision) Decision {
	q, ok := proposal.(Quoted)
	if !ok || t.Bounds.Fixed() {
		return Decide(t)
	}
	return Quoted{t.clamp(q.Price, t.Bounds.floor.Minor()), q.By}
}

// guardCounter holds a counter to: above the offer, at or above the floor, at or below every earlier
// one; the same again for a buyer who did not move or after the last round.
func (t Table) guardCounter(d Countered) Decision {
	if t.offer() >= t.Bounds.list.Minor() {
		return Accepted{t.atMostList(), AtAsk}
	}
	price := t.clamp(d.Price, max(t.Bounds.floor.Minor(), t.offer()+1))
	if t.Progress.Counter.IsPositive() && (t.exhausted() || !t.moved()) {
		price = t.Progress.Counter
	}
	return Countered{price, d.Final || t.exhausted() || t.lastRound(), d.By}
}

// clamp brings a price between low and our lowest counter, or list where there is none. A price of
// another currency is none at all and becomes the highest allowed.
func (t Table) clamp(price money.Amount, low int64) money.Amount {
	high := t.Bounds.list.Minor()
	if t.Progress.Counter.IsPositive() {
		high = min(high, t.Progress.Counter.Minor())
	}
	if price.Currency() != t.Bounds.list.Currency() {
		return t.amount(high)
	}
	return t.amount(min(max(price.Minor(), low), high))
}
