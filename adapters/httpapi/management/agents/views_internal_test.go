package agents

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/viewtest"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// Merchants see every field of what is theirs, or it is an exception with its reason.
func TestViews_everyField(t *testing.T) {
	t.Parallel()
	usd := money.USD
	for name, test := range map[string]func(*testing.T){
		"policy": viewtest.Shown(func(p negotiation.Policy) policyDocument { return toAPIPolicy(p, usd) },
			fieldtest.Reasons{"negotiation.Policy.Version": "the agent and the version around it show it"}),
		"version": viewtest.Shown(func(v agent.Version) PolicyVersionView { return toAPIVersion(v, &agent.Agent{}, usd) },
			viewtest.Unseen("agent.Version", map[string]string{viewtest.InPath: "Agent"})),
		"agent": viewtest.Shown(func(a agent.Agent) AgentView { return toAPIAgent(&a, usd) },
			viewtest.Unseen("agent.Agent", map[string]string{viewtest.Elsewhere: "Latest Held", viewtest.Secret: "Secret"})),
		"decision": viewtest.Shown(toAPIDecision, fieldtest.Reasons{
			"negotiation.Link.Entry.Project":      viewtest.InPath,
			"negotiation.Link.Entry.Item.Session": "it is the entry's session",
			"negotiation.Link.Entry.Client":       viewtest.Secret,
			"negotiation.Link.Personal":           "the check of the chain reads it",
			"negotiation.Link.Salt":               "the check of the chain reads it",
			"negotiation.Link.Erased":             "the check of the chain reads it",
		}),
	} {
		t.Run(name, test)
	}
}
