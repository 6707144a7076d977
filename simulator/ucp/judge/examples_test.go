package judge_test

import (
	"encoding/json"
	"errors"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/haggle-commerce/haggle/simulator/ucp/judge"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
)

// example is an example of the specification, see testdata/README.md.
type example struct {
	Source    string          `json:"source"`
	Schema    string          `json:"schema"`
	Def       string          `json:"def"`
	Op        string          `json:"op"`
	Direction string          `json:"direction"`
	Extract   string          `json:"extract"`
	Target    string          `json:"target"`
	Example   json.RawMessage `json:"example"`
}

func readJSON(t testing.TB, name string, out any) {
	t.Helper()
	body, err := os.ReadFile("testdata/" + name)
	if err == nil {
		err = json.Unmarshal(body, out)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func valueOf(t testing.TB, text []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(string(text)))
	if err != nil {
		t.Fatalf("%s: %v", text, err)
	}
	return value
}

// messages returns valid messages by version and operation.
func messages(t testing.TB) map[schema.Version]map[string]json.RawMessage {
	t.Helper()
	found := map[schema.Version]map[string]json.RawMessage{}
	readJSON(t, "messages.json", &found)
	return found
}

var steps = regexp.MustCompile(`\.(\w+)|\[(\d+)\]`)

// reach returns the value at a simple path; if put is not nil, it replaces the value.
func reach(t *testing.T, root any, path string, put any) any {
	t.Helper()
	here := root
	found := steps.FindAllStringSubmatch(path, -1)
	for i, step := range found {
		last := i == len(found)-1 && put != nil
		if step[1] != "" {
			members := here.(map[string]any)
			if last {
				members[step[1]] = put
			}
			here = members[step[1]]
			continue
		}
		items, index := here.([]any), must(strconv.Atoi(step[2]))
		if last {
			items[index] = put
		}
		here = items[index]
	}
	return here
}

func must(n int, err error) int {
	if err != nil {
		panic(err)
	}
	return n
}

// elided returns the paths of what the example leaves out.
func elided(path string, value any) []string {
	var found []string
	switch value := value.(type) {
	case string:
		if value == "..." {
			found = append(found, path)
		}
	case []any:
		for i, item := range value {
			if item == any("...") {
				return append(found, path)
			}
			found = append(found, elided(path+"["+strconv.Itoa(i)+"]", item)...)
		}
	case map[string]any:
		if value["..."] != nil {
			return append(found, path)
		}
		for name, child := range value {
			found = append(found, elided(path+schema.PathOf([]string{name})[1:], child)...)
		}
	}
	return found
}

// operationOf returns the operation that a whole example answers, or "" if it is not an answer.
func operationOf(e example) judge.Operation {
	if e.Direction == "request" || e.Def != "" && !strings.HasSuffix(e.Def, "_response") && e.Schema != "profile" {
		return ""
	}
	if e.Schema == "discovery" && !strings.Contains(string(e.Example), `"endpoint"`) {
		return judge.PlatformProfile
	}
	switch e.Schema + " " + e.Op + " " + e.Def {
	case "profile  business_schema", "profile read business_schema", "discovery  ":
		return judge.BusinessProfile
	case "profile  platform_schema":
		return judge.PlatformProfile
	case "shopping/catalog_lookup get_product ", "shopping/catalog_lookup  get_product_response":
		return judge.GetProduct
	}
	switch e.Schema {
	case "shopping/checkout":
		return judge.GetCheckout
	case "shopping/cart":
		return judge.GetCart
	case "shopping/order":
		return judge.GetOrder
	case "shopping/catalog_search":
		return judge.SearchCatalog
	case "shopping/catalog_lookup":
		return judge.LookupCatalog
	case "common/types/error_response", "shopping/types/error_response":
		return judge.GetCheckout
	}
	return ""
}

// scaffold returns a valid message that an example of a part is put into.
func scaffold(t *testing.T, version schema.Version, e example) any {
	t.Helper()
	name := map[string]string{
		"shopping/checkout":               "create_checkout",
		"shopping/payment_authentication": "create_checkout",
		"shopping/cart":                   "create_cart",
		"shopping/catalog_search":         "search_catalog",
		"profile":                         "business_profile",
		"shopping/types/order_line_item":  "get_order",
	}[e.Schema]
	value := valueOf(t, messages(t)[version][name])
	if e.Schema == "shopping/types/order_line_item" {
		value = value.(map[string]any)["line_items"].([]any)[0]
	}
	if e.Def == "platform_schema" {
		value.(map[string]any)["ucp"].(map[string]any)["payment_handlers"] = map[string]any{}
	}
	if e.Direction == "request" {
		value = map[string]any{"line_items": []any{map[string]any{"item": map[string]any{"id": "x"}, "quantity": json.Number("1")}}}
	}
	return value
}

// rejections returns the problems of an example, except for those about what it leaves out.
func rejections(t *testing.T, version schema.Version, e example) schema.Problems {
	t.Helper()
	value := valueOf(t, e.Example)
	if e.Extract != "" {
		value = reach(t, value, e.Extract, nil)
	}
	whole := e.Target == "" || e.Target == "$"
	if !whole {
		part := value
		value = scaffold(t, version, e)
		reach(t, value, e.Target, part)
	}
	var found schema.Problems
	operation := operationOf(e)
	if operation != "" && whole {
		if err := judge.New(version).AnswerValue(operation, nil, value); err != nil && !errors.As(err, &found) {
			t.Fatalf("%s: %v", e.Source, err)
		}
	} else {
		var err error
		found, err = schema.Validate(refOf(version, e), value)
		if err != nil {
			t.Fatalf("%s: %v", e.Source, err)
		}
	}
	left := elided("$", value)
	var kept schema.Problems
	for _, problem := range found {
		covered := false
		for _, path := range left {
			covered = covered || problem.Path == path || strings.HasPrefix(problem.Path, path+".") || strings.HasPrefix(problem.Path, path+"[")
		}
		if !covered {
			kept = append(kept, problem)
		}
	}
	return kept
}

func refOf(version schema.Version, e example) schema.Ref {
	location := e.Schema + ".json"
	direction := schema.Direction("response")
	if e.Direction != "" {
		direction = schema.Direction(e.Direction)
	}
	def := e.Def
	if def == "" && strings.HasPrefix(e.Schema, "shopping/catalog_") {
		def = e.Op + "_" + string(direction)
		if e.Op == "" || e.Op == "read" {
			def = "search_" + string(direction)
		}
	}
	if def != "" {
		location += "#/$defs/" + def
	}
	return schema.Ref{
		Version:   version,
		Direction: direction,
		Operation: e.Op,
		Location:  location,
	}
}

// The judge accepts every example of the UCP specification but those that rejected.json lists.
func TestJudge_AnswerValue_examples(t *testing.T) {
	rejected := map[schema.Version]map[string]string{}
	readJSON(t, "rejected.json", &rejected)
	for _, version := range schema.Versions {
		var examples []example
		readJSON(t, "examples-"+string(version)+".json", &examples)
		if len(examples) < 100 {
			t.Errorf("%d examples of %s", len(examples), version)
		}
		listed := rejected[version]
		for _, e := range examples {
			if e.Op == "cancel" || e.Op == "read" && e.Direction == "request" {
				continue // the request has no body
			}
			found := rejections(t, version, e)
			reason, expected := listed[e.Source]
			switch {
			case found != nil && !expected:
				t.Errorf("%s %s:\n%s", version, e.Source, found.Error())
			case found == nil && expected:
				t.Errorf("%s %s is right, rejected.json says: %s", version, e.Source, reason)
			}
			delete(listed, e.Source)
		}
		for source := range listed {
			t.Errorf("%s %s: there is no such example", version, source)
		}
	}
}
