package wire

import (
	"encoding/json"
	"net/http"
	"sync"

	"github.com/danielgtaylor/huma/v2"
)

// serveDocument serves the OpenAPI document. It is made at the first request, when every operation is registered.
func serveDocument(mux *http.ServeMux, api huma.API) {
	document := sync.OnceValue(func() *huma.OpenAPI { return share(standard(api.OpenAPI())) })
	asJSON := sync.OnceValues(func() ([]byte, error) { return json.Marshal(document()) })
	asYAML := sync.OnceValues(func() ([]byte, error) { return document().YAML() })
	mux.HandleFunc("GET /openapi.json", serveText("application/openapi+json", asJSON))
	mux.HandleFunc("GET /openapi.yaml", serveText("application/openapi+yaml", asYAML))
}

// standardizing guards what standard writes into: documents share their schemas.
var standardizing sync.Mutex

// standard takes out of a document what is Huma's own: the words for patterns, which have done their
// work once the messages that quote them are made.
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
		_, _ = w.Write(body) // the reader may have gone
	}
}
