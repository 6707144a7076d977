package management

import (
	"net/http"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

// The reference describes every operation beyond its summary and its scope.
func TestRegister_descriptions(t *testing.T) {
	t.Parallel()
	a := register(wire.NewAPI(http.NewServeMux(), wire.Config{Title: "Test", Version: "1"}), Services{TestBuyers: noBuyers{}})
	for path, item := range a.Document().Paths {
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Patch, item.Delete} {
			if op != nil && strings.HasPrefix(op.Description, "Scope: ") {
				t.Errorf("%s %s only names its scope: describe %s", op.Method, path, op.OperationID)
			}
		}
	}
}
