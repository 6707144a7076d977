package pricepath

// These sentences are for viewers who may not see limits. They name no amounts, and depend only on offers, prices and the list
// price.

func hiddenNoOffer(s *step) string {
	switch {
	case s.counter > 0:
		return "The shop stands by the price that it had named."
	case s.list == 0:
		return "The shop names its price."
	case s.price < s.list:
		return "The shop starts under list."
	}
	return "The shop starts at list."
}

func hiddenListOnly(s *step) string {
	if s.list > 0 && s.price != s.list {
		return "This product sells at list price now, but the shop keeps the price that it had named."
	}
	return "This product sells at list price."
}

func hiddenCommitment(s *step) string {
	if s.offer > s.counter {
		return "The buyer offered more than the price that the shop had named."
	}
	return "The buyer took a price that the shop had named."
}

func hiddenConcession(s *step) string {
	switch {
	case s.best == 0:
		return "The shop answers the first offer that counts."
	case s.price < s.counter:
		return "The buyer moved, so the shop came down."
	}
	return "The buyer moved. The shop’s price stays as it was."
}

func hiddenProbingLimit(s *step) string {
	if s.rejected() {
		return "Declined. Too many prices were tried out, so the price holds."
	}
	return "Too many prices were tried out, so the price holds."
}

func hiddenBelowFloor(s *step) string {
	switch {
	case !s.named || s.counter == 0:
		return "Under the floor, declined."
	case s.price < s.counter:
		return "Under the floor, declined. The shop came down."
	}
	return "Under the floor, declined. The shop’s price holds."
}

func hiddenAgentAnswer(s *step) string {
	switch {
	case s.accepted():
		return agentOf(s) + " accepted the offer."
	case s.rejected():
		return agentOf(s) + " declined the offer."
	}
	return agentOf(s) + " named the price, within the rules."
}
