package apidocs

import (
	_ "embed"
	"net/http"
)

// ConnectorPath is the path of the custom connector's contract, the OpenAPI document of the API that a merchant's own system
// implements. adapters/connectors/custom/doc.go describes it.
const ConnectorPath = Path + "/connector.json"

//go:embed connector.json
var connectorContract []byte

func serveConnector(w http.ResponseWriter, _ *http.Request) {
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "public, max-age=3600")
	_, _ = w.Write(connectorContract) // the client may have disconnected
}
