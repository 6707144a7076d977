package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
)

type productView struct {
	frame
	Done      string
	Back      string
	About     catalogueRow
	Edit      *form // nil: the role does not
	Was       []fact
	Text      string
	Variants  []variantRow
	More      string // how many variants are not shown
	Simple    bool
	MayChange bool
	Levels    []levelRow // of a product without variants
	Key       string
}

type levelRow struct{ Location, Quantity, Held, Action string }

type variantRow struct {
	SKU, Name, Price, Stock, Sold string
	Low                           bool
}

func (v *memberRequest) product() error { return v.showProduct(nil) }

func (v *memberRequest) aboutProduct() string {
	return "/v1/catalog/products/" + url.PathEscape(v.r.PathValue("product"))
}

// showProduct shows a product, and the problem of a failed change.
func (v *memberRequest) showProduct(failed *problem) error {
	p, err := fetch[product](v.api, v.aboutProduct(), nil)
	if err != nil {
		return err
	}
	view := &productView{
		frame:     v.page(p.Name, "catalogue"),
		Done:      catalogueDone[v.r.URL.Query().Get("done")],
		Back:      v.cataloguePath(),
		About:     v.catalogueRow(&p, &catalogueView{}, url.Values{}, nil),
		Text:      p.Description,
		Simple:    p.simple(),
		MayChange: v.may("catalog:write"),
	}
	for i, one := range p.Variants {
		if i == mostVariants {
			view.More = thousands(len(p.Variants)-i) + " more"
			break
		}
		view.Variants = append(view.Variants, v.variantRow(&p, &one))
	}
	if view.Simple {
		if err := v.addLevels(view, p.ID, p.Variants[0].SKU); err != nil {
			return err
		}
	}
	if view.MayChange {
		fields := productFields(&p)
		view.Was = was(fields)
		if failed != nil {
			resend(v.r.PostForm, fields, view.Was)
		}
		view.Edit = newForm(v.cataloguePath()+"/"+p.ID, failed, fields...)
	}
	return v.showAfter(failed, "product", view)
}

// addLevels adds the stock at each location. Forms adjust it instead of setting it, because a sale may change it meanwhile.
func (v *memberRequest) addLevels(view *productView, id, sku string) error {
	found, err := fetchAll[struct {
		Location string `json:"location"`
		Quantity int    `json:"quantity"`
		Held     int    `json:"held"`
	}](v.api, "/v1/catalog/inventory", url.Values{"sku": {sku}})
	if err != nil {
		return err
	}
	view.Key = newForm("", nil).Key
	for _, l := range found {
		row := levelRow{
			Location: l.Location,
			Quantity: thousands(l.Quantity),
			Held:     thousands(l.Held),
		}
		if view.MayChange {
			row.Action = link(v.cataloguePath()+"/"+id+"/stock", url.Values{"sku": {sku}, "location": {l.Location}})
		}
		view.Levels = append(view.Levels, row)
	}
	return nil
}

// moveStock adjusts the stock of a location by some pieces.
func (v *memberRequest) moveStock() error {
	if !v.may("catalog:write") {
		return errNotStocking
	}
	q, f := v.r.URL.Query(), v.r.PostForm
	delta, err := strconv.Atoi(strings.Replace(strings.TrimSpace(f.Get("delta")), minus, "-", 1))
	if err != nil || delta == 0 {
		return v.showProduct(&problem{
			Status:  http.StatusUnprocessableEntity,
			Code:    "validation_error",
			Details: []detail{{"pieces", "must be a whole number, such as 5 or -5"}},
		})
	}
	sent, err := v.send(func(c change) error {
		c.body = map[string]any{"adjustments": []any{map[string]any{"sku": q.Get("sku"), "location": q.Get("location"), "delta": delta, "reason": "console"}}}
		return v.api.post(http.MethodPost, "/v1/catalog/inventory/adjust", c, nil)
	}, v.showProduct)
	if !sent {
		return err
	}
	return v.finishUndoable(v.cataloguePath()+"/"+url.PathEscape(v.r.PathValue("product")), "moved",
		undo{Action: v.r.URL.RequestURI(), Fields: url.Values{"delta": {strconv.Itoa(-delta)}}})
}

// mostVariants are how many variants a page shows.
const mostVariants = 100

// soldWords describes how stock affects a variant.
var soldWords = map[string]string{
	"tracked":          "While there is stock",
	"always_available": "Always, without stock",
	"backorder":        "Also when there is no stock",
}

func (v *memberRequest) variantRow(p *product, one *variant) variantRow {
	row := variantRow{
		SKU:   one.SKU,
		Name:  strings.Join(strings.Fields(one.Size+" "+one.Color), ", "),
		Price: v.shop.words.amount(p.Price, ""),
		Stock: thousands(one.Quantity),
		Sold:  soldWords[one.Policy],
		Low:   one.low(),
	}
	if one.Price != nil {
		row.Price = v.shop.words.amount(*one.Price, "")
	}
	if !one.Shipped {
		row.Sold += ", digital"
	}
	return row
}

// productFields returns the fields of a product that can be changed, without the variants if it has several.
func productFields(p *product) []field {
	fields := []field{
		{
			Name:     "name",
			Label:    "Name",
			Kind:     "text",
			Value:    p.Name,
			Required: true,
			Most:     500,
		},
		{
			Name:  "category",
			Label: "Category",
			Kind:  "text",
			Value: p.Category,
			Most:  200,
			Help:  "A path with slashes: outdoor/tents.",
		},
		{
			Name:     "price",
			Label:    "List price",
			Kind:     "number",
			Value:    p.Price.String(),
			Required: true,
			Help:     "Where haggling starts. Prices that were promised stay.",
		},
		{
			Name:  "cost",
			Label: "Cost",
			Kind:  "number",
			Value: numeral(p.Cost),
			Help:  "Buyers never see it. Without one, margins are not known.",
		},
		{
			Name:  "competitor_price",
			Label: "Competitor's price",
			Kind:  "number",
			Value: numeral(p.Competitor),
		},
		{
			Name:  "brand",
			Label: "Brand",
			Kind:  "text",
			Value: p.Brand,
			Most:  200,
		},
		{
			Name:    "status",
			Label:   "State",
			Kind:    "select",
			Options: chosen([]option{{Value: "active", Word: "On sale"}, {Value: "archived", Word: "Archived"}}, p.Status),
		},
	}
	if p.simple() {
		only := p.Variants[0]
		fields = append(fields,
			field{
				Name:  "inventory_policy",
				Label: "Sold",
				Kind:  "select",
				Options: chosen([]option{
					{Value: "tracked", Word: soldWords["tracked"]},
					{Value: "always_available", Word: soldWords["always_available"]},
					{Value: "backorder", Word: soldWords["backorder"]},
				}, only.Policy),
			},
			field{
				Name:  "digital",
				Label: "Digital: a download, a voucher or a service",
				Kind:  "check",
				On:    !only.Shipped,
				Help:  "It is sold without an address, and not over UCP.",
			})
	}
	return append(fields, field{
		Name:  "negotiable",
		Label: "Buyers may haggle over it",
		Kind:  "check",
		On:    p.Negotiable,
	})
}

// changeProduct stores the fields of a product that a form changed. Fields that the form does not show keep their values.
func (v *memberRequest) changeProduct() error {
	before, err := fetch[product](v.api, v.aboutProduct(), nil)
	if err != nil {
		return err
	}
	sent, err := v.send(func(c change) error {
		c.body = productPatch(v.r.PostForm, before.simple())
		return v.api.post(http.MethodPatch, v.aboutProduct(), c, nil)
	}, v.showProduct)
	if !sent {
		return err
	}
	return v.finish(v.cataloguePath()+"/"+url.PathEscape(v.r.PathValue("product")), "changed")
}

// productPatch returns the changes of the form on a product's page.
func productPatch(f url.Values, simple bool) map[string]any {
	patch := patchOf(f)
	for _, name := range []string{"name", "category", "brand", "status", "inventory_policy"} {
		if changed(f, name) {
			patch[name] = strings.TrimSpace(f.Get(name))
		}
	}
	if ticked(f, "negotiable") {
		patch["negotiable"] = f.Get("negotiable") == "on"
	}
	if simple && ticked(f, "digital") {
		patch["requires_shipping"] = f.Get("digital") != "on"
	}
	return patch
}

// patchOf returns a form's changes to a product's numbers. It passes them as typed, so that the API names malformed ones.
func patchOf(f url.Values) map[string]any {
	patch := map[string]any{}
	for _, name := range []string{"price", "cost", "competitor_price"} {
		text := strings.TrimSpace(f.Get(name))
		switch {
		case !changed(f, name):
		case text == "" && (name == "cost" || name == "competitor_price"):
			patch[name] = nil
		default:
			patch[name] = typed(text)
		}
	}
	return patch
}

// typed returns a JSON number, or else the text as typed, which the API refuses.
func typed(text string) any {
	if found := amountForm.FindStringSubmatch(text); found != nil {
		return json.Number(found[1])
	}
	return text
}

// wasField names the hidden field that keeps the value which a field showed at first. An untouched field is not sent to the API,
// because a sync may have changed the product since.
func wasField(name string) string { return "was." + name }

// was returns the hidden fields of a form.
func was(fields []field) (hidden []fact) {
	for _, f := range fields {
		value := f.Value
		switch f.Kind {
		case "check":
			value = map[bool]string{true: "on", false: "off"}[f.On]
		case "select":
			for _, o := range f.Options {
				if o.Chosen {
					value = o.Value
				}
			}
		}
		hidden = append(hidden, fact{Label: wasField(f.Name), Value: value})
	}
	return hidden
}

// changed reports whether a form's value differs from the one that it showed at first.
func changed(f url.Values, name string) bool {
	return f.Has(name) && (!f.Has(wasField(name)) || f.Get(name) != f.Get(wasField(name)))
}

// ticked reports whether a box was ticked or cleared.
func ticked(f url.Values, name string) bool {
	return f.Has(wasField(name)) && (f.Get(name) == "on") != (f.Get(wasField(name)) == "on")
}

// resend sets fields to the values that were sent, and keeps the values that they showed at first.
func resend(f url.Values, fields []field, hidden []fact) {
	for i := range fields {
		switch text := f.Get(fields[i].Name); fields[i].Kind {
		case "check":
			fields[i].On = text == "on"
		case "select":
			fields[i].Options = chosen(fields[i].Options, text)
		default:
			fields[i].Value = text
		}
	}
	for i := range hidden {
		if f.Has(hidden[i].Label) {
			hidden[i].Value = f.Get(hidden[i].Label)
		}
	}
}
