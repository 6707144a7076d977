package features

import (
	"fmt"
	"time"
)

const agentsPath = "/v1/agents"

func agentSteps(sc stepRegistry, s *scenario) {
	sc.Given(`^the agent (\{.*\})$`, s.agents.createsAgent)
	sc.Given(`^the active agent$`, s.agents.remembersActiveAgent)
	sc.Given(`^the agent serves the shop$`, func() error { return s.merchantSends("POST", agentsPath+"/$agent/activate", "") })
	sc.Given(`^(\d+) agents beside the active one$`, s.agents.createsAgents)
	sc.Step(`^all decisions are sealed$`, s.agents.waitsForSeal)

	sc.Then(`^the agent reads the same$`, s.agents.agentReadsTheSame)
	sc.Then(`^the active agent is "([^"]*)"$`, s.agents.activeAgentIs)
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
