package features

import (
	"fmt"
	"strconv"
)

func sessionSteps(sc stepRegistry, s *scenario) {
	sc.When(`^the buyer reads the session$`, func() error { return s.act(func(b *shopper) { b.ReadSession() }) })
	sc.When(`^the buyer reads the session in the other shop$`, func() error { return s.buyerSendsToOtherShop("GET", "/acp/sessions/$session", "") })
	sc.When(`^the buyer extends the session by (\d+) minutes$`, s.aftersales.extendsSession)
	sc.Then(`^the session ends (\d+) minutes later$`, s.aftersales.sessionEndsLater)
	sc.Then(`^the session has (\d+) offers and answers$`, s.haggling.historyHas)
	sc.Then(`^the session recommended (\d+) products?, and (\d+) (?:was|were) bought$`, s.discovery.hasRecommended)
}

// historyHas reads the session and checks how many offers and answers it shows.
func (c *hagglingContext) historyHas(n int) error {
	if _, err := c.readSession(); err != nil {
		return err
	}
	return c.answerShows("negotiation_history.#", strconv.Itoa(n))
}

// hasRecommended reads the session and counts the recommended products, and those of them that were bought.
func (c *discoveryContext) hasRecommended(all, bought int) error {
	if _, err := c.haggling.readSession(); err != nil {
		return err
	}
	shown, _ := valueAt(c.recorder.last().value(), "recommendations_shown.*.accepted")
	list, _ := shown.([]any)
	accepted := 0
	for _, one := range list {
		if one == true {
			accepted++
		}
	}
	if len(list) != all || accepted != bought {
		return fmt.Errorf("%d are recommended, %d were bought", len(list), accepted)
	}
	return nil
}
