package console

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/console/pricepath"
)

func TestAnsweredBy(t *testing.T) {
	step := func(handler, fallback string) threadStep {
		d := pricepath.Decision{Handler: &handler}
		if fallback != "" {
			d.Fallback = &fallback
		}
		return threadStep{Decision: &decision{Decision: d}}
	}
	house, model := step("builtin:haggle", ""), step("model", "")
	for want, steps := range map[string][]threadStep{
		"":                     {{}, {Decision: &decision{}}},
		"House rules":          {house, house},
		"House rules, a model": {house, model, model},
		"A program of yours, house rules for want of an answer at 1 step": {step("remote", ""), step("builtin:haggle", "agent_timeout")},
		"House rules for want of an answer at 2 steps":                    {step("builtin:haggle", "agent_timeout"), step("builtin:haggle", "agent_timeout")},
	} {
		if got := answeredBy(steps); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
