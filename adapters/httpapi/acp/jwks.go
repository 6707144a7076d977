package acp

import (
	"context"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

// keySetPath is where a shop publishes its signing keys.
const keySetPath = "/.well-known/jwks.json"

func (h *handlers) registerKeySet() {
	wire.AddReadOnly(h.mount, h.operation(huma.Operation{
		OperationID: "acp-signing-keys",
		Method:      http.MethodGet,
		Path:        keySetPath,
		Tags:        discoveryTag,
		Summary:     "Read the shop's signing keys",
		Description: "Returns a JSON Web Key Set (RFC 7517) with the public keys that verify the shop's signatures, such as those " +
			"of requests to an order_webhook. A key is published before its first signature, and for 7 days after its last. " +
			"Cache the set for 5 minutes; read it again when a signature names a keyid that is not in it.",
	}), h.keySet)
}

type keySetInput struct{}

type keySetReply struct {
	Cache string `header:"Cache-Control"`
	Body  keySet
}

type keySet struct {
	Keys []commerce.WebKey `json:"keys"`
}

func (h *handlers) keySet(ctx context.Context, rq Request, _ *keySetInput) (*keySetReply, error) {
	keys, err := h.SigningKeys.In(rq.Stores).Published(ctx, rq.Caller.Shop.ID)
	if err != nil {
		return nil, err
	}
	return &keySetReply{Cache: "public, max-age=300", Body: keySet{Keys: wire.Each(keys, commerce.ToWebKey)}}, nil
}
