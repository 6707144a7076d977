package management

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/viewtest"
	"github.com/haggle-commerce/haggle/domain/agentkey"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/project"
)

// The tests below check that merchants see every field of their data, except those listed with a reason.

func TestToAPISettings_everyField(t *testing.T) {
	viewtest.Shown(func(s project.Settings) settings { return toAPISettings(&project.Project{Settings: s}) }, nil)(t)
}

func TestToAPIAgentKey_everyField(t *testing.T) {
	viewtest.Shown(func(k agentkey.Key) AgentKeyView { return toAPIAgentKey(&k) }, fieldtest.Reasons{
		"agentkey.Key.Project":   "the request names it",
		"agentkey.Key.Hash":      "it is for the server alone",
		"agentkey.Key.RevokedAt": "a key that is revoked is not shown",
	})(t)
}

func TestToAPIStorefront_everyField(t *testing.T) {
	viewtest.Shown(toAPIStorefront, nil)(t)
}
