package boottest

import (
	"encoding/json"
	"net/http"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/ucp"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/capability"
)

// UCPTool is an operation of the Universal Commerce Protocol, with its method and path over REST.
type UCPTool = commerce.Tool

const ucpAuthority = "com.haggle"

func ucpConfig() ucp.Config {
	own, _ := capability.Negotiation(ucpAuthority) // a valid name
	return ucp.Config{Authority: ucpAuthority, Negotiation: own}
}

// UCPRoutes returns the operations that are registered over REST, by operation id: name and version.
func UCPRoutes() map[string]UCPTool {
	rest := wire.NewPart(http.NewServeMux(), wire.Config{})
	ucp.Register(rest, &commerce.Services{}, ucpConfig())
	routes := map[string]UCPTool{}
	for path, item := range rest.OpenAPI().Paths {
		for method, op := range map[string]any{"GET": item.Get, "POST": item.Post, "PUT": item.Put} {
			text, _ := json.Marshal(op)
			var named struct {
				ID string `json:"operationId"`
			}
			if json.Unmarshal(text, &named) == nil && named.ID != "" && !strings.HasPrefix(named.ID, "ucp_profile") {
				routes[named.ID] = UCPTool{Method: method, Path: path}
			}
		}
	}
	return routes
}

// UCPTools returns the tools that are registered over MCP, by the prefix of their version's paths.
func UCPTools() map[string][]UCPTool {
	tools := map[string][]UCPTool{}
	for _, set := range ucp.RegisterTools(wire.NewPart(http.NewServeMux(), wire.Config{}), &commerce.Services{}, ucpConfig()) {
		tools[set.Prefix] = set.Tools
	}
	return tools
}

// UCPProfile returns an agent's profile that declares all capabilities that the server serves in a version.
func UCPProfile(version string) any {
	release, _ := capability.ParseVersion(version)
	declared := map[string]any{}
	for _, c := range capability.Served(release, ucpConfig().Negotiation).Capabilities {
		entry := map[string]any{
			"version": c.Version.String(),
			"spec":    "https://ucp.dev/" + version,
			"schema":  "https://ucp.dev/" + version,
		}
		if c.Name == capability.Discount || c.Name == capability.Fulfillment {
			entry["extends"] = capability.Checkout.String()
		}
		declared[c.Name.String()] = []any{entry}
	}
	return map[string]any{"ucp": map[string]any{
		"version":          version,
		"services":         map[string]any{},
		"payment_handlers": map[string]any{},
		"capabilities":     declared,
	}}
}
