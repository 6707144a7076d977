package ucp

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"net/http"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/signing"
)

const profilePath = "/.well-known/ucp"

func (h *handlers) registerProfile() {
	wire.AddReadOnly(h.mount, h.operation(huma.Operation{
		OperationID: profileID,
		Method:      http.MethodGet,
		Path:        profilePath,
		Summary:     "Read the shop's profile",
		Description: "Returns the supported versions, capabilities and payment handlers with their addresses, and the public keys " +
			"that verify the shop's signatures. Responses have an ETag; a request with a matching If-None-Match gets 304 " +
			"without a body.",
		Responses: map[string]*huma.Response{"304": {Description: "The profile still has the ETag of If-None-Match."}},
	}), h.profile)
}

type profileInput struct {
	Known string `header:"If-None-Match" doc:"The ETag of a profile that you read before."`
}

type profileReply struct {
	Status int
	ETag   string `header:"ETag"`
	Cache  string `header:"Cache-Control"`
	Body   profile
}

// profile is the profile that a business publishes. The version before August has the keys under another name.
type profile struct {
	UCP         profileBody       `json:"ucp"`
	Keys        []commerce.WebKey `json:"keys,omitzero"`
	SigningKeys []commerce.WebKey `json:"signing_keys,omitzero"`
}

type profileBody struct {
	Version      string                     `json:"version"`
	Supported    map[string]string          `json:"supported_versions,omitempty"`
	Services     map[string][]service       `json:"services"`
	Capabilities map[string][]declared      `json:"capabilities"`
	Handlers     map[string][]handlerEntity `json:"payment_handlers"`
}

type service struct {
	Version   string `json:"version"`
	Transport string `json:"transport" enum:"rest,mcp"`
	Endpoint  string `json:"endpoint" format:"uri"`
	Spec      string `json:"spec,omitempty" format:"uri"`
	Schema    string `json:"schema" format:"uri"`
}

type declared struct {
	Version string         `json:"version"`
	Spec    string         `json:"spec,omitempty" format:"uri"`
	Schema  string         `json:"schema" format:"uri"`
	Extends any            `json:"extends,omitempty" doc:"One parent, or a list of them."`
	Config  map[string]any `json:"config,omitempty"`
}

func (h *handlers) profile(ctx context.Context, rq Request, in *profileInput) (*profileReply, error) {
	keys, err := h.SigningKeys.In(rq.Stores).Published(ctx, rq.Caller.Shop.ID)
	if err != nil {
		return nil, err
	}
	answer := &profileReply{
		Status: http.StatusOK,
		Cache:  "public, max-age=300",
		Body:   h.toAPIProfile(rq, keys),
	}
	text, err := wire.Marshal(answer.Body)
	if err != nil {
		return nil, err
	}
	sum := sha256.Sum256(text)
	answer.ETag = `"` + hex.EncodeToString(sum[:16]) + `"`
	if wire.Matches(in.Known, answer.ETag) {
		answer.Status = http.StatusNotModified
	}
	return answer, nil
}

func (h *handlers) toAPIProfile(rq Request, keys []signing.Key) profile {
	shop := rq.Caller.Shop
	body := profileBody{
		Version:      h.version.date,
		Services:     h.services(h.address(rq), shop.Settings.Protocols),
		Capabilities: h.capabilities(),
		Handlers:     h.paymentHandlers(shop, nil),
	}
	published := wire.Each(keys, commerce.ToWebKey)
	if h.version == April {
		return profile{UCP: body, SigningKeys: published}
	}
	body.Supported = map[string]string{April.date: h.Address(shop.Slug) + April.prefix + profilePath}
	return profile{UCP: body, Keys: published}
}

// The names of what is served.
const (
	shopping    = "dev.ucp.shopping"
	search      = shopping + ".catalog.search"
	lookup      = shopping + ".catalog.lookup"
	cart        = shopping + ".cart"
	checkouts   = shopping + ".checkout"
	orders      = shopping + ".order"
	discount    = shopping + ".discount"
	fulfillment = shopping + ".fulfillment"
)

// site is the website of the protocol's specification and schemas.
const site = "https://ucp.dev/"

// services returns the transports of a shop. The profile is read over REST, so REST is among them.
func (h *handlers) services(address string, spoken project.Protocols) map[string][]service {
	at := site + h.version.date
	all := map[string][]service{
		shopping: {{
			Version:   h.version.date,
			Transport: "rest",
			Endpoint:  address + restPath,
			Spec:      at + "/specification/overview",
			Schema:    at + "/services/shopping/rest.openapi.json",
		}, {
			Version:   h.version.date,
			Transport: "mcp",
			Endpoint:  address + mcpPath,
			Spec:      at + "/specification/overview",
			Schema:    at + "/services/shopping/mcp.openrpc.json",
		}},
		h.negotiationService(): {{
			Version:   negotiationVersion,
			Transport: "rest",
			Endpoint:  address + restPath,
			Schema:    h.config.SchemaURL + "/negotiation.openapi.json",
		}, {
			Version:   negotiationVersion,
			Transport: "mcp",
			Endpoint:  address + mcpPath,
			Schema:    h.config.SchemaURL + "/negotiation.openrpc.json",
		}},
	}
	if !spoken.MCP {
		for name := range all {
			all[name] = all[name][:1]
		}
	}
	return all
}

// capabilities are those that the shop serves.
func (h *handlers) capabilities() map[string][]declared {
	own := func(schema, page string) declared {
		return declared{
			Version: h.version.date,
			Spec:    site + h.version.date + "/specification/" + page,
			Schema:  site + h.version.date + "/schemas/shopping/" + schema + ".json",
		}
	}
	pages := "shopping/"
	if h.version == April {
		pages = ""
	}
	reduced, shipped := own("discount", "discount"), own("fulfillment", "fulfillment")
	reduced.Extends = []string{checkouts, cart}
	shipped.Extends = checkouts
	shipped.Config = map[string]any{"multi_destination": []string{}, "method_combinations": [][]string{{"shipping"}}}
	if h.version == April {
		shipped.Config = map[string]any{"allows_multi_destination": map[string]bool{"shipping": false}}
	}
	return map[string][]declared{
		h.negotiationName(): {{
			Version: negotiationVersion,
			Spec:    h.config.SchemaURL + openAPIFile,
			Schema:  h.config.SchemaURL + schemaFile,
			Config:  map[string]any{"protocol": negotiationProtocol},
		}},
		search:      {own("catalog_search", pages+"catalog/search")},
		lookup:      {own("catalog_lookup", pages+"catalog/lookup")},
		cart:        {own("cart", pages+"cart")},
		checkouts:   {own("checkout", pages+"checkout")},
		orders:      {own("order", pages+"order")},
		discount:    {reduced},
		fulfillment: {shipped},
	}
}
