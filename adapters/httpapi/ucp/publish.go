package ucp

import (
	"maps"
	"net/http"
	"reflect"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
)

// SchemasPath is the folder of the schemas of the server's own extensions.
const SchemasPath = "/ucp/schemas"

// The files in it.
const (
	schemaFile  = "/negotiation.json"
	openAPIFile = "/negotiation.openapi.json"
	openRPCFile = "/negotiation.openrpc.json"
)

// negotiationOperations are the operations of the capability.
var negotiationOperations = []string{startNegotiationID, makeOfferID, acceptOfferID, getNegotiationID, declineOfferID}

// RegisterSchemas publishes the schemas of the negotiation capability. It builds them from the registered operations and tools.
func RegisterSchemas(mux *http.ServeMux, api huma.API, sets []commerce.Toolset, c Config) {
	s := newSchemas(api)
	for file, document := range map[string]any{
		schemaFile:  s.negotiation(c),
		openAPIFile: s.openAPI(c),
		openRPCFile: openRPC(sets[0].Tools, c),
	} {
		text, err := wire.Marshal(document)
		if err != nil {
			panic(err) // of maps of text
		}
		mux.HandleFunc("GET "+SchemasPath+file, func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "application/json")
			w.Header().Set("Cache-Control", "public, max-age=3600")
			_, _ = w.Write(text) // the client may have gone
		})
	}
}

// negotiation returns the schema of the capability's requests and answer.
func (s schemas) negotiation(c Config) map[string]any {
	answer := s.of(reflect.TypeFor[NegotiationBody]())
	fields, _ := answer["properties"].(map[string]any)
	for _, name := range []string{"standing_price", "hint", "bundle", "deal"} {
		fields[name] = map[string]any{"anyOf": []any{fields[name], map[string]any{"type": "null"}}}
	}
	return map[string]any{
		"$schema": "https://json-schema.org/draft/2020-12/schema",
		"$id":     c.SchemaURL + schemaFile,
		"title":   "Negotiation (" + negotiationProtocol + ")",
		"version": negotiationVersion,
		"$ref":    "#/$defs/negotiation",
		"$defs": map[string]any{
			"negotiation":     answer,
			"start_request":   s.of(reflect.TypeFor[startRequest]()),
			"offer_request":   s.of(reflect.TypeFor[offerRequest]()),
			"accept_request":  s.of(reflect.TypeFor[acceptRequest]()),
			"decline_request": s.of(reflect.TypeFor[declineRequest]()),
		},
	}
}

// of returns the schema of a type of an operation.
func (s schemas) of(t reflect.Type) map[string]any {
	schema, _ := s.inline(asJSON(s.api.OpenAPI().Components.Schemas.Schema(t, true, "")), nil).(map[string]any)
	return schema
}

// openAPI describes the operations of the capability, below the REST endpoint.
func (s schemas) openAPI(c Config) map[string]any {
	paths := map[string]any{}
	for _, name := range negotiationOperations {
		at, method, op := s.operation(name + "-" + August.date)
		described, _ := s.inline(asJSON(op), nil).(map[string]any)
		described["operationId"] = name
		delete(described, "security")
		described["parameters"] = withoutSlug(described["parameters"])
		_, at, _ = strings.Cut(at, restPath)
		item, _ := paths[at].(map[string]any)
		if item == nil {
			item = map[string]any{}
			paths[at] = item
		}
		item[strings.ToLower(method)] = described
	}
	return map[string]any{
		"openapi": "3.1.0",
		"info":    map[string]any{"title": c.Authority + ".negotiation", "version": negotiationVersion},
		"paths":   paths,
	}
}

// withoutSlug removes the parameter slug, which is in the endpoint's address.
func withoutSlug(parameters any) []any {
	all, _ := parameters.([]any)
	kept := []any{}
	for _, p := range all {
		if one, _ := p.(map[string]any); one["name"] != "slug" {
			kept = append(kept, p)
		}
	}
	return kept
}

// openRPC describes the tools of the capability.
func openRPC(all []commerce.Tool, c Config) map[string]any {
	methods := []any{}
	for _, name := range negotiationOperations {
		for _, t := range all {
			if t.Name == name {
				methods = append(methods, toMethod(t, c))
			}
		}
	}
	return map[string]any{
		"openrpc": "1.3.2",
		"info":    map[string]any{"title": c.Authority + ".negotiation", "version": negotiationVersion},
		"methods": methods,
	}
}

func toMethod(t commerce.Tool, c Config) map[string]any {
	properties, _ := t.Schema["properties"].(map[string]any)
	required := map[any]bool{}
	needed, _ := t.Schema["required"].([]any)
	for _, name := range needed {
		required[name] = true
	}
	params := []any{}
	for _, name := range slices.Sorted(maps.Keys(properties)) {
		params = append(params, map[string]any{"name": name, "required": required[name], "schema": properties[name]})
	}
	return map[string]any{
		"name":           t.Name,
		"description":    t.Description,
		"paramStructure": "by-name",
		"params":         params,
		"result": map[string]any{
			"name":   "negotiation",
			"schema": map[string]any{"$ref": c.SchemaURL + schemaFile + "#/$defs/negotiation"},
		},
	}
}
