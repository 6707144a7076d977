package features

import (
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/cucumber/godog"
)

const agentsPath = "/v1/agents"

func agentSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^the active agent$`, s.agents.remembersActiveAgent)
	sc.Given(`^(\d+) agents beside the active one$`, s.agents.createsAgents)
	sc.Step(`^the merchant creates the agent "([^"]*)"$`, func(name string) error { return s.agents.createsAgent(fmt.Sprintf(`{"name": %q}`, name)) })
	sc.Step(`^the merchant activates the agent "([^"]*)"$`, s.agents.activatesAgent)
	sc.Step(`^the merchant limits discounts to (\d+)%$`, s.agents.limitsDiscounts)
	sc.Step(`^the merchant stores a policy version with discounts of up to (\d+)%$`, s.agents.storesPolicy)
	sc.Step(`^the merchant activates policy version (\d+)$`, s.agents.activatesPolicy)
	sc.When(`^the merchant tries out discounts of up to (\d+)%$`, s.agents.triesPolicy)
	sc.When(`^the merchant simulates the offers (.+) for the "([^"]*)"$`, s.agents.simulatesOffers)
	sc.When(`^the merchant replays the record with discounts of up to (\d+)%$`, s.agents.replaysRecord)
	sc.Step(`^all decisions are sealed$`, s.agents.waitsForSeal)

	sc.Then(`^the active agent is "([^"]*)"$`, s.agents.activeAgentIs)
	sc.Then(`^the merchant can delete the agent "([^"]*)"$`, s.agents.canDeleteAgent)
	sc.Then(`^the merchant cannot delete the agent "([^"]*)", which is active$`, s.agents.cannotDeleteActiveAgent)
	sc.Then(`^the merchant cannot create another agent$`, s.agents.cannotCreateAgent)
	sc.Then(`^policy version (\d+) is in force$`, s.agents.policyInForceIs)
	sc.Then(`^the lowest price of the "([^"]*)" would change from (\S+) to (\S+)$`, s.agents.lowestPriceWouldChange)
	sc.Then(`^the simulation ends in a deal at (\S+)$`, func(price string) error { return s.answerShows("deal", price) })
	sc.Then(`^no decision is recorded$`, s.agents.recordIsEmpty)
	sc.Then(`^the replay counts (\d+) deals?: (\d+) certain and (\d+) possible under that policy$`, s.agents.replayCounts)
	sc.Then(`^the record shows, latest first:$`, s.agents.recordShows)
	sc.Then(`^the seals of (\d+) decisions are valid$`, s.agents.sealsAreValid)
}

// agentsContext creates and activates the shop's agents, and tunes them.
type agentsContext struct{ *scenario }

// createsAgent creates a draft agent and names its id "agent".
func (c *agentsContext) createsAgent(body string) error {
	if err := c.merchantSends("POST", agentsPath, body); err != nil {
		return err
	}
	return c.platforms.namesAnswerField("id", "agent")
}

// remembersActiveAgent names the id of the shop's active agent "active".
func (c *agentsContext) remembersActiveAgent() error {
	if err := c.merchantSends("GET", agentsPath+"?limit=1", ""); err != nil {
		return err
	}
	return c.platforms.namesAnswerField("data.0.id", "active")
}

func (c *agentsContext) createsAgents(n int) error {
	for i := range n {
		if err := c.createsAgent(fmt.Sprintf(`{"name": "Agent %d"}`, i)); err != nil {
			return err
		}
	}
	return nil
}

// sendsActive sends a request about the active agent. path is the part after the agent's id.
func (c *agentsContext) sendsActive(method, path, body string) error {
	if err := c.remembersActiveAgent(); err != nil {
		return err
	}
	return c.merchantSends(method, agentsPath+"/$active"+path, body)
}

// pathOf returns the path of the agent with a name.
func (c *agentsContext) pathOf(name string) (string, error) {
	if err := c.merchantSends("GET", agentsPath+"?limit=100", ""); err != nil {
		return "", err
	}
	all, _ := valueAt(c.recorder.last().value(), "data")
	list, _ := all.([]any)
	for _, one := range list {
		if got, _ := valueAt(one, "name"); got == name {
			id, _ := valueAt(one, "id")
			return agentsPath + "/" + fmt.Sprint(id), nil
		}
	}
	return "", fmt.Errorf("no agent is named %q", name)
}

func (c *agentsContext) activatesAgent(name string) error {
	path, err := c.pathOf(name)
	if err != nil {
		return err
	}
	return c.merchantSends("POST", path+"/activate", "")
}

func (c *agentsContext) canDeleteAgent(name string) error {
	path, err := c.pathOf(name)
	if err != nil {
		return err
	}
	return errors.Join(c.merchantSends("DELETE", path, ""), c.statusIs(http.StatusNoContent))
}

func (c *agentsContext) cannotDeleteActiveAgent(name string) error {
	path, err := c.pathOf(name)
	if err != nil {
		return err
	}
	return errors.Join(
		c.merchantSends("DELETE", path, ""),
		c.isRefused(http.StatusConflict, "agent_active"),
		c.activeAgentIs(name),
	)
}

func (c *agentsContext) cannotCreateAgent() error {
	return errors.Join(
		c.merchantSends("POST", agentsPath, `{"name": "One more"}`),
		c.isRefused(http.StatusConflict, "too_many_agents"),
	)
}

// limitsDiscounts gives the active agent a new policy version that is in force at once.
func (c *agentsContext) limitsDiscounts(percent int) error {
	return c.sendsActive("PATCH", "", discountPolicy(percent))
}

func discountPolicy(percent int) string {
	return fmt.Sprintf(`{"policy": {"max_discount_percent": %d}}`, percent)
}

func (c *agentsContext) storesPolicy(percent int) error {
	return c.sendsActive("POST", "/policies", discountPolicy(percent))
}

func (c *agentsContext) activatesPolicy(version int) error {
	return c.sendsActive("POST", fmt.Sprintf("/policies/%d/activate", version), "")
}

func (c *agentsContext) policyInForceIs(version int) error {
	return errors.Join(c.sendsActive("GET", "", ""), c.answerShows("policy_version", strconv.Itoa(version)))
}

func (c *agentsContext) triesPolicy(percent int) error {
	return c.sendsActive("POST", "/policies/dry-run", discountPolicy(percent))
}

func (c *agentsContext) lowestPriceWouldChange(name, before, after string) error {
	return c.answerShows(
		"products.0.name", strconv.Quote(name),
		"products.0.before.floor", before,
		"products.0.after.floor", after,
	)
}

func (c *agentsContext) simulatesOffers(prices, name string) error {
	return c.sendsActive("POST", "/simulate", fmt.Sprintf(`{"product_id": %q, "offers": [%s]}`, c.products[name].ID, prices))
}

func (c *agentsContext) recordIsEmpty() error {
	return errors.Join(c.sendsActive("GET", "/decisions", ""), c.answerShows("meta.total", "0"))
}

func (c *agentsContext) replaysRecord(percent int) error {
	return c.sendsActive("POST", "/replay", discountPolicy(percent))
}

func (c *agentsContext) replayCounts(deals, certain, possible int) error {
	return c.answerShows(
		"deals.before", strconv.Itoa(deals),
		"deals.after_certain", strconv.Itoa(certain),
		"deals.after_possible", strconv.Itoa(possible),
	)
}

// recordShows compares the decisions of the active agent with rows of offer, answer, price and rule.
func (c *agentsContext) recordShows(table *godog.Table) error {
	rows := table.Rows[1:]
	pairs := []string{"meta.total", strconv.Itoa(len(rows))}
	for i, row := range rows {
		at := fmt.Sprintf("data.%d.", i)
		pairs = append(pairs,
			at+"offer", row.Cells[0].Value,
			at+"answer.response", strconv.Quote(row.Cells[1].Value),
			at+"answer.price", row.Cells[2].Value,
			at+"rule", strconv.Quote(row.Cells[3].Value),
		)
	}
	return errors.Join(c.sendsActive("GET", "/decisions", ""), c.answerShows(pairs...))
}

func (c *agentsContext) sealsAreValid(decisions int) error {
	return errors.Join(
		c.sendsActive("GET", "/decisions/verify", ""),
		c.answerShows("verified", "true", "decisions", strconv.Itoa(decisions), "head.position", strconv.Itoa(decisions), "broken_at", "null"),
	)
}

func (c *agentsContext) agentReadsTheSame() error {
	before := c.recorder.last().value()
	id, _ := valueAt(before, "id")
	if err := c.merchantSends("GET", agentsPath+"/"+fmt.Sprint(id), ""); err != nil {
		return err
	}
	if object, ok := before.(map[string]any); ok {
		delete(object, "secret") // only the first answer shows it
	}
	if now := c.recorder.last().value(); !equalJSON(before, now) {
		return fmt.Errorf("it reads %s, it was %s", encode(now), encode(before))
	}
	return nil
}

func (c *agentsContext) activeAgentIs(name string) error {
	if err := c.merchantSends("GET", agentsPath, ""); err != nil {
		return err
	}
	for status, want := range map[string]string{"data.0.status": "active", "data.0.name": c.expand(name)} {
		if got, _ := valueAt(c.recorder.last().value(), status); got != want {
			return fmt.Errorf("%s is %v, want %s", status, got, want)
		}
	}
	others, _ := valueAt(c.recorder.last().value(), "data")
	for _, other := range others.([]any)[1:] {
		if status, _ := valueAt(other, "status"); status != "draft" {
			return fmt.Errorf("another is %v too", status)
		}
	}
	return nil
}

// waitsForSeal waits until the server's background work has sealed all decisions.
func (c *agentsContext) waitsForSeal() error {
	if err := c.remembersActiveAgent(); err != nil {
		return err
	}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if err := c.merchantSends("GET", agentsPath+"/$active/decisions/verify", ""); err != nil {
			return err
		}
		if left, _ := valueAt(c.recorder.last().value(), "unsealed"); fmt.Sprint(left) == "0" {
			return nil
		}
	}
	return fmt.Errorf("they are not: %s", c.recorder.last().body)
}
