package apidiff_test

import (
	"os"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/apidiff"
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

// Each change, whether it breaks clients, and what its line says.
var changes = []struct {
	name     string
	edit     edit
	breaking bool
	says     string // words that one line has, all of them; none: there is no line
}{
	{"path removed", drop("paths /v1/catalog/categories"), true, "operation removed|GET /v1/catalog/categories"},
	{"operation removed", drop("paths /v1/catalog/products post"), true, "operation removed|POST /v1/catalog/products"},
	{"path renamed", all(drop("paths /v1/catalog/categories"),
		set("paths /v1/categories", "{get: {responses: {'200': {description: OK}}}}")),
		true, "operation removed|GET /v1/catalog/categories"},
	{"path added", set("paths /v1/new", "{get: {responses: {'200': {description: OK}}}}"),
		false, "operation added|GET /v1/new"},
	{"operation added", set("paths /v1/catalog/categories post", "{responses: {'200': {description: OK}}}"),
		false, "operation added|POST /v1/catalog/categories"},

	{"response field removed", all(drop(fields+"sku"), pull("components schemas Product required", "sku")),
		true, "Product.sku (response)|properties removed|GET /v1/catalog/products 200|POST /v1/catalog/products 201"},
	{"optional response field removed", drop("components schemas ACPRejectAnswer properties reason"),
		true, "ACPRejectAnswer.reason (response)|POST /p/{slug}/acp/quote 200"},
	{"response field may be left out", pull("components schemas Product required", "price"),
		true, "Product.price (response)|required removed"},
	{"response field always there", push("components schemas Product required", "extra"),
		false, "Product.extra|required added"},
	{"response field added", set(fields+"extra", "{type: string}"),
		false, "Product.extra|properties added|GET /v1/catalog/products 200"},
	{"response type changed", set(fields+"price type", "string"), true, "Product.price (response)|type changed|number"},
	{"response may be null", set(fields+"sku type", "[string, 'null']"), true, "Product.sku (response)|type"},
	{"response never null", set(fields+"cost type", "number"), false, "Product.cost (response)|type"},
	{"response null for another", set(fields+"cost type", "[string, 'null']"), true, "Product.cost (response)|type"},
	{"response elements changed", set(fields+"related items type", "integer"), true, "Product.related[] (response)|type"},
	{"response format changed", set(fields+"created_at format", "date"), true, "Product.created_at (response)|format"},
	{"response enum value added", push(fields+"status enum", "draft"), false, "Product.status (response)|enum added draft"},
	{"response enum value removed", pull(fields+"status enum", "archived"),
		false, "Product.status (response)|enum removed archived"},
	{"answer's form added", push(forms, "{type: object, properties: {status: {type: string, enum: [aaa]}}}"),
		false, "oneOf added|POST /p/{slug}/acp/quote 200"},
	{"answer's forms reordered",
		all(pull(forms, "{$ref: '#/components/schemas/ACPAcceptAnswer'}"),
			push(forms, "{$ref: '#/components/schemas/ACPAcceptAnswer'}")), false, ""},
	{"field of a form removed", drop("components schemas ACPAcceptAnswer properties final_price"),
		true, "ACPAcceptAnswer.final_price (response)|POST /p/{slug}/acp/quote 200"},
	{"status removed", drop(create + "responses 409"), true, "409|removed|POST /v1/catalog/products"},
	{"status added", set(create+"responses 418", "{description: Teapot}"), false, "418|added|POST /v1/catalog/products"},

	{"required request field added", all(set(newFields+"extra", "{type: string}"),
		push("components schemas NewProduct required", "extra")),
		true, "NewProduct.extra (request body)|required added|POST /v1/catalog/products"},
	{"request field required", push("components schemas NewProduct required", "brand"),
		true, "NewProduct.brand (request body)|required added"},
	{"request field not required", pull("components schemas NewProduct required", "name"),
		false, "NewProduct.name (request body)|required removed"},
	{"optional request field added", set(newFields+"extra", "{type: string}"),
		false, "NewProduct.extra (request body)|properties added"},
	{"request field removed", drop(newFields + "brand"), true, "NewProduct.brand (request body)|properties removed"},
	{"nested request field required", push("components schemas Adjustment required", "reason"), true,
		"Adjustment.reason (request body)|required added|POST /v1/catalog/inventory/adjust"},
	{"request type narrowed", set(newFields+"brand type", "string"), true, "NewProduct.brand (request body)|type"},
	{"request type widened", set("components schemas Adjustment properties delta type", "number"),
		false, "Adjustment.delta (request body)|type"},
	{"request type changed", set("components schemas Adjustment properties delta type", "string"),
		true, "Adjustment.delta (request body)|type"},
	{"maxLength tightened", set(wanted+"message maxLength", "1000"),
		true, "ACPQuoteRequest.message (request body)|maxLength changed|2000|1000|POST /p/{slug}/acp/quote"},
	{"maxLength loosened", set(wanted+"message maxLength", "3000"), false, "ACPQuoteRequest.message (request body)|maxLength"},
	{"maxLength added", set(newFields+"brand maxLength", "5"), true, "NewProduct.brand (request body)|maxLength added"},
	{"maxLength removed", drop(wanted + "message maxLength"), false, "ACPQuoteRequest.message|maxLength removed"},
	{"minimum tightened", set(wanted+"quantity minimum", "2"), true, "ACPQuoteRequest.quantity (request body)|minimum changed"},
	{"minimum loosened", set(wanted+"quantity minimum", "0"), false, "ACPQuoteRequest.quantity (request body)|minimum changed"},
	{"exclusiveMinimum tightened", set(wanted+"offer_price exclusiveMinimum", "1"),
		true, "ACPQuoteRequest.offer_price|exclusiveMinimum changed"},
	{"maxItems tightened", set("components schemas AdjustInventoryInputBody properties adjustments maxItems", "10"),
		true, "AdjustInventoryInputBody.adjustments|maxItems changed"},
	{"pattern added", set(newFields+"sku pattern", "^a"), true, "NewProduct.sku (request body)|pattern added"},
	{"first enum", set(newFields+"brand enum", "[a, b]"), true, "NewProduct.brand (request body)|enum added"},
	{"map's values narrowed", set(newFields+"attributes additionalProperties maxLength", "5"),
		true, "NewProduct.attributes.*|maxLength added"},
	{"unknown fields refused", set("components schemas ACPQuoteRequest additionalProperties", "false"),
		true, "additionalProperties|POST /p/{slug}/acp/quote"},
	{"body optional", set(create+"requestBody required", "false"), false, "required changed|POST /v1/catalog/products"},
	{"body removed", drop(create + "requestBody"), true, "requestBody: removed|POST /v1/catalog/products"},
	{"required body added", set(list+"requestBody", "{required: true, content: {application/json: {schema: {type: object}}}}"),
		true, "requestBody: added|GET /v1/catalog/products"},
	{"optional body added", set(list+"requestBody", "{content: {application/json: {schema: {type: object}}}}"),
		false, "requestBody: added|GET /v1/catalog/products"},

	{"parameter removed", drop(list + "parameters [q]"), true, "query parameter q|removed|GET /v1/catalog/products"},
	{"optional parameter added", push(list+"parameters", "{name: a, in: query, schema: {type: string}}"),
		false, "query parameter a|added|GET /v1/catalog/products"},
	{"required parameter added", push(list+"parameters", "{name: a, in: query, required: true, schema: {type: string}}"),
		true, "query parameter a|added"},
	{"parameter required", set(list+"parameters [q] required", "true"),
		true, "query parameter q|required|GET /v1/catalog/products"},
	{"parameter moved", set(list+"parameters [q] in", "header"), true, "parameter q|GET /v1/catalog/products"},
	{"parameter's enum value removed", pull(list+"parameters [status] schema enum", "archived"),
		true, "query parameter status|enum removed archived"},
	{"parameter's enum value added", push(list+"parameters [status] schema enum", "draft"),
		false, "query parameter status|enum added draft"},
	{"parameter's enum removed", drop(list + "parameters [status] schema enum"), false, "query parameter status|enum removed"},
	{"parameter's maximum tightened", set(list+"parameters [limit] schema maximum", "50"),
		true, "query parameter limit|maximum changed"},
	{"parameter's type changed", set(list+"parameters [limit] schema type", "string"),
		true, "query parameter limit|type changed"},
	{"parameter added and bound changed", all(push(list+"parameters", "{name: a, in: query, schema: {type: string}}"),
		set(list+"parameters [limit] schema maximum", "50")),
		true, "query parameter limit|maximum changed"},

	{"parameter removed and another narrowed", all(drop(list+"parameters [limit]"),
		pull(list+"parameters [status] schema enum", "archived")),
		true, "query parameter status|enum removed archived"},
	{"list sent in another way", set(list+"parameters [q] explode", "true"),
		true, "query parameter q|explode|GET /v1/catalog/products"},
	{"elements must differ", set("components schemas AdjustInventoryInputBody properties adjustments uniqueItems", "true"), true,
		"AdjustInventoryInputBody.adjustments|uniqueItems added"},
	{"default added", set(newFields+"brand default", "none"), false, "NewProduct.brand (request body)|default added"},
	{"response's media type removed", drop(create + "responses 201 content application/json"),
		true, "content removed application/json|POST /v1/catalog/products 201"},
	{"response's header added", set(create+"responses 201 headers ETag", "{schema: {type: string}}"),
		false, "headers added ETag|POST /v1/catalog/products 201"},
	{"key needed everywhere", set("security", "[{api_key: []}]"), true, "security: added api_key"},
	{"scope changed", set(list+"security", "[{api_key: ['catalog:write']}]"), true, "GET /v1/catalog/products|catalog:write"},
	{"key needed", set(quote+"security", "[{api_key: []}]"), true, "POST /p/{slug}/acp/quote|security"},
	{"no key needed", set(list+"security", "[{}]"), false, "GET /v1/catalog/products|security"},
	{"description changed", set(fields+"sku description", "Another."), false, "Product.sku (response)|description"},
	{"summary changed", set(list+"summary", "Another."), false, "GET /v1/catalog/products|summary"},
	{"deprecated", set(list+"deprecated", "true"), false, "GET /v1/catalog/products|deprecated"},
	{"tag changed", set(create+"tags", "[Other]"), false, "POST /v1/catalog/products|tags"},
	{"title changed", set("info title", "Other"), false, "title"},
	{"schema renamed", rename("Product", "Article"), false, ""},
	{"answer's form renamed", rename("ACPAcceptAnswer", "ACPYes"), false, ""},
	{"server moved", set("servers", "[{url: 'http://127.0.0.1:1'}]"), false, ""},
}

func TestChanges(t *testing.T) {
	t.Parallel()
	for name, file := range map[string]string{"small": "testdata/base.yaml", "real": "../testdata/openapi.yaml"} {
		text := load(t, file)
		for _, c := range changes {
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

// says tells whether a line has all the words; without words, whether there is no line.
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

// rename gives a schema another name wherever it is named.
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

func TestNoChange(t *testing.T) {
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

// The library takes parameters of one name for one, wherever they are: it sees the last only.
func TestBlindSpot(t *testing.T) {
	t.Parallel()
	doc := decode(t, load(t, "testdata/base.yaml"))
	push(list+"parameters", "{name: a, in: header, schema: {type: string}}")(t, doc)
	push(list+"parameters", "{name: a, in: query, schema: {type: string}}")(t, doc)
	before := encode(t, doc)
	set(list+"parameters [a] schema type", "integer")(t, doc)
	got, err := apidiff.Compare(before, encode(t, doc))
	if err != nil || !says(got, true, "not understood|GET /v1/catalog/products") {
		t.Errorf("%v, %v", got, err)
	}
}

func TestLinesAreShort(t *testing.T) {
	t.Parallel()
	text := load(t, "testdata/base.yaml")
	doc := decode(t, text)
	set("info title", "'"+strings.Repeat("long ", 1000)+"'")(t, doc)
	got, err := apidiff.Compare(text, encode(t, doc))
	if err != nil || len(got) != 1 || len(got[0].String()) > 200 {
		t.Errorf("%v, %v", got, err)
	}
}

func TestUnreadable(t *testing.T) {
	t.Parallel()
	text := load(t, "testdata/base.yaml")
	for _, bad := range []string{"", "[]", "{"} {
		if _, err := apidiff.Compare(text, []byte(bad)); err == nil {
			t.Errorf("%q is compared", bad)
		}
	}
}
