package apidocs

import (
	_ "embed"
	"net/http"
)

// ConnectorPath is where the contract of the custom connector is, as an OpenAPI document: what a merchant's own system
// serves. Its prose is in adapters/connectors/custom/doc.go.
const ConnectorPath = Path + "/connector.json"

//go:embed connector.json
var connectorContract []byte

func serveConnector(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = w.Write(connectorContract) // the client may have disconnected
}
