package console

import (
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/domain/catalog"
	"github.com/haggle-commerce/haggle/domain/money"
)

func routeCatalogue(page func(pattern string, show func(*memberRequest) error)) {
	page("GET /catalogue", (*memberRequest).catalogue)
	page("GET /catalogue/change", (*memberRequest).previewChange)
	page("POST /catalogue/change", (*memberRequest).changeMany)
	page("GET /catalogue/import", (*memberRequest).importForm)
	page("POST /catalogue/import", (*memberRequest).startImport)
	page("GET /catalogue/imports/{job}", (*memberRequest).showImport)
	page("GET /catalogue/imports/{job}/errors.csv", (*memberRequest).importErrors)
	page("GET /catalogue/{product}", (*memberRequest).product)
	page("POST /catalogue/{product}", (*memberRequest).changeProduct)
	page("POST /catalogue/{product}/row", (*memberRequest).changeRow)
	page("POST /catalogue/{product}/stock", (*memberRequest).moveStock)
}

// Stocks reports whether the member may see the catalog.
func (f frame) Stocks() bool { return f.may("catalog:read") }

// product is a product of the API.
type product struct {
	ID          string       `json:"id"`
	Name        string       `json:"name"`
	SKU         string       `json:"sku"`
	Price       json.Number  `json:"price"`
	Cost        *json.Number `json:"cost"`
	Competitor  *json.Number `json:"competitor_price"`
	Category    string       `json:"category"`
	Brand       string       `json:"brand"`
	Description string       `json:"description"`
	Negotiable  bool         `json:"negotiable"`
	Quantity    int          `json:"quantity"`
	Status      string       `json:"status"`
	Variants    []variant    `json:"variants"`
	Count       int          `json:"variant_count"`
	Bounds      *struct {
		Target json.Number `json:"target"`
		Floor  json.Number `json:"floor"`
	} `json:"bounds"`
}

type variant struct {
	SKU      string       `json:"sku"`
	Size     string       `json:"size"`
	Color    string       `json:"color"`
	Price    *json.Number `json:"price"`
	Quantity int          `json:"quantity"`
	Policy   string       `json:"inventory_policy"`
	Shipped  bool         `json:"requires_shipping"`
}

// low reports whether the variant's stock is at or below the threshold of the shop's alerts.
func (v variant) low() bool { return v.Policy == "tracked" && v.Quantity <= catalog.LowStock }

// simple reports whether the product has a single variant without size and color.
func (p *product) simple() bool {
	return p.Count == 1 && len(p.Variants) == 1 && p.Variants[0].Size == "" && p.Variants[0].Color == ""
}

// list returns the list price of the first variant, whose bounds a list shows.
func (p *product) list() json.Number {
	if len(p.Variants) > 0 && p.Variants[0].Price != nil {
		return *p.Variants[0].Price
	}
	return p.Price
}

// varies reports whether variants have prices of their own.
func (p *product) varies() bool {
	return slices.ContainsFunc(p.Variants, func(v variant) bool { return v.Price != nil })
}

// counted reports whether stock limits the sales of the product.
func (p *product) counted() bool {
	for _, v := range p.Variants {
		if v.Policy == "tracked" {
			return true
		}
	}
	return false
}

// numeral returns the text of a number that may be missing, for a field.
func numeral(n *json.Number) string {
	if n == nil {
		return ""
	}
	return n.String()
}

var catalogueTabs = []tab{
	{
		Name:   "",
		Word:   "On sale",
		status: "active",
	},
	{
		Name:   "archived",
		Word:   "Archived",
		status: "archived",
	},
	{Name: "all", Word: "All"},
}

type catalogueView struct {
	frame
	Done         string
	Tabs         []tab
	Tab          tab
	Text         string
	Rows         []catalogueRow
	Total        string
	Unknown      []string
	Bounds       bool   // floors and targets are shown
	Change       string // where selected products are changed; "": the role may not change them
	Import       string
	Here         string
	Problem      *problem // about a row that is no longer on the page
	Edit         *form    // of the row that is being edited
	Was          []fact
	ClearLink    string
	Empty        bool // the shop has no product
	Older, Newer string

	low float64 // left end of the glyphs, as a share of the list price
}

// lowest returns the smallest ratio of a floor to its list price, less some room.
func lowest(products []product) float64 {
	low := 1.0
	for i := range products {
		if p := &products[i]; p.Bounds != nil {
			low = min(low, shareOf(p.Bounds.Floor, p.list()))
		}
	}
	return max(0, low-0.04)
}

type catalogueRow struct {
	ID, Address, Name, SKU string
	List, Cost, Margin     string
	Floor, Target          string
	Glyph                  template.HTML
	Stock                  string
	Low                    bool
	Pills                  []pill
	Edit                   string // the address that edits the row; "": it cannot be edited
	Fields                 map[string]field
}

func (v *memberRequest) cataloguePath() string { return v.shop.Path() + "/catalogue" }

// catalogueAt returns the address of a page of the catalog, by its query.
func (v *memberRequest) catalogueAt(q url.Values, but ...string) string {
	at := url.Values{"state": {q.Get("state")}, "q": {q.Get("q")}, "offset": {q.Get("offset")}}
	for i := 0; i < len(but); i += 2 {
		at.Set(but[i], but[i+1])
	}
	return link(v.cataloguePath(), at)
}

func (v *memberRequest) catalogue() error { return v.showCatalogue(v.r.URL.Query(), nil) }

// showCatalogue shows the page of the catalog that a query names, with the problem of a failed edit of a row.
func (v *memberRequest) showCatalogue(q url.Values, failed *problem) error {
	view := &catalogueView{
		frame:   v.page("Catalogue", "catalogue"),
		Done:    catalogueDone[q.Get("done")],
		Text:    strings.TrimSpace(q.Get("q")),
		Unknown: unknown(q, "state", "q", "offset", "edit", "done"),
		Bounds:  v.may("agents:read"),
	}
	var known bool
	view.Tabs, view.Tab, known = chooseTab(catalogueTabs, q.Get("state"), 0, func(t tab) string {
		return v.catalogueAt(q, "state", t.Name, "offset", "")
	})
	if !known {
		view.Unknown = append(view.Unknown, "state="+q.Get("state"))
	}
	offset, _ := strconv.Atoi(q.Get("offset"))
	offset = max(0, offset)
	query := pageAt(offset)
	for name, value := range map[string]string{"q": view.Text, "status": view.Tab.status} {
		if value != "" {
			query.Set(name, value)
		}
	}
	if view.Bounds {
		query.Set("bounds", "true")
	}
	found, err := fetch[list[product]](v.api, "/v1/catalog/products", query)
	if err != nil {
		return err
	}
	if v.may("catalog:write") {
		view.Change, view.Import = v.cataloguePath()+"/change", v.cataloguePath()+"/import"
	}
	view.low = lowest(found.Data)
	for i := range found.Data {
		view.Rows = append(view.Rows, v.catalogueRow(&found.Data[i], view, q, failed))
	}
	view.Newer, view.Older = besides(offset, len(found.Data), found.Meta.Total, func(to string) string { return v.catalogueAt(q, "offset", to) })
	if view.Here = v.catalogueAt(q); view.Edit == nil {
		view.Problem = failed
	}
	view.Total, view.ClearLink = count(found.Meta.Total, "product", "products"), v.cataloguePath()
	view.Empty = found.Meta.Total == 0 && view.Text == "" && view.Tab.Name != "archived"
	return v.showAfter(failed, "catalogue", view)
}

var catalogueDone = map[string]string{
	"changed": "The product was changed.",
	"moved":   "The stock was changed.",
	"many":    "The products were changed.",
	"undone":  "It is as it was before.",
}

// stockWords are shown instead of stock that does not limit sales.
var stockWords = map[string]string{"always_available": "Always", "backorder": "Backorder"}

func (v *memberRequest) catalogueRow(p *product, view *catalogueView, q url.Values, failed *problem) catalogueRow {
	w := v.shop.words
	row := catalogueRow{
		ID:      p.ID,
		Address: v.cataloguePath() + "/" + p.ID,
		Name:    p.Name,
		SKU:     p.SKU,
		List:    w.amount(p.list(), ""),
		Stock:   thousands(p.Quantity),
		Low:     slices.ContainsFunc(p.Variants, variant.low),
	}
	if p.Count > 1 {
		row.SKU += " · " + count(p.Count, "variant", "variants")
	}
	if !p.counted() {
		row.Stock = stockWords[p.Variants[0].Policy]
	}
	if p.Cost != nil {
		row.Cost, row.Margin = w.amount(*p.Cost, ""), v.margin(p)
	}
	if p.Bounds != nil {
		row.Floor, row.Target = w.amount(p.Bounds.Floor, ""), w.amount(p.Bounds.Target, "")
		bounds := priced{
			List:   p.list(),
			Target: p.Bounds.Target,
			Floor:  p.Bounds.Floor,
		}
		row.Glyph = glyph(&effectOn{Before: bounds, After: bounds}, view.low)
	}
	row.Pills = v.warnings(p)
	if view.Change == "" {
		return row
	}
	row.Edit = v.catalogueAt(q, "edit", p.ID) + "#row-" + p.ID
	if q.Get("edit") == p.ID {
		view.Edit = v.rowForm(view, p, q, failed)
		row.Fields = map[string]field{}
		for _, f := range view.Edit.Fields {
			row.Fields[f.Name] = f
		}
	}
	return row
}

// warnings returns the reasons why a product is not sold, or not sold well.
func (v *memberRequest) warnings(p *product) (pills []pill) {
	if p.Status == "archived" {
		return []pill{{"Archived", ""}}
	}
	if p.counted() && p.Quantity == 0 {
		pills = append(pills, pill{"Sold out", "bad"})
	}
	switch {
	case p.Cost == nil:
		pills = append(pills, pill{"No cost", "warn"})
	case minor(*p.Cost, v.unit()) >= minor(p.list(), v.unit()):
		pills = append(pills, pill{"Cost over price", "bad"})
	}
	if !p.Negotiable {
		pills = append(pills, pill{"Not negotiable", ""})
	}
	return pills
}

// unit is the shop's currency.
func (v *memberRequest) unit() money.Currency {
	unit, _ := money.ParseCurrency(v.shop.words.currency) // settings have valid currencies only
	return unit
}

// margin returns a product's margin as a percentage of its list price: "42%".
func (v *memberRequest) margin(p *product) string {
	price, cost := minor(p.list(), v.unit()), minor(*p.Cost, v.unit())
	if price <= 0 {
		return ""
	}
	return share(float64(price-cost) / float64(price))
}

// rowForm returns the form that edits a product in its row of the list.
func (v *memberRequest) rowForm(view *catalogueView, p *product, q url.Values, failed *problem) *form {
	fields := []field{
		{
			Name:  "price",
			Label: "List price of " + p.Name,
			Kind:  "number",
			Value: p.Price.String(),
			First: failed == nil,
		},
		{
			Name:  "cost",
			Label: "Cost of " + p.Name,
			Kind:  "number",
			Value: numeral(p.Cost),
		},
	}
	view.Was = was(fields)
	if failed != nil {
		resend(v.r.PostForm, fields, view.Was)
	}
	action := link(v.cataloguePath()+"/"+p.ID+"/row", url.Values{"state": {q.Get("state")}, "q": {q.Get("q")}, "offset": {q.Get("offset")}})
	return newForm(action, failed, fields...)
}

// changeRow stores the edits of a row. Undo restores the values that the row showed before.
func (v *memberRequest) changeRow() error {
	q, f, wanted := v.r.URL.Query(), v.r.PostForm, v.r.PathValue("product")
	sent, err := v.send(func(c change) error {
		c.body = patchOf(f)
		return v.api.post(http.MethodPatch, "/v1/catalog/products/"+url.PathEscape(wanted), c, nil)
	}, func(p *problem) error {
		q.Set("edit", wanted)
		return v.showCatalogue(q, p)
	})
	if !sent {
		return err
	}
	back := url.Values{}
	for _, name := range []string{"price", "cost"} {
		if changed(f, name) {
			back.Set(name, f.Get(wasField(name)))
		}
	}
	return v.finishUndoable(v.catalogueAt(q), "changed", undo{Action: v.r.URL.RequestURI(), Fields: back})
}
