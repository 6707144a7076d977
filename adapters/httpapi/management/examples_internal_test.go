package management

import (
	"net/http"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

// Every operation with a JSON body has an example in the OpenAPI document that is valid by its schema.
func TestRegister_examples(t *testing.T) {
	t.Parallel()
	a := register(wire.NewAPI(http.NewServeMux(), wire.Config{Title: "Test", Version: "1"}), Services{TestBuyers: noBuyers{}, SandboxDisputes: noDisputes{}})
	doc := a.Document()
	checked := 0
	for path, item := range doc.Paths {
		for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Delete, item.Patch} {
			if op == nil || op.RequestBody == nil {
				continue
			}
			media := op.RequestBody.Content["application/json"]
			if media == nil {
				continue
			}
			if media.Example == nil {
				t.Errorf("%s %s: add an example of %s to internal/operation/examples.go", op.Method, path, op.OperationID)
				continue
			}
			var found huma.ValidateResult
			huma.Validate(doc.Components.Schemas, media.Schema, huma.NewPathBuffer(nil, 0), huma.ModeWriteToServer, media.Example, &found)
			for _, problem := range found.Errors {
				t.Errorf("%s: its example: %v", op.OperationID, problem)
			}
			checked++
		}
	}
	if checked < 50 {
		t.Errorf("only %d examples", checked)
	}
}
