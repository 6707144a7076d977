package wire

import (
	"encoding/json"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// serveDocument serves the OpenAPI document. It renders the document at the first request, when all operations are registered.
func serveDocument(mux *http.ServeMux, api huma.API) {
	document := sync.OnceValue(func() *huma.OpenAPI { return share(standard(api.OpenAPI())) })
	asJSON := sync.OnceValues(func() ([]byte, error) { return json.Marshal(document()) })
	asYAML := sync.OnceValues(func() ([]byte, error) { return document().YAML() })
	mux.HandleFunc("GET /openapi.json", serveText("application/openapi+json", asJSON))
	mux.HandleFunc("GET /openapi.yaml", serveText("application/openapi+yaml", asYAML))
}

// standardizing guards the schemas that standard changes, because documents share them.
var standardizing sync.Mutex

// standard removes Huma's own members from a document: the descriptions of patterns, which are not needed once the messages that
// quote them are built.
func standard(doc *huma.OpenAPI) *huma.OpenAPI {
	standardizing.Lock()
	defer standardizing.Unlock()
	for _, schema := range doc.Components.Schemas.Map() {
		for _, property := range schema.Properties {
			if property.PatternDescription != "" {
				property.PatternDescription = ""
			}
		}
	}
	return doc
}

func serveText(contentType string, text func() ([]byte, error)) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		body, err := text()
		if err != nil {
			WriteError(w, r, err)
			return
		}
		w.Header().Set("Content-Type", contentType)
		_, _ = w.Write(body) // the client may have gone
	}
}
