package apidocs

import (
	"fmt"
	"slices"
	"strings"
)

// frame is the layout around the content of every page.
type frame struct {
	Title   string
	Root    string // relative path of Path + "/"
	Tabs    []tab
	Nav     []section
	Query   string
	Book    string // the slug of the book that is searched; "": none
	version string
}

// Asset returns the URL of a file.
func (f frame) Asset(file string) string { return f.Root + "assets/" + f.version + "/" + file }

type tab struct {
	Slug, Name string
	Here       bool
}

// section is a heading in the list of groups.
type section struct {
	Name   string
	Groups []groupLink
}

type groupLink struct {
	Slug, Name string
	Count      int
	Here       bool
}

func (h *handler) frame(l *library, title, root string, b *book, here *group) frame {
	f := frame{
		Title:   title,
		Root:    root,
		version: h.assets.version,
	}
	for _, one := range l.books {
		f.Tabs = append(f.Tabs, tab{one.slug, one.short, one == b})
	}
	if b == nil {
		return f
	}
	f.Book = b.slug
	for _, g := range b.groups {
		if len(f.Nav) == 0 || f.Nav[len(f.Nav)-1].Name != g.section {
			f.Nav = append(f.Nav, section{Name: g.section})
		}
		last := &f.Nav[len(f.Nav)-1]
		last.Groups = append(last.Groups, groupLink{g.slug, g.title, len(g.operations), g == here})
	}
	return f
}

// startView is the first page.
type startView struct {
	frame
	Books   []bookCard
	Demo    bool
	Address string
	Project string
	Search  string
	Haggle  string
	Orders  string
}

type bookCard struct {
	Slug, Title, Lead, Count string
}

func (h *handler) startView(l *library) startView {
	v := startView{
		frame:   h.frame(l, "Documentation", "docs/", nil, nil),
		Demo:    l.demo,
		Address: strings.TrimSuffix(h.Address, "/"),
		Project: l.books[0].sample.project,
	}
	for _, b := range l.books {
		v.Books = append(v.Books, bookCard{b.slug, b.title, b.lead, b.count()})
	}
	merchants, buyers := l.books[0], l.books[1]
	if op := buyers.byID["acp-search"]; op != nil {
		v.Search = buyers.commands(buyers.example(op))
	}
	if op := buyers.byID["acp-quote"]; op != nil {
		v.Haggle = buyers.commands(call{operation: op, body: map[string]any{
			"product_id":  buyers.sample.product,
			"variant_id":  buyers.sample.variant,
			"quantity":    1,
			"offer_price": 30,
		}})
	}
	if op := merchants.byID["list-negotiations"]; op != nil {
		v.Orders = merchants.commands(merchants.example(op))
	}
	return v
}

// bookView is the page of one API with all its operations, or with those that match a search.
type bookView struct {
	frame
	Name     string
	Lead     string
	Text     []block
	Download string
	Profile  string
	Groups   []groupCard
	Found    string
}

type groupCard struct {
	Slug, Name, Section string
	Operations          []row
}

// row is an operation in a list.
type row struct {
	ID, Method, Tone, Path, Summary string
	Words                           string // the text that is searched
}

func (h *handler) bookView(l *library, b *book, query string) bookView {
	v := bookView{
		frame:    h.frame(l, b.title, "../docs/", b, nil),
		Name:     b.title,
		Lead:     b.lead,
		Download: "../" + strings.ReplaceAll(b.download, "{slug}", h.DemoSlug),
	}
	v.Query = query
	if !l.demo && strings.Contains(b.download, "{slug}") {
		v.Download = "../openapi.json"
	}
	if b.slug == bookOfBuyers.slug && l.demo {
		v.Text = textOf(b.doc.Info.Description)
	}
	if b.slug == bookOfProtocols.slug {
		v.Profile = strings.TrimSuffix(b.base, "/ucp") + "/.well-known/ucp"
	}
	found := 0
	for _, g := range b.groups {
		card := groupCard{
			Slug:    g.slug,
			Name:    g.title,
			Section: g.section,
		}
		for _, op := range g.operations {
			r := rowOf(op, g)
			if matches(r.Words, query) {
				card.Operations = append(card.Operations, r)
			}
		}
		if len(card.Operations) > 0 {
			v.Groups = append(v.Groups, card)
		}
		found += len(card.Operations)
	}
	switch {
	case query != "" && found == 0:
		v.Found = "Nothing matches “" + query + "”."
	case query != "":
		v.Found = fmt.Sprintf("%d of %d match “%s”.", found, len(b.byID), query)
	}
	return v
}

func rowOf(op *operation, g *group) row {
	return row{
		ID:      op.ID,
		Method:  op.Method,
		Tone:    strings.ToLower(op.Method),
		Path:    op.Path,
		Summary: op.Summary,
		Words:   strings.ToLower(strings.Join([]string{op.Method, op.Path, op.ID, op.Summary, g.title, scopeOf(op)}, " ")),
	}
}

// matches reports whether a text has all words of a query.
func matches(text, query string) bool {
	return !slices.ContainsFunc(strings.Fields(strings.ToLower(query)), func(word string) bool { return !strings.Contains(text, word) })
}

// count describes the size of a book.
func (b *book) count() string {
	operations, events := 0, 0
	for _, op := range b.byID {
		if op.Method == eventMethod {
			events++
		} else {
			operations++
		}
	}
	if events == 0 {
		return fmt.Sprintf("%d operations", operations)
	}
	return fmt.Sprintf("%d operations, %d events", operations, events)
}
