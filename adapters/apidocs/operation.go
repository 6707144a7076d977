package apidocs

import (
	"fmt"
	"net/http"
	"slices"
	"strconv"
	"strings"
)

// groupView is the page of one group.
type groupView struct {
	frame
	Name       string
	Section    string
	BookTitle  string
	BookSlug   string
	Text       []block
	Keyed      bool // its operations need an API key
	Operations []operationView
}

// operationView is an operation with all its details.
type operationView struct {
	row
	Deprecated bool
	Scope      string
	Text       []block
	Parameters []field
	BodyType   string
	Body       []field
	Answers    []answer
	Errors     []string
	Examples   []example
	Answer     string
}

type answer struct {
	Status, Text, Type string
	Fields             []field
}

type example struct {
	Title, Commands string
}

func (h *handler) groupView(l *library, b *book, g *group) groupView {
	v := groupView{
		frame:     h.frame(l, g.title+" · "+b.title, "../", b, g),
		Name:      g.title,
		Section:   g.section,
		BookTitle: b.title,
		BookSlug:  b.slug,
		Text:      g.text,
	}
	for _, op := range g.operations {
		v.Operations = append(v.Operations, b.view(op, g))
		v.Keyed = v.Keyed || needsKey(op)
	}
	return v
}

func (b *book) view(op *operation, g *group) operationView {
	v := operationView{
		row:        rowOf(op, g),
		Deprecated: op.Deprecated,
		Scope:      scopeOf(op),
		Text:       textOf(withoutScope(op.Description)),
	}
	for _, p := range op.Parameters {
		f := b.doc.field(p.Name, p.Schema, p.Required, nil)
		f.Text = textOf(p.Description)
		f.Type = p.In + ", " + f.Type
		v.Parameters = append(v.Parameters, f)
	}
	slices.SortStableFunc(v.Parameters, func(x, y field) int { return rank(x.Required) - rank(y.Required) })
	if op.RequestBody != nil {
		kind, m := body(op.RequestBody.Content)
		v.BodyType = kind
		if m != nil {
			v.Body = b.doc.fields(m.Schema, nil)
			v.Examples = b.examples(op, m)
		}
	}
	if len(v.Examples) == 0 && op.Method != eventMethod {
		v.Examples = []example{{Commands: b.commands(b.example(op))}}
	}
	b.answers(op, &v)
	return v
}

// examples returns all examples of a body: for an event the body, for an operation the commands that send it.
func (b *book) examples(op *operation, m *media) []example {
	if op.Method == eventMethod {
		return []example{{Commands: indented(m.Example)}}
	}
	if len(m.Examples) == 0 {
		return []example{{Commands: b.commands(b.example(op))}}
	}
	var all []example
	for _, name := range sortedKeys(m.Examples) {
		c := b.example(op)
		c.body = m.Examples[name].Value
		all = append(all, example{m.Examples[name].Summary, b.commands(c)})
	}
	return all
}

// common are the error statuses of all operations. The guide explains them once.
var common = []string{"400", "401", "413", "415", "429", "500", "503"}

func (b *book) answers(op *operation, v *operationView) {
	for _, status := range sortedKeys(op.Responses) {
		r := op.Responses[status]
		code, err := strconv.Atoi(status)
		if status == "default" || err == nil && code >= http.StatusBadRequest {
			if err == nil && !slices.Contains(common, status) {
				v.Errors = append(v.Errors, fmt.Sprintf("%s %s", status, r.Description))
			}
			continue
		}
		kind, m := body(r.Content)
		a := answer{
			Status: status,
			Text:   r.Description,
			Type:   kind,
		}
		if m != nil {
			a.Fields = b.doc.fields(m.Schema, nil)
			if v.Answer == "" && strings.Contains(kind, "json") {
				v.Answer = indented(b.value("", m.Schema, true, nil))
			}
		}
		v.Answers = append(v.Answers, a)
	}
}

// scopeOf returns the scope that a key needs, "" for none.
func scopeOf(op *operation) string {
	var scopes []string
	for _, s := range op.Security {
		for _, names := range s {
			scopes = append(scopes, names...)
		}
	}
	return strings.Join(scopes, " or ")
}

// withoutScope removes the sentence about the scope, because the page shows the scope separately.
func withoutScope(text string) string {
	if !strings.HasPrefix(text, "Scope: ") {
		return text
	}
	_, rest, _ := strings.Cut(text, ".")
	return strings.TrimSpace(rest)
}
