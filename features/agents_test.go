package features

import (
	"fmt"
	"time"
)

const agentsPath = "/v1/agents"

func agentSteps(sc stepRegistry, w *world) {
	sc.Given(`^the agent (\{.*\})$`, w.createsAgent)
	sc.Given(`^the active agent$`, w.remembersActiveAgent)
	sc.Given(`^the agent serves the shop$`, func() error { return w.merchantSends("POST", agentsPath+"/$agent/activate", "") })
	sc.Given(`^(\d+) agents beside the active one$`, w.createsAgents)
	sc.Step(`^all decisions are sealed$`, w.waitsForSeal)

	sc.Then(`^the agent reads the same$`, w.agentReadsTheSame)
	sc.Then(`^the active agent is "([^"]*)"$`, w.activeAgentIs)
}

// createsAgent creates a draft agent and names its id "agent".
func (w *world) createsAgent(body string) error {
	if err := w.merchantSends("POST", agentsPath, body); err != nil {
		return err
	}
	return w.namesAnswerField("id", "agent")
}

// remembersActiveAgent names the id of the shop's active agent "active".
func (w *world) remembersActiveAgent() error {
	if err := w.merchantSends("GET", agentsPath+"?limit=1", ""); err != nil {
		return err
	}
	return w.namesAnswerField("data.0.id", "active")
}

func (w *world) createsAgents(n int) error {
	for i := range n {
		if err := w.createsAgent(fmt.Sprintf(`{"name": "Agent %d"}`, i)); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) agentReadsTheSame() error {
	before := w.recorder.last().value()
	id, _ := valueAt(before, "id")
	if err := w.merchantSends("GET", agentsPath+"/"+fmt.Sprint(id), ""); err != nil {
		return err
	}
	if object, ok := before.(map[string]any); ok {
		delete(object, "secret") // only the first answer shows it
	}
	if now := w.recorder.last().value(); !equalJSON(before, now) {
		return fmt.Errorf("it reads %s, it was %s", encode(now), encode(before))
	}
	return nil
}

func (w *world) activeAgentIs(name string) error {
	if err := w.merchantSends("GET", agentsPath, ""); err != nil {
		return err
	}
	for status, want := range map[string]string{"data.0.status": "active", "data.0.name": w.expand(name)} {
		if got, _ := valueAt(w.recorder.last().value(), status); got != want {
			return fmt.Errorf("%s is %v, want %s", status, got, want)
		}
	}
	others, _ := valueAt(w.recorder.last().value(), "data")
	for _, other := range others.([]any)[1:] {
		if status, _ := valueAt(other, "status"); status != "draft" {
			return fmt.Errorf("another is %v too", status)
		}
	}
	return nil
}

// waitsForSeal waits until the server's background work has sealed all decisions.
func (w *world) waitsForSeal() error {
	if err := w.remembersActiveAgent(); err != nil {
		return err
	}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if err := w.merchantSends("GET", agentsPath+"/$active/decisions/verify", ""); err != nil {
			return err
		}
		if left, _ := valueAt(w.recorder.last().value(), "unsealed"); fmt.Sprint(left) == "0" {
			return nil
		}
	}
	return fmt.Errorf("they are not: %s", w.recorder.last().body)
}
