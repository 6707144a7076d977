package catalog

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/viewtest"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
)

// Merchants see every field of what is theirs, or it is an exception with its reason.
func TestViews_everyField(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]func(*testing.T){
		"synonym": viewtest.Shown(viewtest.Pointed(toAPISynonym), viewtest.Unseen("catalog.Synonym", nil)),
		"level": viewtest.Shown(toAPILevel, fieldtest.Reasons{
			"catalog.Shelf.Level.Policy":  "the product shows it",
			"catalog.Shelf.Level.Digital": "the product shows it",
		}),
	} {
		t.Run(name, test)
	}
}
