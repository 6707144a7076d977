package agents

import (
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// paragraph explains a decision in English. Each of its numbers is of the record, the policies, or a difference of two.
func paragraph(e *negotiation.Entry, a negotiation.Account, others []OtherAnswer) string {
	sentences := []string{
		circumstances(e.Signals),
		boundsSentence(e),
		buyerSentence(e, a),
		ruleSentence(e, a),
		policySentence(e, a),
		handlerSentence(e),
		othersSentence(others),
	}
	var text strings.Builder
	for _, sentence := range sentences {
		if sentence != "" && text.Len() > 0 {
			text.WriteByte(' ')
		}
		text.WriteString(sentence)
	}
	return text.String()
}

// circumstances names the signals that a policy weighs.
func circumstances(s negotiation.Signals) string {
	parts := []string{"The list price was " + agent.FormatAmount(s.List) + " for " + pieces(s.Quantity)}
	if s.Cost != nil {
		parts = append(parts, "the cost "+agent.FormatAmount(*s.Cost))
	}
	if s.Competitor != nil {
		parts = append(parts, "a competitor’s price "+agent.FormatAmount(*s.Competitor))
	}
	if s.Stock != negotiation.Uncounted {
		parts = append(parts, "the stock "+decimal(s.Stock))
	}
	if s.CartValue.IsPositive() {
		parts = append(parts, "the rest of the cart "+agent.FormatAmount(s.CartValue)+" at agreed prices")
	}
	if s.CartAtList.IsPositive() {
		parts = append(parts, "other items in the cart "+agent.FormatAmount(s.CartAtList)+" at list prices")
	}
	text := enumerate(parts) + "."
	if known := loyalty(s.Member.Tier.String(), s.Member.Purchases, ""); known != "" {
		text += " The shop’s own systems know the buyer: " + known + "."
	}
	if claimed := loyalty(s.Claims.Tier.String(), s.Claims.Purchases, s.Claims.Urgency.String()); claimed != "" {
		text += " The buyer claims: " + claimed + "."
	}
	return text
}

func pieces(n int) string {
	if n == 1 {
		return "one piece"
	}
	return "each of " + decimal(n) + " pieces"
}

func loyalty(tier string, purchases int, urgency string) string {
	var parts []string
	if tier != "" {
		parts = append(parts, "tier "+tier)
	}
	if purchases > 0 {
		parts = append(parts, "purchases "+decimal(purchases))
	}
	if urgency != "" {
		parts = append(parts, "urgency "+urgency)
	}
	return strings.Join(parts, ", ")
}

// boundsSentence has the bounds that were used. All that moves them is in Entry.Bounds.
func boundsSentence(e *negotiation.Entry) string {
	b := e.Bounds
	if b.Fixed() {
		return "The price was fixed at the list price."
	}
	return "The floor was " + agent.FormatAmount(b.Floor()) + " (" + money.Off(b.List(), b.Floor()).String() + " off list), the target " +
		agent.FormatAmount(b.Target()) + ", and the opening price " + agent.FormatAmount(b.Opening()) + "."
}

// buyerSentence says what the buyer did.
func buyerSentence(e *negotiation.Entry, a negotiation.Account) string {
	if e.Offer == nil {
		return "The buyer asked for the price."
	}
	text, best := "The buyer offered "+agent.FormatAmount(*e.Offer), e.Before.BestOffer
	if best.IsPositive() {
		switch up := e.Offer.Minor() - best.Minor(); {
		case up > 0:
			text += ", " + difference(*e.Offer, best) + " above its last offer that counted as a move"
		case up < 0:
			text += ", " + difference(best, *e.Offer) + " below its last offer that counted as a move"
		default:
			text += ", as much as its last offer that counted as a move"
		}
	}
	text += "."
	switch {
	case a.Stated == nil || e.Bounds.Fixed():
	case a.Stated.Moved && !best.IsPositive():
		text += " It is the first offer that counts as a move."
	case a.Stated.Moved:
		text += " It counts as a move."
	case e.Offer.Minor() < a.LeastMove.Minor():
		text += " It does not count as a move: the least would be " + agent.FormatAmount(a.LeastMove) + "."
	default:
		text += " It is too low to count as a move."
	}
	return text
}

// difference formats by how much one amount is above another.
func difference(high, low money.Amount) string {
	return agent.FormatAmount(money.Of(high.Minor()-low.Minor(), high.Currency()))
}

// ruleSentence has the rule, the reason and the answer.
func ruleSentence(e *negotiation.Entry, a negotiation.Account) string {
	return "Rule " + e.Rule.String() + ": " + ruleReason(e, a) + answerOf(e, a) + "."
}

func ruleReason(e *negotiation.Entry, a negotiation.Account) string {
	switch e.Rule {
	case negotiation.NoOffer:
		return "there was no offer to answer"
	case negotiation.ListOnly:
		return "there is nothing to negotiate"
	case negotiation.Commitment:
		return "the offer reaches " + agent.FormatAmount(e.Before.Counter) + ", which the shop had named"
	case negotiation.AtAsk:
		if e.Offer != nil && e.Offer.Minor() >= e.Bounds.Target().Minor() {
			return "the offer reaches the target"
		}
		return "the offer is close enough to the shop’s price of " + agent.FormatAmount(a.Current)
	case negotiation.Concession:
		return "the buyer moved"
	case negotiation.NoMovement:
		return "the buyer did not move"
	case negotiation.FinalRound:
		return "no moves are left after " + decimal(e.Before.Rounds)
	case negotiation.ProbingLimit:
		return "too many prices were tried out (" + probes(e.Signals.Probed) + ")"
	case negotiation.BelowFloor:
		return "the offer is " + difference(e.Bounds.Floor(), *e.Offer) + " below the floor"
	}
	return "the agent chose the answer within the guardrails"
}

func probes(n negotiation.Probed) string {
	return "offers below the floor in the session: " + decimal(n.Session) + ", sessions of the client in a day: " + decimal(n.Client) +
		", its other sessions about the product: " + decimal(n.Product)
}

// answerOf continues a reason.
func answerOf(e *negotiation.Entry, a negotiation.Account) string {
	text := map[negotiation.Outcome]string{
		negotiation.OutcomeAccepted: ", so the offer was accepted",
		negotiation.OutcomeRejected: ", so the offer was rejected",
	}[e.Outcome]
	switch {
	case e.Price == nil:
		return text
	case e.Outcome == negotiation.OutcomeAccepted:
		return text + " at " + agent.FormatAmount(*e.Price)
	case a.Down.IsPositive():
		return text + ", and the price came down " + agent.FormatAmount(a.Down) + " to " + agent.FormatAmount(*e.Price)
	case e.Before.Counter.IsPositive():
		return text + ", and the price stayed at " + agent.FormatAmount(*e.Price)
	}
	return text + ", and the price was " + agent.FormatAmount(*e.Price)
}

// policySentence has what the policy version that decided says about such an offer.
func policySentence(e *negotiation.Entry, a negotiation.Account) string {
	s := a.Stated
	if s == nil || e.Offer == nil || e.Bounds.Fixed() {
		return ""
	}
	text := "Policy version " + decimal(e.PolicyVersion)
	switch {
	case s.Last:
		text += " comes down no further"
	case s.Met:
		text += " meets such a first offer with " + s.Markup.String() + " of it"
	case s.Moved:
		text += " goes " + s.Give.String() + " of the way from list to floor at this move"
		if s.Lean != 0 {
			text += " (the signals shift its steps by " + s.Lean.String() + ")"
		}
		text += ", to " + agent.FormatAmount(s.Step)
		if s.Step.Minor() >= a.Current.Minor() {
			text += ", which is not below the price that stood"
		}
	default:
		text += " comes down only for a move"
	}
	return text + "; at this point it accepted offers from " + agent.FormatAmount(s.LeastAccepted) + " on."
}

func handlerSentence(e *negotiation.Entry) string {
	var text string
	if e.Fallback != "" {
		text = "The built-in rules answered in place of the agent (" + e.Fallback + ")."
	}
	if e.Proposal != nil {
		if text != "" {
			text += " "
		}
		text += "The handler " + e.Handler + " had proposed " + agent.FormatAmount(*e.Proposal) + "."
	}
	return text
}

// othersSentence groups policies by their answers.
func othersSentence(others []OtherAnswer) string {
	var phrases []string
	named := map[string][]string{}
	for _, other := range others {
		phrase := otherAnswer(other.Answer)
		if named[phrase] == nil {
			phrases = append(phrases, phrase)
		}
		named[phrase] = append(named[phrase], otherName(other))
	}
	for i, phrase := range phrases {
		phrases[i] = enumerate(named[phrase]) + " would have " + phrase
	}
	if len(phrases) == 0 {
		return ""
	}
	return "After the same offers, " + strings.Join(phrases, "; ") + "."
}

func otherName(o OtherAnswer) string {
	if o.Preset != "" {
		return "“" + o.Title + "”"
	}
	return "version " + decimal(o.Version) + ", which is in force,"
}

func otherAnswer(d negotiation.Decision) string {
	switch d := d.(type) {
	case negotiation.Accepted:
		return "accepted at " + agent.FormatAmount(d.Price)
	case negotiation.Rejected:
		return "rejected the offer and asked " + agent.FormatAmount(d.Price)
	case nil:
		return "agreed earlier"
	}
	return "asked " + agent.FormatAmount(*negotiation.PriceIn(d))
}

func decimal(n int) string { return strconv.Itoa(n) }

func enumerate(items []string) string {
	last := len(items) - 1
	if last <= 0 {
		return strings.Join(items, "")
	}
	return strings.Join(items[:last], ", ") + " and " + items[last]
}
