package checkout_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/checkout"
)

func TestShowsBuyer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		status checkout.Status
		agent  agentid.Agent
		want   bool
	}{
		"an open one of an agent that said who it is": {checkout.Ready, agentid.Agent{Profile: "https://agent.example/p", Protocol: agentid.UCP}, true},
		"an incomplete one of a plain MCP client":     {checkout.Incomplete, agentid.Agent{Protocol: agentid.MCP}, true},
		"one that is being paid":                      {checkout.Processing, agentid.Agent{Protocol: agentid.UCP}, false},
		"a completed one":                             {checkout.Completed, agentid.Agent{Protocol: agentid.UCP}, false},
		"a completed one of a verified agent": {checkout.Completed, agentid.Agent{
			Profile:  "https://agent.example/p",
			Verified: true,
			Protocol: agentid.UCP,
		}, true},
		"an open one of Haggle's own protocol":       {checkout.Ready, agentid.Agent{}, false},
		"one that said who it is, over Haggle's own": {checkout.Ready, agentid.Agent{Profile: "https://agent.example/p"}, false},
	} {
		if got := checkout.Rehydrate(checkout.Snapshot{Status: c.status, Agent: c.agent}).ShowsBuyer(); got != c.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
