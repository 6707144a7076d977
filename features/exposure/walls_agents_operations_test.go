package exposure

import (
	"crypto/rand"
	"encoding/json"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// agentVersions are the protocol versions by the prefix of their paths.
var agentVersions = map[string]string{"": "2026-08-25", "/2026-04-08": "2026-04-08"}

// profileOf returns the URL of the profile of an agent that speaks a version.
func profileOf(agent, prefix string) string {
	return "https://" + agent + ".example" + prefix + "/agent"
}

// knownAgents returns a file with the profiles of two agents in both versions.
func knownAgents() []byte {
	known := map[string]any{}
	for prefix, version := range agentVersions {
		for _, agent := range []string{"owner", "rival"} {
			known[profileOf(agent, prefix)] = boottest.UCPProfile(version)
		}
	}
	text, _ := json.Marshal(known)
	return text
}

// agentOperation is a REST operation or a tool.
type agentOperation struct {
	boottest.UCPTool
	prefix string
	mcp    bool
	body   string // one of agentBodies
}

func (o agentOperation) String() string {
	over := "REST"
	if o.mcp {
		over = "MCP"
	}
	return over + o.prefix + " " + o.Name
}

// agentBodies are request bodies. A {word} stands for an id: each is a place in which others' ids are tried.
var agentBodies = map[string][]string{
	"search_catalog": {`{"query": "mug"}`},
	"lookup_catalog": {`{"ids": ["{variant}", "{product}"]}`},
	"get_product":    {`{"id": "{product}"}`},
	"create_cart":    {`{"line_items": [{"item": {"id": "{variant}"}, "quantity": 2}], "discounts": {"codes": ["{code}"]}}`},
	"update_cart":    {`{"line_items": [{"item": {"id": "{variant}"}, "quantity": 1}], "discounts": {"codes": ["{code}"]}}`},
	"create_checkout": {
		`{"cart_id": "{cart}", "line_items": []}`,
		`{"line_items": [{"item": {"id": "{variant}"}, "quantity": 2}], "discounts": {"codes": ["{code}"]}}`,
	},
	"update_checkout":   {`{"line_items": [{"item": {"id": "{variant}"}, "quantity": 1}], "discounts": {"codes": ["{code}"]}}`},
	"complete_checkout": {`{"payment": {"instruments": [{"id": "i1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}`},
	"cancel_checkout":   {""},
	"start_negotiation": {`{"item": {"id": "{variant}"}, "quantity": 1, "cart_id": "{cart}"}`},
	"make_offer":        {`{"offer": {"amount": 9000, "currency": "USD"}}`},
	"accept_offer":      {`{"price": {"amount": 1, "currency": "USD"}}`},
	"decline_offer":     {`{"reason": "other"}`},
	"get_cart":          {""},
	"cancel_cart":       {""},
	"get_checkout":      {""},
	"get_order":         {""},
	"get_negotiation":   {""},
}

// ownNames are fields that look like ids but name nothing of another agent or shop: lines, destinations, methods and
// instruments of the request itself.
var ownNames = regexp.MustCompile(`^(line_items\.id|lines\.item\.id|payment\.instruments\.(id|handler_id)|` +
	`fulfillment\.methods\.(selected_destination_id|destinations\.id|groups\.selected_option_id))$`)

// registered returns all registered operations. It reports those without a body in agentBodies, and fields with ids that the
// body lacks.
func (w *agentWalls) registered() (all []agentOperation) {
	routes := boottest.UCPRoutes()
	tools := boottest.UCPTools()
	for _, prefix := range slices.Sorted(maps.Keys(tools)) {
		for _, tool := range tools[prefix] {
			id := tool.Name + "-" + agentVersions[prefix]
			route, served := routes[id]
			if !served {
				w.Errorf("%s is a tool, and no operation", id)
			}
			delete(routes, id)
			w.covers(tool)
			called := tool
			called.Method, called.Path = route.Method, route.Path
			for _, body := range agentBodies[tool.Name] {
				all = append(all, agentOperation{tool, prefix, true, body}, agentOperation{called, prefix, false, body})
			}
		}
	}
	for id := range routes {
		w.Errorf("%s is an operation, and no tool", id)
	}
	return all
}

// covers reports an operation without a body in agentBodies, or with a body that lacks a field with an id.
func (w *agentWalls) covers(tool boottest.UCPTool) {
	bodies, known := agentBodies[tool.Name]
	body := strings.Join(bodies, " ")
	if !known {
		w.Errorf("agentBodies needs a line for %s", tool.Name)
	}
	fields := tool.Schema
	if properties, _ := fields["properties"].(map[string]any); tool.Body != "" {
		fields, _ = properties[tool.Body].(map[string]any)
	}
	for _, path := range named(fields, "") {
		last := path[strings.LastIndex(path, ".")+1:]
		if !regexp.MustCompile(`(^|_)ids?$|^codes$`).MatchString(last) || ownNames.MatchString(path) || tool.Body == "" && path == "id" {
			continue
		}
		if strings.HasPrefix(path, "meta.") || strings.Contains(body, `"`+last+`"`) {
			continue
		}
		w.Errorf("%s: the walk tries nothing for %s", tool.Name, path)
	}
}

// named returns the dotted paths of all fields of a schema.
func named(schema map[string]any, path string) (all []string) {
	if items, ok := schema["items"].(map[string]any); ok {
		return named(items, path)
	}
	properties, _ := schema["properties"].(map[string]any)
	for name, field := range properties {
		if object, ok := field.(map[string]any); ok {
			all = append(all, named(object, join(path, name))...)
		}
	}
	if len(properties) == 0 && path != "" {
		all = append(all, path)
	}
	return all
}

// message returns a call of the tool.
func (o agentOperation) message(id, body string) string {
	arguments := map[string]any{}
	if body != "" && o.Body == "" {
		_ = json.Unmarshal([]byte(body), &arguments)
	} else if body != "" {
		arguments[o.Body] = json.RawMessage(body)
	}
	if id != "" {
		arguments["id"] = id
	}
	if o.NeedsKey {
		arguments["meta"] = map[string]any{"idempotency-key": rand.Text()}
	}
	text, _ := json.Marshal(map[string]any{
		"jsonrpc": "2.0",
		"id":      1,
		"method":  "tools/call",
		"params":  map[string]any{"name": o.Name, "arguments": arguments},
	})
	return string(text)
}

// target returns the kind of thing whose id is in the path, or "".
func (o agentOperation) target() string {
	if !strings.Contains(o.Path, "{id}") {
		return ""
	}
	for kind, part := range map[string]string{"cart": "/carts/", "checkout": "/checkout-sessions/", "order": "/orders/", "negotiation": "/negotiations/"} {
		if strings.Contains(o.Path, part) {
			return kind
		}
	}
	return ""
}

// places returns the kinds of things that the operation names.
func (o agentOperation) places() []string {
	kinds := map[string]bool{}
	if kind := o.target(); kind != "" {
		kinds[kind] = true
	}
	for _, found := range regexp.MustCompile(`{([a-z]+)}`).FindAllStringSubmatch(o.body, -1) {
		kinds[found[1]] = true
	}
	return slices.Sorted(maps.Keys(kinds))
}

// succeeded reports whether a response is a success.
func (o agentOperation) succeeded(r reply) bool {
	if o.mcp {
		return r.status == http.StatusOK && r.field("result.structuredContent.ucp.status") == "success"
	}
	return r.status < 300 && r.field("ucp.status") == "success"
}
