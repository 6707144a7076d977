package features

import (
	"fmt"
	"time"
)

const agentsPath = "/v1/agents"

func agentSteps(sc book, w *world) {
	sc.Given(`^the agent (\{.*\})$`, w.hasAgent)
	sc.Given(`^the active agent$`, w.readsActive)
	sc.Given(`^the agent serves the shop$`, func() error { return w.merchantSends("POST", agentsPath+"/$agent/activate", "") })
	sc.Given(`^(\d+) agents beside the active one$`, w.hasAgents)
	sc.Step(`^all decisions are sealed$`, w.waitsForSeal)

	sc.Then(`^the agent reads the same$`, w.agentReadsTheSame)
	sc.Then(`^the active agent is "([^"]*)"$`, w.isActive)
}

// hasAgent makes a draft, and calls its id so.
func (w *world) hasAgent(body string) error {
	if err := w.merchantSends("POST", agentsPath, body); err != nil {
		return err
	}
	return w.callsIt("id", "agent")
}

// readsActive calls the id of the agent that serves the shop "active".
func (w *world) readsActive() error {
	if err := w.merchantSends("GET", agentsPath+"?limit=1", ""); err != nil {
		return err
	}
	return w.callsIt("data.0.id", "active")
}

func (w *world) hasAgents(n int) error {
	for i := range n {
		if err := w.hasAgent(fmt.Sprintf(`{"name": "Agent %d"}`, i)); err != nil {
			return err
		}
	}
	return nil
}

func (w *world) agentReadsTheSame() error {
	before := w.tape.last().value()
	id, _ := at(before, "id")
	if err := w.merchantSends("GET", agentsPath+"/"+fmt.Sprint(id), ""); err != nil {
		return err
	}
	if object, ok := before.(map[string]any); ok {
		delete(object, "secret") // which is shown once
	}
	if now := w.tape.last().value(); !same(before, now) {
		return fmt.Errorf("it reads %s, it was %s", encode(now), encode(before))
	}
	return nil
}

func (w *world) isActive(name string) error {
	if err := w.merchantSends("GET", agentsPath, ""); err != nil {
		return err
	}
	for status, want := range map[string]string{"data.0.status": "active", "data.0.name": w.expand(name)} {
		if got, _ := at(w.tape.last().value(), status); got != want {
			return fmt.Errorf("%s is %v, want %s", status, got, want)
		}
	}
	others, _ := at(w.tape.last().value(), "data")
	for _, other := range others.([]any)[1:] {
		if status, _ := at(other, "status"); status != "draft" {
			return fmt.Errorf("another is %v too", status)
		}
	}
	return nil
}

// waitsForSeal waits until the server has sealed what was decided, which it does by itself.
func (w *world) waitsForSeal() error {
	if err := w.readsActive(); err != nil {
		return err
	}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(50 * time.Millisecond) {
		if err := w.merchantSends("GET", agentsPath+"/$active/decisions/verify", ""); err != nil {
			return err
		}
		if left, _ := at(w.tape.last().value(), "unsealed"); fmt.Sprint(left) == "0" {
			return nil
		}
	}
	return fmt.Errorf("they are not: %s", w.tape.last().body)
}
