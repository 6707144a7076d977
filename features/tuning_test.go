package features

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"sync"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

func tuningSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^(\d+) buyers haggled for the "([^"]*)", who would pay (\d+) to (\d+)% of its price$`, s.agents.haveNegotiated)
	sc.Given(`^a holdout of (\d+)% of the sessions$`, s.agents.setsHoldout)
	sc.Step(`^the merchant activates a policy that never concedes$`, func() error { return s.agents.changesPolicy(noConcessions) })
	sc.Given(`^the merchant activates a policy that never concedes, with discounts of up to (\d+)% and (\d+) rounds$`, func(percent, rounds int) error {
		return s.agents.changesPolicy(fmt.Sprintf(`"max_discount_percent": %d, "round_cap": %d, `, percent, rounds) + noConcessions)
	})
	sc.Step(`^the merchant activates a policy with another curve$`, func() error { return s.agents.changesPolicy(`"curve": {"take_percent": [100]}`) })
	sc.When(`^the agent learns from its record, with the note "([^"]*)"$`, func(note string) error { return s.agents.tunesAgent(fmt.Sprintf(`{"note": %q}`, note)) })
	sc.When(`^the agent learns from its record, and its proposal is put in force$`, func() error { return s.agents.tunesAgent(`{"activate": true}`) })

	sc.Then(`^the holdout compares policy version (\d+) with version (\d+)$`, s.agents.holdoutCompares)
	sc.Then(`^more than (\d+) negotiations were held under each of them$`, s.agents.holdoutHasMoreThan)
	sc.Then(`^the baseline of the holdout has earned something$`, s.agents.baselineHasEarned)
	sc.Then(`^the holdout's verdict is "([^"]*)"$`, func(verdict string) error { return s.answerShows("verdict", strconv.Quote(verdict)) })
	sc.Then(`^policy version (\d+) is the new baseline, with nothing to compare it with$`, s.agents.baselineIs)
	sc.Then(`^there is nothing to compare$`, s.agents.hasNoHoldout)
	sc.Then(`^the agent has too few negotiations to learn from$`, s.agents.cannotLearn)
	sc.Then(`^the agent has (\d+) policy versions$`, s.agents.policyCountIs)
	sc.Then(`^it has learned from (\d+) negotiations, and proposes policy version (\d+), which earns more$`, s.agents.proposes)
	sc.Then(`^policy version (\d+) is noted "([^"]*)", and still has discounts of up to (\d+)% and (\d+) rounds$`, s.agents.proposalKeepsBounds)
	sc.Then(`^policy version (\d+) earns more, and is in force with discounts of up to (\d+)% and (\d+) rounds$`, s.agents.proposalIsInForce)
}

// noConcessions are the fields of a policy that asks for 150% of the offer, at most the list price, and stays there.
const noConcessions = `"curve": {"reach_percent": 100, "markup_percent": 150, "give_percent": [0], "take_percent": [0]}`

// changesPolicy changes fields of the active agent's policy, which makes a version that is in force.
func (c *agentsContext) changesPolicy(fields string) error {
	return c.sendsActive("PATCH", "", `{"policy": {`+fields+`}}`)
}

func (c *agentsContext) setsHoldout(percent int) error {
	return c.sendsActive("PATCH", "", fmt.Sprintf(`{"tuning": {"holdout_percent": %d}}`, percent))
}

func (c *agentsContext) holdoutCompares(baseline, inForce int) error {
	return errors.Join(
		c.sendsActive("GET", "/holdout", ""),
		c.statusIs(http.StatusOK),
		c.answerShows("baseline.policy_version", strconv.Itoa(baseline), "in_force.policy_version", strconv.Itoa(inForce)),
	)
}

func (c *agentsContext) holdoutHasMoreThan(negotiations int) error {
	more := fmt.Sprintf("above %d", negotiations)
	return c.answerShows("baseline.negotiations", more, "in_force.negotiations", more)
}

func (c *agentsContext) baselineHasEarned() error {
	return c.answerShows(
		"baseline.earned.deal_rate", "above 0",
		"baseline.earned.mean_price", "above 0",
		"baseline.earned.margin", "above 0",
	)
}

func (c *agentsContext) baselineIs(version int) error {
	return errors.Join(
		c.sendsActive("GET", "", ""),
		c.answerShows("tuning.baseline_version", strconv.Itoa(version)),
		c.hasNoHoldout(),
	)
}

func (c *agentsContext) hasNoHoldout() error {
	return errors.Join(c.sendsActive("GET", "/holdout", ""), c.isRefused(http.StatusConflict, "no_holdout"))
}

func (c *agentsContext) cannotLearn() error {
	return errors.Join(c.sendsActive("POST", "/tune", `{}`), c.isRefused(http.StatusConflict, "too_few_negotiations"))
}

func (c *agentsContext) policyCountIs(n int) error {
	return errors.Join(c.sendsActive("GET", "/policies", ""), c.answerShows("meta.total", strconv.Itoa(n)))
}

func (c *agentsContext) proposes(negotiations, version int) error {
	return errors.Join(
		c.statusIs(http.StatusOK),
		c.answerShows(
			"negotiations", strconv.Itoa(negotiations),
			"buyers.0.share", "above 0",
			"before.deal_rate", "above 0",
			"before.margin", "above 0",
			"after.margin", "above 0",
			"gain.low", "above 0",
			"replay.negotiations", strconv.Itoa(negotiations),
			"better", "true",
			"policy_version", strconv.Itoa(version),
			"in_force", "false",
		),
	)
}

func (c *agentsContext) proposalKeepsBounds(version int, note string, percent, rounds int) error {
	return errors.Join(
		c.sendsActive("GET", "/policies/"+strconv.Itoa(version), ""),
		c.answerShows(
			"origin", `"tuned"`,
			"note", strconv.Quote(note),
			"in_force", "false",
			"policy.max_discount_percent", strconv.Itoa(percent),
			"policy.round_cap", strconv.Itoa(rounds),
		),
	)
}

func (c *agentsContext) proposalIsInForce(version, percent, rounds int) error {
	return errors.Join(
		c.answerShows("better", "true", "policy_version", strconv.Itoa(version), "in_force", "true"),
		c.sendsActive("GET", "", ""),
		c.answerShows(
			"policy_version", strconv.Itoa(version),
			"policy.max_discount_percent", strconv.Itoa(percent),
			"policy.round_cap", strconv.Itoa(rounds),
		),
	)
}

// tunesAgent tunes the active agent. It retries a busy server, because tuning takes seconds of processor time.
func (c *agentsContext) tunesAgent(body string) error {
	if err := c.remembersActiveAgent(); err != nil {
		return err
	}
	c.runConcurrently(1, func(int) error { return c.send("POST", c.expand(agentsPath+"/$active/tune"), body, nil) })
	return c.concurrentErrs[0]
}

// concurrentBuyers is how many buyers negotiate at the same time.
const concurrentBuyers = 8

// haveNegotiated lets n buyers negotiate, each in its own session. Their reservation prices are spread evenly from least to
// most percent of the price.
func (c *agentsContext) haveNegotiated(n int, name string, least, most int) error {
	product := c.products[name]
	var running sync.WaitGroup
	failures := make([]error, concurrentBuyers)
	for h := range concurrentBuyers {
		client := c.buyerClient(c.shop.Slug)
		running.Go(func() {
			for i := h; i < n && failures[h] == nil; i += concurrentBuyers {
				share := least + (most-least)*(i*37%n)/n
				most := product.Price.Percent(decimal.FromInt(int64(share)), 2)
				from := fmt.Sprintf("203.0.%d.%d", i/250, i%250) // sessions per client address are limited
				failures[h] = c.negotiates(client, product.ID, most, 3+i%3, acp.Header("X-Forwarded-For", from))
			}
		})
	}
	running.Wait()
	for _, err := range failures {
		if err != nil {
			return err
		}
	}
	return nil
}

// negotiates opens at three quarters of the reservation price and raises its offer to it in equal steps. It accepts a price
// that is no higher than its next offer.
func (c *agentsContext) negotiates(client *acp.Client, product string, most decimal.Decimal, rounds int, from acp.Option) error {
	quote := acp.Quote{}
	for round := range rounds + 1 {
		offer := most.Percent(decimal.FromInt(int64(min(75+25*round/(rounds-1), 100))), 2)
		current := quote.CurrentPrice()
		accepts := current.Sign() > 0 && !offer.Less(current)
		if accepts {
			offer = current
		} else if round == rounds {
			return nil
		}
		request := acp.QuoteRequest{
			ProductID:  product,
			Quantity:   1,
			OfferPrice: &offer,
		}
		if quote.QuoteID != "" {
			request = acp.QuoteRequest{
				SessionID:  quote.SessionID,
				QuoteID:    quote.QuoteID,
				OfferPrice: &offer,
			}
		}
		answer, err := quoteWithRetry(c.ctx, client, request, from)
		if err != nil || answer.Status == acp.Accept {
			return err
		}
		quote = answer
	}
	return nil
}

// quoteWithRetry repeats the request for up to a minute while the server is overloaded. An overloaded server refuses a request
// before it changes anything.
func quoteWithRetry(ctx context.Context, client *acp.Client, request acp.QuoteRequest, from acp.Option) (answer acp.Quote, err error) {
	for began := time.Now(); ; time.Sleep(100 * time.Millisecond) {
		answer, err = client.Quote(ctx, request, from)
		refused, ok := errors.AsType[*acp.Error](err)
		if !ok || refused.Code != "overloaded" || time.Since(began) > time.Minute {
			return answer, err
		}
	}
}
