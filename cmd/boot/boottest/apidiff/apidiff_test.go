package apidiff_test

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest/apidiff"
)

const (
	list      = "paths /v1/catalog/products get "
	create    = "paths /v1/catalog/products post "
	quote     = "paths /p/{slug}/acp/quote post "
	forms     = quote + "responses 200 content application/json schema oneOf"
	newFields = "components schemas NewProduct properties "
	fields    = "components schemas Product properties "
	wanted    = "components schemas ACPQuoteRequest properties "
)

// changes are edits of a document, whether they break clients, and the words of their line.
var changes = []struct {
	name     string
	edit     edit
	breaking bool
	says     string // separated by "|", all in one line; "" means no line
}{
	{"path removed", drop("paths /v1/catalog/categories"), true, "api path removed|GET /v1/catalog/categories"},
	{"operation removed", drop("paths /v1/catalog/products post"), true, "api removed|POST /v1/catalog/products"},
	{"path renamed", all(drop("paths /v1/catalog/categories"),
		set("paths /v1/categories", "{get: {responses: {'200': {description: OK}}}}")),
		true, "api path removed|GET /v1/catalog/categories"},
	{"path added", set("paths /v1/new", "{get: {responses: {'200': {description: OK}}}}"),
		false, "endpoint added|GET /v1/new"},
	{"operation added", set("paths /v1/catalog/categories post", "{responses: {'200': {description: OK}}}"),
		false, "endpoint added|POST /v1/catalog/categories"},

	{"response field removed", all(drop(fields+"sku"), pull("components schemas Product required", "sku")),
		true, "removed the required property `sku` from the response|`201`|POST /v1/catalog/products"},
	{"optional response field removed", drop("components schemas ACPRejectAnswer properties reason"),
		true, "removed the|ACPRejectAnswer]/reason|POST /p/{slug}/acp/quote"},
	{"response field may be left out", pull("components schemas Product required", "price"),
		true, "`price` became optional|POST /v1/catalog/products"},
	{"response field always there", all(set(fields+"extra", "{type: string}"), push("components schemas Product required", "extra")),
		false, "added the required property `extra`|POST /v1/catalog/products"},
	{"response field added", set(fields+"extra", "{type: string}"),
		false, "added the optional property `extra`|POST /v1/catalog/products"},
	{"response type changed", set(fields+"price type", "string"), true, "`price` response's property|`number` to `string`"},
	{"response may be null", set(fields+"sku type", "[string, 'null']"), true, "`sku` became nullable"},
	{"response never null", set(fields+"cost type", "number"), false, "`cost` became not nullable"},
	{"response null for another", set(fields+"cost type", "[string, 'null']"), true, "`cost` response's property|`number, null` to `string, null`"},
	{"response elements changed", set(fields+"related items type", "integer"), true, "`related/items/` response's property|type"},
	{"response format changed", set(fields+"created_at format", "date"), true, "`created_at` response's property `format`"},
	{"response enum value added", push(fields+"status enum", "draft"), false, "added the new `draft` enum value|status"},
	{"response enum value removed", pull(fields+"status enum", "archived"),
		false, "removed the `archived` enum value|status"},
	{"answer's form added", push(forms, "{type: object, properties: {status: {type: string, enum: [aaa]}}}"),
		false, "added|`oneOf`|POST /p/{slug}/acp/quote"},
	{"answer's forms reordered",
		all(pull(forms, "{$ref: '#/components/schemas/ACPAcceptAnswer'}"),
			push(forms, "{$ref: '#/components/schemas/ACPAcceptAnswer'}")), false, ""},
	{"field of a form removed", drop("components schemas ACPAcceptAnswer properties final_price"),
		true, "ACPAcceptAnswer]/final_price|POST /p/{slug}/acp/quote"},
	{"status removed", drop(create + "responses 409"), true, "removed the non-success response|`409`|POST /v1/catalog/products"},
	{"status added", set(create+"responses 418", "{description: Teapot}"), false, "added the non-success response|`418`|POST /v1/catalog/products"},

	{"required request field added", all(set(newFields+"extra", "{type: string}"),
		push("components schemas NewProduct required", "extra")),
		true, "new required request property `extra`|POST /v1/catalog/products"},
	{"request field required", push("components schemas NewProduct required", "brand"),
		true, "`brand` became required"},
	{"request field not required", pull("components schemas NewProduct required", "name"),
		false, "`name` became optional"},
	{"optional request field added", set(newFields+"extra", "{type: string}"),
		false, "new optional request property `extra`"},
	{"request field removed", drop(newFields + "brand"), true, "removed the request property `brand`"},
	{"nested request field required", push("components schemas Adjustment required", "reason"), true,
		"`adjustments/items/reason` became required|POST /v1/catalog/inventory/adjust"},
	{"request type narrowed", set(newFields+"brand type", "string"), true, "`brand` became not nullable"},
	{"request type widened", set("components schemas Adjustment properties delta type", "number"),
		false, "`adjustments/items/delta`|widened"},
	{"request type changed", set("components schemas Adjustment properties delta type", "string"),
		true, "`adjustments/items/delta`|`integer` to `string`"},
	{"maxLength tightened", set(wanted+"message maxLength", "1000"),
		true, "`message`|maxLength was decreased to `1000`|POST /p/{slug}/acp/quote"},
	{"maxLength loosened", set(wanted+"message maxLength", "3000"), false, "`message`|maxLength was increased"},
	{"maxLength added", set(newFields+"brand maxLength", "5"), true, "`brand`|maxLength was set"},
	{"maxLength removed", drop(wanted + "message maxLength"), false, "`message`|maxLength was unset"},
	{"minimum tightened", set(wanted+"quantity minimum", "2"), true, "`quantity`|min was increased"},
	{"minimum loosened", set(wanted+"quantity minimum", "0"), false, "`quantity`|min was decreased"},
	{"exclusiveMinimum tightened", set(wanted+"offer_price exclusiveMinimum", "1"),
		true, "`offer_price`|exclusiveMinimum was increased"},
	{"maxItems tightened", set("components schemas AdjustInventoryInputBody properties adjustments maxItems", "10"),
		true, "`adjustments`|maxItems was decreased"},
	{"pattern added", set(newFields+"sku pattern", "^a"), true, "pattern `^a`|`sku`"},
	{"first enum", set(newFields+"brand enum", "[a, b]"), true, "`brand` was restricted to a list of enum values"},
	{"map's values narrowed", set(newFields+"attributes additionalProperties maxLength", "5"),
		true, "`attributes/additionalProperties/`|maxLength was set"},
	{"unknown fields refused", set("components schemas ACPQuoteRequest additionalProperties", "false"),
		true, "no rule covers|POST /p/{slug}/acp/quote"},
	{"body optional", set(create+"requestBody required", "false"), false, "request body became optional|POST /v1/catalog/products"},
	{"body removed", drop(create + "requestBody"), true, "removed the request body|POST /v1/catalog/products"},
	{"required body added", set(list+"requestBody", "{required: true, content: {application/json: {schema: {type: object}}}}"),
		true, "added required request body|GET /v1/catalog/products"},
	{"optional body added", set(list+"requestBody", "{content: {application/json: {schema: {type: object}}}}"),
		false, "added optional request body|GET /v1/catalog/products"},

	{"parameter removed", drop(list + "parameters [q]"), true, "deleted the `query` request parameter `q`|GET /v1/catalog/products"},
	{"optional parameter added", push(list+"parameters", "{name: a, in: query, schema: {type: string}}"),
		false, "new optional `query` request parameter `a`|GET /v1/catalog/products"},
	{"required parameter added", push(list+"parameters", "{name: a, in: query, required: true, schema: {type: string}}"),
		true, "new required `query` request parameter `a`"},
	{"parameter required", set(list+"parameters [q] required", "true"),
		true, "`query` request parameter `q` became required|GET /v1/catalog/products"},
	{"parameter moved", set(list+"parameters [q] in", "header"), true, "deleted the `query` request parameter `q`|GET /v1/catalog/products"},
	{"parameter's enum value removed", pull(list+"parameters [status] schema enum", "archived"),
		true, "removed the enum value `archived`|`query` request parameter `status`"},
	{"parameter's enum value added", push(list+"parameters [status] schema enum", "draft"),
		false, "added the new enum value `draft`|`query` request parameter `status`"},
	{"parameter's enum removed", drop(list + "parameters [status] schema enum"), true, "removed the enum value `archived`|`query` request parameter `status`"},
	{"parameter's maximum tightened", set(list+"parameters [limit] schema maximum", "50"),
		true, "`query` request parameter `limit`|max was decreased"},
	{"parameter's type changed", set(list+"parameters [limit] schema type", "string"),
		true, "`query` request parameter `limit`|`integer` to `string`"},
	{"parameter added and bound changed", all(push(list+"parameters", "{name: a, in: query, schema: {type: string}}"),
		set(list+"parameters [limit] schema maximum", "50")),
		true, "`query` request parameter `limit`|max was decreased"},

	{"parameter removed and another narrowed", all(drop(list+"parameters [limit]"),
		pull(list+"parameters [status] schema enum", "archived")),
		true, "removed the enum value `archived`"},
	{"list sent in another way", set(list+"parameters [q] explode", "true"),
		true, "no rule covers|GET /v1/catalog/products"},
	{"elements must differ", set("components schemas AdjustInventoryInputBody properties adjustments uniqueItems", "true"), true,
		"`adjustments`|uniqueItems was set"},
	{"default added", set(newFields+"brand default", "none"), false, "`brand` request property default value `none` was added"},
	{"response's media type removed", drop(create + "responses 201 content application/json"),
		true, "removed the media type `application/json`|`201`|POST /v1/catalog/products"},
	{"response's header added", set(create+"responses 201 headers ETag", "{schema: {type: string}}"),
		false, "response header `ETag` was added|`201`|POST /v1/catalog/products"},
	{"key needed everywhere", set("security", "[{api_key: []}]"), true, "`api_key` was added"},
	{"scope changed", set(list+"security", "[{api_key: ['catalog:write']}]"), true, "scope `catalog:write` was added|GET /v1/catalog/products"},
	{"key needed", set(quote+"security", "[{api_key: []}]"), true, "`api_key` was added|POST /p/{slug}/acp/quote"},
	{"no key needed", set(list+"security", "[{}]"), false, "was removed|GET /v1/catalog/products"},
	{"description changed", set(fields+"sku description", "Another."), false, ""},
	{"summary changed", set(list+"summary", "Another."), false, ""},
	{"deprecated", set(list+"deprecated", "true"), false, "endpoint deprecated|GET /v1/catalog/products"},
	{"tag changed", set(create+"tags", "[Other]"), false, "`Other` added|POST /v1/catalog/products"},
	{"title changed", set("info title", "Other"), false, ""},
	{"schema renamed", rename("Product", "Article"), false, ""},
	{"answer's form renamed", rename("ACPAcceptAnswer", "ACPYes"), true, "discriminator|POST /p/{slug}/acp/quote"},
	{"server moved", set("servers", "[{url: 'http://127.0.0.1:1'}]"), false, ""},
}

// onReal are the changes that are tested on the real document too, which takes half a second each.
var onReal = []string{
	"path removed", "response field removed", "response enum value added", "answer's form added", "field of a form removed",
	"status removed", "request field required", "maxLength tightened", "unknown fields refused", "parameter required",
	"scope changed", "description changed", "schema renamed",
}

func TestCompare(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{"small": "testdata/base.yaml", "real": "../../testdata/openapi.yaml"} {
		text := load(t, file)
		for _, c := range changes {
			if name == "real" && !slices.Contains(onReal, c.name) {
				continue
			}
			t.Run(name+"/"+c.name, func(t *testing.T) {
				t.Parallel()
				doc := decode(t, text)
				c.edit(t, doc)
				got, err := apidiff.Compare(text, encode(t, doc))
				if err != nil {
					t.Fatal(err)
				}
				if breaking := len(got.Breaking()) > 0; breaking != c.breaking {
					t.Errorf("breaking: %v, want %v", breaking, c.breaking)
				}
				if !says(got, c.breaking, c.says) {
					t.Errorf("no line says %q:\n%s", c.says, got)
				}
			})
		}
	}
}

// says reports whether a line has all the words; without words, whether there is no line.
func says(changes apidiff.Changes, breaking bool, words string) bool {
	if words == "" {
		return len(changes) == 0
	}
	for _, change := range changes {
		found := change.Breaking == breaking
		for word := range strings.SplitSeq(words, "|") {
			found = found && strings.Contains(change.String(), word)
		}
		if found {
			return true
		}
	}
	return false
}

// rename renames a schema and its references.
func rename(from, to string) edit {
	return func(t *testing.T, doc map[string]any) {
		t.Helper()
		schemas := find(doc, []string{"components", "schemas"}).(map[string]any)
		schemas[to] = schemas[from]
		delete(schemas, from)
		replace(doc, "#/components/schemas/"+from, "#/components/schemas/"+to)
	}
}

func replace(node any, from, to string) {
	switch n := node.(type) {
	case map[string]any:
		for key, v := range n {
			if v == from {
				n[key] = to
			}
			replace(v, from, to)
		}
	case []any:
		for _, v := range n {
			replace(v, from, to)
		}
	}
}

func TestCompare_noChange(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile("testdata/base.yaml")
	if err != nil {
		t.Fatal(err)
	}
	got, err := apidiff.Compare(text, load(t, "testdata/base.yaml"))
	if err != nil || len(got) > 0 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestCompare_parametersOfOneName(t *testing.T) {
	t.Parallel()
	doc := decode(t, load(t, "testdata/base.yaml"))
	push(list+"parameters", "{name: a, in: header, schema: {type: string}}")(t, doc)
	push(list+"parameters", "{name: a, in: query, schema: {type: string}}")(t, doc)
	before := encode(t, doc)
	set(list+"parameters [a] schema type", "integer")(t, doc)
	got, err := apidiff.Compare(before, encode(t, doc))
	if err != nil || !says(got, true, "`header` request parameter `a`|GET /v1/catalog/products") {
		t.Errorf("%v, %v", got, err)
	}
}

func TestChange_String_short(t *testing.T) {
	t.Parallel()
	text := load(t, "testdata/base.yaml")
	doc := decode(t, text)
	set(newFields+"sku pattern", "'"+strings.Repeat("long ", 1000)+"'")(t, doc)
	got, err := apidiff.Compare(text, encode(t, doc))
	if err != nil || len(got) != 1 || len(got[0].String()) > 300 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestCompare_unreadable(t *testing.T) {
	t.Parallel()
	text := load(t, "testdata/base.yaml")
	for _, bad := range []string{"", "[]", "{"} {
		if _, err := apidiff.Compare(text, []byte(bad)); err == nil {
			t.Errorf("%q is compared", bad)
		}
	}
}
