package httpsig

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/ports"
)

// Headers of Standard Webhooks that a webhook's signature covers too.
const (
	webhookID   = "webhook-id"
	webhookTime = "webhook-timestamp"
)

// SignWebhook adds the headers of a proof to a webhook and signs it: its method, target, body and headers.
func SignWebhook(request *http.Request, body []byte, by ports.MessageSignature) error {
	request.Header.Set("Content-Digest", Digest(body))
	covered := []string{"@method", "@authority", "@path"}
	if request.URL.RawQuery != "" {
		covered = append(covered, "@query")
	}
	for _, name := range slices.Sorted(maps.Keys(by.Header)) {
		request.Header.Set(name, by.Header[name])
		if !strings.EqualFold(name, webhookID) { // it is appended below
			covered = append(covered, strings.ToLower(name))
		}
	}
	covered = append(covered, "content-digest", "content-type", webhookID, webhookTime)
	message := Request(request.Method, request.URL, request.Header)
	if err := Sign(message, "sig1", covered, by.Time, by.Key); err != nil {
		return fmt.Errorf("the request cannot be signed: %w", err)
	}
	return nil
}
