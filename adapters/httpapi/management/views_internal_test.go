package management

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/viewtest"
	"github.com/haggle-commerce/haggle/domain/agentkey"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Merchants see every field of what is theirs, or it is an exception with its reason.
func TestViews_everyField(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"settings": viewtest.Shown(func(s project.Settings) settings { return toAPISettings(&project.Project{Settings: s}) }, nil),
		"agent key": viewtest.Shown(func(k agentkey.Key) AgentKeyView { return toAPIAgentKey(&k) }, fieldtest.Reasons{
			"agentkey.Key.Project":   "the request names it",
			"agentkey.Key.Hash":      "it is for the server alone",
			"agentkey.Key.RevokedAt": "a key that is revoked is not shown",
		}),
		"storefront": viewtest.Shown(toAPIStorefront, nil),
	} {
		t.Run(name, test)
	}
}
