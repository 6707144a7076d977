package wire

import (
	"bytes"
	"compress/gzip"
	"encoding/json"
	"html/template"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/danielgtaylor/huma/v2"
	"github.com/swaggest/swgui/v5/static"
)

// docsPolicy allows the documentation its own files, the data: images of Swagger UI's style sheet, and
// nothing else. No script or style is inline.
const docsPolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data:; " +
	"connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

// Addresses are relative, so that a path before the server's own changes nothing.
var docsPage = template.Must(template.New("docs").Parse(`<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>{{.}}</title>
<link rel="stylesheet" href="docs/swagger-ui.css">
<link rel="icon" type="image/png" href="docs/favicon-32x32.png">
</head>
<body>
<div id="swagger-ui"></div>
<script src="docs/swagger-ui-bundle.js"></script>
<script src="docs/start.js"></script>
</body>
</html>
`))

const docsScript = `window.ui = SwaggerUIBundle({
  url: "openapi.json",
  dom_id: "#swagger-ui",
  deepLinking: true,
  validatorUrl: null,
  presets: [SwaggerUIBundle.presets.apis],
});
`

// serveDocs serves the OpenAPI document and its pages, all from the binary. The document is made at
// the first request, when every operation is registered.
func serveDocs(mux *http.ServeMux, api huma.API, title string) {
	document := sync.OnceValue(func() *huma.OpenAPI { return share(standard(api.OpenAPI())) })
	asJSON := sync.OnceValues(func() ([]byte, error) { return json.Marshal(document()) })
	asYAML := sync.OnceValues(func() ([]byte, error) { return document().YAML() })
	mux.HandleFunc("GET /openapi.json", serveText("application/openapi+json", asJSON))
	mux.HandleFunc("GET /openapi.yaml", serveText("application/openapi+yaml", asYAML))

	mux.HandleFunc("GET /docs", func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", docsPolicy)
		serveText("text/html; charset=utf-8", func() ([]byte, error) {
			var page bytes.Buffer
			err := docsPage.Execute(&page, title)
			return page.Bytes(), err
		})(w, r)
	})
	mux.Handle("GET /docs/{$}", http.RedirectHandler("../docs", http.StatusMovedPermanently))
	mux.HandleFunc("GET /docs/start.js", serveText("text/javascript; charset=utf-8",
		func() ([]byte, error) { return []byte(docsScript), nil }))
	mux.HandleFunc("GET /docs/favicon-32x32.png", serveText("image/png",
		func() ([]byte, error) { return static.FS.ReadFile("favicon-32x32.png") }))
	mux.HandleFunc("GET /docs/swagger-ui.css", servePacked("text/css; charset=utf-8", "swagger-ui.css.gz"))
	mux.HandleFunc("GET /docs/swagger-ui-bundle.js", servePacked("text/javascript; charset=utf-8", "swagger-ui-bundle.js.gz"))
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

// servePacked serves an asset that is compressed in the binary.
func servePacked(contentType, name string) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Vary", "Accept-Encoding")
		if strings.Contains(r.Header.Get("Accept-Encoding"), "gzip") {
			w.Header().Set("Content-Encoding", "gzip")
			serveText(contentType, func() ([]byte, error) { return static.FS.ReadFile(name) })(w, r)
			return
		}
		serveText(contentType, func() ([]byte, error) { return unpack(name) })(w, r)
	}
}

func unpack(name string) ([]byte, error) {
	file, err := static.FS.Open(name)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	packed, err := gzip.NewReader(file)
	if err != nil {
		return nil, err
	}
	return io.ReadAll(packed)
}
