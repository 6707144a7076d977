package boot_test

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// The published schemas match the requests and responses, and name the existing operations and tools.
func TestUCPConfig_negotiationSchemas(t *testing.T) {
	t.Parallel()
	app := boottest.Start(t, boottest.Engines[0].URL(t))
	demo, err := app.Demo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	profile := fetch(t, app.URL()+"/p/demo/.well-known/ucp")
	capability := valueAt(t, profile, "ucp.capabilities.com|haggle|negotiation|quote.0")
	address := textAt(t, capability, "schema")
	if textAt(t, capability, "version") != "2026-12-01" || textAt(t, capability, "config.protocol") != "haggle-negotiation/1" {
		t.Fatalf("the capability: %v", capability)
	}
	published := fetch(t, address)
	if whole, _ := json.Marshal(published); strings.Contains(string(whole), "#/components") {
		t.Error("the schema refers to another document")
	}
	compiler := jsonschema.NewCompiler()
	if err := compiler.AddResource(address, published); err != nil {
		t.Fatal(err)
	}
	validate := func(definition string, value any) {
		t.Helper()
		schema, err := compiler.Compile(address + "#/$defs/" + definition)
		if err == nil {
			err = schema.Validate(value)
		}
		if err != nil {
			t.Errorf("%s: %v", definition, err)
		}
	}
	request := map[string]any{"item": map[string]any{"id": demo.Variant.String()}, "quantity": 1.0, "terms": map[string]any{}}
	validate("start_request", request)
	body, _ := json.Marshal(request)
	at1 := app.URL() + "/p/demo/ucp/negotiations"
	asked := post(t, at1, string(body))
	validate("negotiation", asked)
	offer := map[string]any{"offer": map[string]any{"amount": 100.0, "currency": "USD"}}
	validate("offer_request", offer)
	body, _ = json.Marshal(offer)
	validate("negotiation", post(t, at1+"/"+textAt(t, asked, "id")+"/offers", string(body)))
	validate("accept_request", map[string]any{"price": map[string]any{"amount": 100.0, "currency": "USD"}})
	decline := map[string]any{"reason": "price_sensitivity"}
	validate("decline_request", decline)
	validate("negotiation", post(t, at1+"/"+textAt(t, asked, "id")+"/decline", `{"reason": "price_sensitivity"}`))
	again := post(t, at1+"/"+textAt(t, asked, "id")+"/decline", `{"reason": "comparison"}`)
	if validate("negotiation", again); textAt(t, again, "status") != "declined" {
		t.Errorf("declined: %v", again)
	}

	for _, s := range profile["ucp"].(map[string]any)["services"].(map[string]any)["com.haggle.negotiation"].([]any) {
		described := fetch(t, textAt(t, s, "schema"))
		var names []string
		if paths, ok := described["paths"].(map[string]any); ok {
			for _, item := range paths {
				for _, op := range item.(map[string]any) {
					names = append(names, textAt(t, op, "operationId"))
				}
			}
		}
		methods, _ := described["methods"].([]any)
		for _, m := range methods {
			names = append(names, textAt(t, m, "name"))
		}
		slices.Sort(names)
		if want := []string{"accept_offer", "decline_offer", "get_negotiation", "make_offer", "start_negotiation"}; !slices.Equal(names, want) {
			t.Errorf("%s describes %v", textAt(t, s, "schema"), names)
		}
	}
}

func fetch(t *testing.T, url string) (answer map[string]any) {
	t.Helper()
	r, err := http.Get(url)
	if err != nil {
		t.Fatal(err)
	}
	defer r.Body.Close()
	if err := json.NewDecoder(r.Body).Decode(&answer); err != nil || r.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", url, r.StatusCode, err)
	}
	return answer
}
