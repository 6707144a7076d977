package integrations

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/domain/event"
)

// Each webhook has a description of its own, and an example that fits its schema.
func TestDocumentEvents(t *testing.T) {
	t.Parallel()
	doc := &huma.OpenAPI{}
	documentEvents(doc)
	descriptions, registry := map[string]string{}, huma.NewMapRegistry("#/", huma.DefaultSchemaNamer)
	for kind, item := range doc.Webhooks {
		description := item.Post.Description
		if other := descriptions[description]; other != "" || !strings.HasPrefix(description, item.Post.Summary) {
			t.Errorf("%s has the description of %q: %s", kind, other, description)
		}
		descriptions[description] = kind
		body := item.Post.RequestBody.Content["application/json"]
		text, err := json.Marshal(body.Example)
		if err != nil {
			t.Fatal(err)
		}
		for _, field := range []string{"", "data"} {
			var example map[string]any
			if err := json.Unmarshal(text, &example); err != nil {
				t.Fatal(err)
			}
			if field != "" {
				example[field] = "text"
			}
			if problems := problemsOf(registry, body.Schema, example); (len(problems) > 0) != (field != "") {
				t.Errorf("%s with another %q: %v", kind, field, problems)
			}
		}
		if len(body.Schema.Properties["data"].Properties) == 0 {
			t.Errorf("%s: the schema has no fields of the data", kind)
		}
	}
	for _, kind := range event.Types {
		if doc.Webhooks[kind.String()] == nil {
			t.Errorf("%s is missing", kind)
		}
	}
}

func problemsOf(registry huma.Registry, schema *huma.Schema, value any) []error {
	var precompute func(*huma.Schema)
	precompute = func(s *huma.Schema) {
		for _, p := range s.Properties {
			precompute(p)
		}
		if s.Items != nil {
			precompute(s.Items)
		}
		s.PrecomputeMessages()
	}
	precompute(schema)
	result := &huma.ValidateResult{}
	huma.Validate(registry, schema, huma.NewPathBuffer([]byte{}, 0), huma.ModeWriteToServer, value, result)
	return result.Errors
}
