package apidocs

import (
	"slices"
	"strings"
)

// book is the documentation of one API. Each book has its own readers: merchants, buyers or protocol implementers.
type book struct {
	cover
	doc    *document
	base   string // URL that paths are appended to
	mcp    string // URL of the MCP endpoint
	sample samples
	byID   map[string]*operation
	groups []*group
}

// cover has the title and the introduction of a book.
type cover struct {
	slug, title, short, lead string
	download                 string // of its OpenAPI document, after the server's address
}

var (
	bookOfMerchants = cover{
		slug:  "management",
		title: "Management API",
		short: "Merchants",
		lead: "For a shop’s own servers and people: products, prices, policies, orders, money. Each request carries an API key, and the id of " +
			"the project that it is about.",
		download: "openapi.json",
	}
	bookOfBuyers = cover{
		slug:     "buyers",
		title:    "Buyers’ API (ACP)",
		short:    "Buyers",
		lead:     "For agents that shop for people: search, haggle, check out, return. No credentials are needed. Every shop has its own address and its own document with examples.",
		download: "p/{slug}/acp/openapi.json",
	}
	bookOfProtocols = cover{
		slug:     "ucp-mcp",
		title:    "UCP and MCP",
		short:    "UCP, MCP",
		lead:     "The Universal Commerce Protocol with our extension for haggling, and the same as tools of the Model Context Protocol. Examples of UCP want the address of your own platform’s profile; tools run as they are.",
		download: "ucp/schemas/negotiation.openapi.json",
	}
)

// group is a task and the operations for it.
type group struct {
	place
	rank       int
	text       []block
	operations []*operation
}

func newBook(c cover, d *document, base string, s samples, keep func(*operation) bool) *book {
	b := &book{
		cover:  c,
		doc:    d,
		base:   base,
		sample: s,
		byID:   map[string]*operation{},
	}
	for _, op := range d.operations() {
		if keep(op) {
			b.add(op)
		}
	}
	b.sort()
	return b
}

func (b *book) sort() {
	slices.SortStableFunc(b.groups, func(x, y *group) int { return x.rank - y.rank })
	for _, g := range b.groups {
		slices.SortStableFunc(g.operations, func(x, y *operation) int { return earliness(x) - earliness(y) })
	}
}

func (b *book) add(op *operation) {
	b.byID[op.ID] = op
	tag := tagOf(op)
	p, rank := placeOf(tag)
	g := b.group(p.slug)
	if g == nil {
		g = &group{place: p, rank: rank}
		for _, t := range b.doc.Tags {
			if t.Name == tag {
				g.text = textOf(t.Description)
			}
		}
		b.groups = append(b.groups, g)
	}
	g.operations = append(g.operations, op)
}

func (b *book) group(slug string) *group {
	for _, g := range b.groups {
		if g.slug == slug {
			return g
		}
	}
	return nil
}

// tool is an MCP tool.
type tool struct {
	Name        string  `json:"name"`
	Description string  `json:"description"`
	Input       *schema `json:"inputSchema"`
}

// toolMethod is shown instead of an HTTP method for a tool.
const toolMethod = "TOOL"

// addTools adds tools as operations.
func (b *book) addTools(tools []tool, address string) {
	b.mcp = address
	for _, t := range tools {
		summary, rest, _ := strings.Cut(t.Description, ". ")
		b.add(&operation{
			Method:      toolMethod,
			Path:        t.Name,
			ID:          toolID + t.Name,
			Summary:     strings.TrimSuffix(summary, "."),
			Description: rest,
			Tags:        []string{toolTag},
			RequestBody: &content{
				Required: true,
				Content:  map[string]*media{"application/json": {Schema: t.Input}},
			},
		})
	}
	b.sort()
}

// toolID is the prefix of tools' ids, because operations of UCP have the same names.
const toolID = "tool-"

// invocation returns the request that calls a tool.
func invocation(name string, arguments any) map[string]any {
	return map[string]any{
		"jsonrpc": "2.0",
		"id":      1,
		"method":  "tools/call",
		"params":  map[string]any{"name": name, "arguments": arguments},
	}
}
