package catalog

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/viewtest"
	"github.com/haggle-commerce/haggle/domain/fieldtest"
)

// The tests below check that merchants see every field of their data, except those listed with a reason.

func TestToAPISynonym_everyField(t *testing.T) {
	viewtest.Shown(viewtest.Pointed(toAPISynonym), viewtest.Omitted("catalog.Synonym", nil))(t)
}

func TestToAPILevel_everyField(t *testing.T) {
	viewtest.Shown(toAPILevel, fieldtest.Reasons{
		"catalog.Shelf.Level.Policy":  "the product shows it",
		"catalog.Shelf.Level.Digital": "the product shows it",
	})(t)
}
