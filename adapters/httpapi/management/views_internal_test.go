package management

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/viewtest"
	"github.com/haggle-commerce/haggle/domain/project"
)

// Merchants see every field of what is theirs, or it is an exception with its reason.
func TestViews_everyField(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"settings":   viewtest.Shown(func(s project.Settings) settings { return toAPISettings(&project.Project{Settings: s}) }, nil),
		"storefront": viewtest.Shown(toAPIStorefront, nil),
	} {
		t.Run(name, test)
	}
}
