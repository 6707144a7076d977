package pricepath

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/domain/money"
)

// rule has the words for a negotiation rule. Every sentence follows from the recorded decision, with exact amounts. No sentence
// names shares of the policy, because the record does not have them.
type rule struct {
	name   func(*step) string
	full   func(*Path, *step) string // with the rule's amounts
	hidden func(*step) string        // for viewers who may not see limits; independent of the limits
}

var rules = map[string]rule{
	"no_offer":      {openingName, (*Path).noOffer, hiddenNoOffer},
	"list_only":     {always("Not negotiable"), (*Path).listOnly, hiddenListOnly},
	"commitment":    {always("Promise kept"), (*Path).commitment, hiddenCommitment},
	"at_ask":        {always("Close enough"), (*Path).atAsk, always("The offer was close enough to accept.")},
	"concession":    {always("Moves with the buyer"), (*Path).concession, hiddenConcession},
	"no_movement":   {always("Too small a move"), (*Path).noMovement, always("The offer is no move that counts, so the price holds.")},
	"final_round":   {always("Last price"), (*Path).finalRound, always("No moves are left, so the price is final.")},
	"probing_limit": {always("Too many tries"), (*Path).probingLimit, hiddenProbingLimit},
	"below_floor":   {always("Below the floor"), (*Path).belowFloor, hiddenBelowFloor},
	"agent_answer":  {always("Agent’s answer"), (*Path).agentAnswer, hiddenAgentAnswer},
}

func always(text string) func(*step) string { return func(*step) string { return text } }

// why returns the name and the sentence of a step's rule. For a rule without words it returns the rule's code.
func (p *Path) why(s *step) (name, sentence string, known bool) {
	r, known := rules[s.rule]
	if !known {
		return s.rule, "", false
	}
	name = r.name(s)
	if !p.opt.Limits {
		return name, r.hidden(s), true
	}
	sentence = r.full(p, s)
	switch {
	case s.fallback != "":
		sentence += " The house rules answered in place of the agent (" + s.fallback + ")."
	case s.rule != "agent_answer" && s.proposal > 0 && s.proposal != s.price:
		sentence += " " + agentOf(s) + " had proposed " + p.money(s.proposal) + ", and the rules decided."
	}
	return name, sentence, true
}

func openingName(s *step) string {
	switch {
	case s.counter > 0:
		return "Price stands"
	case s.price == s.list:
		return "List price"
	}
	return "Opening price"
}

func (p *Path) noOffer(s *step) string {
	switch {
	case s.counter > 0 && s.price == s.counter:
		return "The shop stands by the " + p.money(s.price) + " that it had named."
	case s.counter > 0:
		return "The shop names " + p.money(s.price) + "."
	case s.price < s.list:
		return "The shop starts " + p.money(s.list-s.price) + " under list." + weighed(s)
	case loyalty(s) == "":
		return "No loyalty or volume to weigh, so the shop starts at list."
	}
	return "The shop starts at list." + weighed(s)
}

func weighed(s *step) string {
	if l := loyalty(s); l != "" {
		return " It had " + l + " to weigh."
	}
	return ""
}

// loyalty lists the recorded signals of loyalty and volume, or returns "".
func loyalty(s *step) string {
	var known []string
	if t := s.inputs.Member.Tier; t != "" {
		known = append(known, "membership ("+t+")")
	} else if t := s.inputs.Claims.Tier; t != "" {
		known = append(known, "claimed membership ("+t+")")
	}
	if n := s.inputs.Member.Purchases; n > 0 {
		known = append(known, count(n, "earlier purchase"))
	} else if n := s.inputs.Claims.Purchases; n > 0 {
		known = append(known, count(n, "claimed purchase"))
	}
	if s.quantity > 1 {
		known = append(known, count(s.quantity, "piece"))
	}
	return and(known)
}

func (p *Path) listOnly(s *step) string {
	const sells = "This product sells at list price."
	switch {
	case s.price != s.list:
		return "This product sells at list price now, but the shop keeps the " + p.money(s.price) + " that it had named."
	case s.offer > 0 && s.offer < s.list:
		return p.money(s.list-s.offer) + " under list. " + sells
	}
	return sells
}

func (p *Path) commitment(s *step) string {
	switch {
	case s.offer > s.counter && s.price < s.offer:
		return "The buyer offered " + p.money(s.offer-s.counter) + " more than the price that the shop had named, and pays no more than " + p.money(s.price) + "."
	case s.offer > s.counter:
		return "The buyer offered " + p.money(s.offer-s.counter) + " more than the price that the shop had named."
	}
	return "The buyer took a price that the shop had named."
}

func (p *Path) atAsk(s *step) string {
	before := s.priceBefore()
	switch {
	case s.offer > s.list:
		return p.money(s.offer-s.list) + " above list, so it is sold at list."
	case s.offer == s.list:
		return "The buyer offers the list price."
	case s.offer >= s.target:
		return "At or above the target of " + p.money(s.target) + ", which the shop accepts at once."
	case s.offer >= before:
		return "The offer comes up to the shop’s price."
	case s.counter == 0:
		return p.money(before-s.offer) + " under the price that the shop would have started at, which is close enough in this round."
	}
	return p.money(before-s.offer) + " under the shop’s price, which is close enough in this round."
}

func (p *Path) concession(s *step) string {
	down := s.priceBefore() - s.price
	switch {
	case s.best == 0 && down > 0:
		return "The first offer that counts, so the shop came down " + p.money(down) + from(s) + "."
	case s.best == 0:
		return "The first offer that counts. The shop’s price is " + p.money(s.price) + "."
	case down > 0:
		return "Up " + p.money(s.offer-s.best) + " since the last step that counted, so the shop came down " + p.money(down) + "."
	}
	return "Up " + p.money(s.offer-s.best) + " since the last step that counted. The shop’s price stays as it was."
}

// from returns what the shop comes down from if it had not named a price yet.
func from(s *step) string {
	switch {
	case s.counter > 0:
		return ""
	case s.opening == s.list:
		return " from list"
	}
	return " from its opening price"
}

func (p *Path) noMovement(s *step) string {
	moved := "The same offer again."
	switch {
	case s.offer > s.best:
		moved = "Up " + p.money(s.offer-s.best) + "."
	case s.offer < s.best:
		moved = "Down " + p.money(s.best-s.offer) + "."
	}
	return moved + " " + p.leastMove(s) + ", so the price holds."
}

// leastMove returns the smallest raise that Bounds.Moves in domain/negotiation counts, for offers of at least three quarters of
// the floor.
func (p *Path) leastMove(s *step) string {
	least, share := max(s.list/100, 1), "1% of list"
	switch {
	case s.list < 100:
		share = "the smallest amount"
	case s.list%100 != 0:
		share += ", rounded down"
	}
	return "A step counts from " + p.money(least) + " (" + share + ")"
}

func (p *Path) finalRound(s *step) string {
	if s.rounds <= 0 {
		return "No rounds are left, so the price is final."
	}
	return count(s.rounds, "round") + " went before and no more are left, so the price is final."
}

func (p *Path) probingLimit(s *step) string {
	sentence := p.declined(s) + "Too many prices were tried out"
	var tried []string
	if n := s.inputs.Probed.Session; n > 0 {
		tried = append(tried, count(n, "offer")+" below the floor in this session")
	}
	if n := s.inputs.Probed.Client; n > 0 {
		tried = append(tried, count(n, "session")+" of this client in a day")
	}
	if n := s.inputs.Probed.Product; n > 0 {
		tried = append(tried, count(n, "session")+" of this client about the product")
	}
	if len(tried) > 0 {
		sentence += " (" + strings.Join(tried, ", ") + ")"
	}
	return sentence + ", so the price holds."
}

// declined returns the beginning of the sentence about an offer under the floor.
func (p *Path) declined(s *step) string {
	if !s.rejected() || s.offer == 0 || s.offer >= s.floor {
		return ""
	}
	return p.money(s.floor-s.offer) + " under the floor, declined. "
}

func (p *Path) belowFloor(s *step) string {
	sentence := p.declined(s)
	down := s.priceBefore() - s.price
	switch {
	case !s.named:
		return strings.TrimSpace(sentence)
	case down <= 0 && s.counter > 0:
		return sentence + "The shop’s price holds."
	case down <= 0:
		return sentence + "The shop names " + p.money(s.price) + "."
	case s.best == 0 && s.rounds == 0:
		if above, exact := markup(s); exact {
			return sentence + "For this first offer the shop names " + above + " above it."
		}
		return sentence + "For this first offer the shop came down " + p.money(down) + from(s) + "."
	case s.best == 0:
		return sentence + "The shop came down " + p.money(down) + from(s) + "."
	}
	return sentence + "Up " + p.money(s.offer-s.best) + " since the last step that counted, so the shop came down " + p.money(down) + "."
}

// markup returns how far the price is above the offer, and whether that is a whole number of tenths of a percent, given that the
// domain rounds the price up to a minor unit. Under 1,000 minor units several numbers would match.
func markup(s *step) (text string, exact bool) {
	whole := int64(money.Whole)
	if s.offer < whole {
		return "", false
	}
	factor, err := money.MulDiv(s.price, whole, s.offer, money.Down)
	if err != nil || factor <= whole {
		return "", false
	}
	price, err := money.MulDiv(s.offer, factor, whole, money.Up)
	return money.Percent(factor - whole).String(), err == nil && price == s.price
}

func (p *Path) agentAnswer(s *step) string {
	who := agentOf(s)
	switch {
	case s.accepted() && s.price < s.offer:
		return who + " accepted the offer, at " + p.money(s.price) + "."
	case s.accepted():
		return who + " accepted the offer."
	case s.rejected():
		return who + " declined the offer."
	case s.proposal == 0:
		return who + " named no price, so the shop’s is " + p.money(s.price) + "."
	case s.proposal != s.price:
		return who + " proposed " + p.money(s.proposal) + ", which the rules made " + p.money(s.price) + "."
	}
	return who + " named " + p.money(s.price) + ", which the rules allow."
}

func agentOf(s *step) string {
	program, builtin := strings.CutPrefix(s.handler, "builtin:")
	switch {
	case s.handler == "remote":
		return "The remote handler"
	case s.handler == "model":
		return "The model"
	case builtin:
		return "The program " + program
	}
	return "The agent"
}

func count(n int, thing string) string {
	if n == 1 {
		return "1 " + thing
	}
	return strconv.Itoa(n) + " " + thing + "s"
}

func and(items []string) string {
	switch len(items) {
	case 0:
		return ""
	case 1:
		return items[0]
	}
	return fmt.Sprintf("%s and %s", strings.Join(items[:len(items)-1], ", "), items[len(items)-1])
}
