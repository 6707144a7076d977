package agents

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/viewtest"
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// The tests below check that merchants see every field of their data, except those listed with a reason.

func TestToAPIPolicy_everyField(t *testing.T) {
	viewtest.Shown(func(p negotiation.Policy) policyDocument { return toAPIPolicy(p, money.USD) },
		fieldtest.Reasons{"negotiation.Policy.Version": "the agent and the version around it show it"})(t)
}

func TestToAPIVersion_everyField(t *testing.T) {
	viewtest.Shown(func(v agent.Version) PolicyVersionView { return toAPIVersion(v, &agent.Agent{}, money.USD) },
		viewtest.Omitted("agent.Version", map[string]string{viewtest.InPath: "Agent"}))(t)
}

func TestToAPIAgent_everyField(t *testing.T) {
	viewtest.Shown(func(a agent.Agent) AgentView { return toAPIAgent(&a, money.USD) },
		viewtest.Omitted("agent.Agent", map[string]string{viewtest.Elsewhere: "Latest Held", viewtest.Secret: "Secret"}))(t)
}

func TestToAPIDecision_everyField(t *testing.T) {
	viewtest.Shown(toAPIDecision, fieldtest.Reasons{
		"negotiation.Link.Entry.Project":      viewtest.InPath,
		"negotiation.Link.Entry.Item.Session": "it is the entry's session",
		"negotiation.Link.Entry.Client":       viewtest.Secret,
		"negotiation.Link.Personal":           "the check of the chain reads it",
		"negotiation.Link.Salt":               "the check of the chain reads it",
		"negotiation.Link.Erased":             "the check of the chain reads it",
	})(t)
}
