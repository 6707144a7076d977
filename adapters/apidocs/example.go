package apidocs

import (
	"encoding/json"
	"slices"
	"strings"
)

// samples are existing ids, which make examples runnable.
type samples struct {
	project, product, variant, sku string
}

// placeholders are the samples of a server without a demo shop.
var placeholders = samples{
	project: "$HAGGLE_PROJECT",
	product: "prod_06fszq2d8v3m5xk9t1c7w4hpeg",
	variant: "var_06fszq2d8v3m5xk9t1c7w4hpeg",
	sku:     "TENT-2",
}

// ofDocument are the ids that the examples of the OpenAPI document contain.
var ofDocument = samples{
	project: "proj_06fszq2d8v3m5xk9t1c7w4hpeg",
	product: placeholders.product,
	variant: placeholders.variant,
	sku:     placeholders.sku,
}

// replace returns an example of the document with its ids replaced by existing ones.
func (s samples) replace(example any) any {
	switch v := example.(type) {
	case string:
		return strings.NewReplacer(ofDocument.project, s.project, ofDocument.product, s.product, ofDocument.variant, s.variant, ofDocument.sku, s.sku).Replace(v)
	case []any:
		for i, one := range v {
			v[i] = s.replace(one)
		}
	case map[string]any:
		for name, one := range v {
			v[name] = s.replace(one)
		}
	}
	return example
}

func (s samples) fill(text string) string {
	return strings.NewReplacer("@project@", s.project, "@product@", s.product, "@variant@", s.variant, "@sku@", s.sku).Replace(text)
}

// example returns the first example of an operation.
func (b *book) example(op *operation) call {
	c := call{
		operation:  op,
		parameters: map[string]any{},
	}
	for _, p := range op.Parameters {
		switch {
		case p.Example != nil:
			c.parameters[p.Name] = p.Example
		case p.In == "path":
			c.parameters[p.Name] = b.sampleID(op, p)
		case p.Required && p.In != "header" || p.Required && p.Name == "Idempotency-Key":
			c.parameters[p.Name] = b.value(p.Name, p.Schema, false, nil)
		}
	}
	if op.RequestBody != nil {
		_, m := body(op.RequestBody.Content)
		c.body = b.body(op, m)
	}
	return c
}

// body returns the first example of a body: the document's, the one in bodies, or one generated from the schema.
func (b *book) body(op *operation, m *media) any {
	if m == nil {
		return nil
	}
	if m.Example != nil {
		return b.sample.replace(m.Example)
	}
	for _, name := range sortedKeys(m.Examples) {
		return m.Examples[name].Value
	}
	if text, ok := bodies[op.ID]; ok {
		var value any
		if err := json.Unmarshal([]byte(b.sample.fill(text)), &value); err == nil {
			return value
		}
	}
	return b.value("", m.Schema, false, nil)
}

// sampleID returns an id for a path: the demo shop's, or the first one of the list at the path before the parameter.
func (b *book) sampleID(op *operation, p *parameter) any {
	switch p.Name {
	case "project_id":
		return b.sample.project
	case "product_id":
		if op.Method != "DELETE" { // later examples use the product
			return b.sample.product
		}
	}
	if op.Method == "DELETE" { // pasting an example should not delete the first item of a list
		return "$" + strings.ToUpper(p.Name)
	}
	if tagOf(op) == offerTag {
		return "$start_negotiation.response.body#/id"
	}
	collection, _, _ := strings.Cut(op.Path, "/{"+p.Name+"}")
	if from, ok := collections[collection]; ok {
		collection = from
	}
	for _, one := range b.byID {
		if one.Method == "GET" && one.Path == collection {
			return "$" + one.ID + ".response.body#/data/0/" + b.idField(one, p.Name)
		}
	}
	return "$" + strings.ToUpper(p.Name)
}

// idField returns the field of a list's items that has the id.
func (b *book) idField(listing *operation, parameter string) string {
	_, m := body(listing.Responses["200"].Content)
	if m == nil {
		return "id"
	}
	data := b.doc.resolve(m.Schema).Properties["data"]
	if data == nil {
		return "id"
	}
	item := b.doc.resolve(b.doc.resolve(data).Items)
	if item.Properties["id"] == nil && item.Properties[parameter] != nil {
		return parameter
	}
	return "id"
}

// value generates an example of a schema. Responses have all fields, requests the required ones.
func (b *book) value(name string, s *schema, all bool, within []*schema) any {
	s = b.doc.resolve(s)
	if len(s.Examples) > 0 {
		return s.Examples[0]
	}
	switch {
	case s.Default != nil:
		return s.Default
	case len(s.Enum) > 0:
		return s.Enum[0]
	case len(within) == deepest || slices.Contains(within, s):
		return nil
	}
	within = append(within[:len(within):len(within)], s)
	if len(s.OneOf) > 0 {
		return b.value(name, s.OneOf[0], all, within)
	}
	switch s.Type.main() {
	case "object":
		return b.object(s, all, within)
	case "array":
		if one := b.value(strings.TrimSuffix(name, "s"), s.Items, all, within); one != nil {
			return []any{one}
		}
		return []any{}
	case "boolean":
		return true
	case "integer", "number":
		return number(name, s)
	case "string":
		return b.text(name, s)
	}
	return nil
}

func (b *book) object(s *schema, all bool, within []*schema) any {
	made := map[string]any{}
	for name, property := range s.Properties {
		if all && !property.WriteOnly || s.requires(name) {
			made[name] = b.value(name, property, all, within)
		}
	}
	return made
}

func number(name string, s *schema) any {
	switch {
	case s.Minimum != nil && s.Minimum.String() != "0":
		return *s.Minimum
	case s.Type.main() == "number" && !strings.HasSuffix(name, "percent"):
		return 24.5
	}
	return 1
}

// texts are example strings by the suffix of a field's name.
var texts = []struct{ end, value string }{
	{"currency", "USD"}, {"email", "ada@example.com"}, {"country", "US"}, {"name", "Trail tent"}, {"url", "https://shop.example.com"},
	{"reason", "Too small"}, {"locale", "en-US"}, {"timezone", "America/New_York"}, {"request_id", "req_cp4yn5tv7ywp5xcnwmoby7lf77"},
}

func (b *book) text(name string, s *schema) any {
	switch s.Format {
	case "date-time":
		return "2026-11-27T12:00:00Z"
	case "date":
		return "2026-11-27"
	case "email":
		return "ada@example.com"
	case "uri":
		return "https://shop.example.com"
	}
	switch name {
	case "product_id":
		return b.sample.product
	case "variant_id":
		return b.sample.variant
	case "project_id":
		return b.sample.project
	case "sku":
		return b.sample.sku
	}
	for _, t := range texts {
		if strings.HasSuffix(name, t.end) {
			return t.value
		}
	}
	if kind, ok := strings.CutSuffix(name, "_id"); ok {
		return kind + "_…"
	}
	return "…"
}
