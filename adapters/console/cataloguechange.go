package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/domain/money"
)

// changeManyView previews a change of several products. Confirming it stores exactly the rows that it shows.
type changeManyView struct {
	frame
	Back     string
	Here     string // the same page, with another change
	Products []fact // the selected ones, for the form that previews
	How      []option
	By       field
	Rows     []changeRow
	Ask      *form // stores what is shown; nil: nothing to store
	Problem  *problem
}

type changeRow struct {
	SKU, Name, Address string
	Field              string // of the API; "": nothing is changed
	Was, Now           string
	Before, After      string // as the form sends them
	Wrong              string
}

// manyChanges lists the changes that can be made to several products at once.
var manyChanges = []option{
	{Value: "raise", Word: "Raise list prices by"},
	{Value: "lower", Word: "Lower list prices by"},
	{Value: "cost", Word: "Set cost to a share of the list price"},
	{Value: "haggle", Word: "Let buyers haggle"},
	{Value: "fixed", Word: "Sell at list price"},
	{Value: "archive", Word: "Archive"},
	{Value: "restore", Word: "Put on sale"},
}

// byPercent reports whether a change needs a percentage.
func byPercent(how string) bool { return slices.Contains([]string{"raise", "lower", "cost"}, how) }

var errNotStocking = &problem{
	Status:  http.StatusForbidden,
	Code:    "insufficient_scope",
	Message: "Your role does not change products. A manager or an owner does.",
}

func (v *memberRequest) previewChange() error {
	if !v.may("catalog:write") {
		return errNotStocking
	}
	q := v.r.URL.Query()
	names := slices.Compact(slices.Sorted(slices.Values(q["product"])))
	if len(names) > pageSize {
		return &problem{
			Status:  http.StatusUnprocessableEntity,
			Code:    "validation_error",
			Message: "Select at most " + strconv.Itoa(pageSize) + " products.",
		}
	}
	how := q.Get("how")
	view := &changeManyView{
		frame: v.page("Change products", "catalogue"),
		Back:  v.cataloguePath(),
		Here:  v.cataloguePath() + "/change",
		How:   chosen(manyChanges, how),
		By: field{
			Name:  "by",
			Label: "Per cent",
			Kind:  "number",
			Value: q.Get("by"),
			Help:  "For prices and costs.",
		},
	}
	share, err := parsePercent(q.Get("by"))
	if byPercent(how) && err != nil {
		view.By.Wrong, how = "must be a percentage between 0.1 and 1000, with at most one decimal", ""
	}
	for _, name := range names {
		p, err := fetch[product](v.api, "/v1/catalog/products/"+url.PathEscape(name), nil)
		if err != nil {
			return err
		}
		view.Products = append(view.Products, fact{Label: "product", Value: p.ID})
		view.Rows = append(view.Rows, v.changeOf(&p, how, share))
	}
	if slices.ContainsFunc(view.Rows, func(r changeRow) bool { return r.Field != "" && r.Before != r.After }) {
		view.Ask = newForm(view.Here, nil)
	}
	return v.show("changemany", view)
}

// parsePercent parses a percentage with at most one decimal.
func parsePercent(text string) (money.Percent, error) {
	a, err := money.Parse(strings.TrimSuffix(strings.TrimSpace(text), "%"), money.USD)
	if err == nil && (a.Minor()%10 != 0 || a.Minor() < 10 || a.Minor() > 100_000) {
		err = strconv.ErrRange
	}
	return money.Percent(a.Minor() / 10), err
}

var (
	haggleWords = map[string]string{"true": "Buyers haggle", "false": "At list price"}
	statusWords = map[string]string{"active": "On sale", "archived": "Archived"}
)

// changeOf returns the effect of a change on a product.
func (v *memberRequest) changeOf(p *product, how string, by money.Percent) changeRow {
	w := v.shop.words
	row := changeRow{
		SKU:     p.SKU,
		Name:    p.Name,
		Address: v.cataloguePath() + "/" + p.ID,
	}
	price, err := money.Parse(p.Price.String(), v.unit())
	if err != nil {
		row.Wrong = "Its price cannot be read."
		return row
	}
	amount := func(field string, of money.Percent, was *json.Number) changeRow {
		now, err := of.Of(price, money.HalfUp)
		switch {
		case err != nil:
			row.Wrong = "Not changed: the amount is too large."
			return row
		case now.Minor() <= 0:
			row.Wrong = "Not changed: nothing would be left of the price."
			return row
		}
		row.Field, row.After, row.Before = field, now.String(), numeral(was)
		row.Now, row.Was = w.amount(json.Number(row.After), ""), "None"
		if was != nil {
			row.Was = w.amount(*was, "")
		}
		return row
	}
	set := func(field, before, after string, words map[string]string) changeRow {
		row.Field, row.Before, row.After, row.Was, row.Now = field, before, after, words[before], words[after]
		return row
	}
	switch how {
	case "raise", "lower":
		if p.varies() {
			row.Wrong = "Not changed: its variants have prices of their own."
			return row
		}
	}
	switch how {
	case "raise":
		return amount("price", money.Whole+by, &p.Price)
	case "lower":
		return amount("price", max(0, money.Whole-by), &p.Price)
	case "cost":
		return amount("cost", by, p.Cost)
	case "haggle":
		return set("negotiable", strconv.FormatBool(p.Negotiable), "true", haggleWords)
	case "fixed":
		return set("negotiable", strconv.FormatBool(p.Negotiable), "false", haggleWords)
	case "archive":
		return set("status", p.Status, "archived", statusWords)
	case "restore":
		return set("status", p.Status, "active", statusWords)
	}
	row.Was = w.amount(p.Price, "")
	return row
}

// changeFields are those of the API that a change of several products may set.
var changeFields = []string{"price", "cost", "negotiable", "status"}

// changeMany stores the previewed changes in one request.
func (v *memberRequest) changeMany() error {
	f := v.r.PostForm
	var lines []map[string]any
	back := url.Values{}
	for n := range pageSize {
		at := "." + strconv.Itoa(n)
		for _, field := range changeFields {
			if f.Has("sku"+at) && f.Has(field+at) {
				lines = append(lines, map[string]any{"sku": f.Get("sku" + at), field: wireValue(field, f.Get(field+at))})
				back.Set("sku"+at, f.Get("sku"+at))
				back.Set(field+at, f.Get("was"+at))
			}
		}
	}
	var answer struct {
		Data []struct {
			SKU    string   `json:"sku"`
			Errors []detail `json:"errors"`
		} `json:"data"`
	}
	c := change{body: map[string]any{"products": lines}, key: f.Get("key")}
	if err := v.api.post(http.MethodPost, "/v1/catalog/products/batch", c, &answer); err != nil {
		return err
	}
	refused := &problem{Status: http.StatusUnprocessableEntity, Code: "products_refused"}
	for _, one := range answer.Data {
		for _, d := range one.Errors {
			refused.Details = append(refused.Details, detail{one.SKU, d.Field + " " + d.Message})
		}
	}
	if len(refused.Details) > 0 {
		refused.Message = "These products were not changed. The others were."
		return v.showAfter(refused, "changemany", &changeManyView{
			frame:   v.page("Change products", "catalogue"),
			Back:    v.cataloguePath(),
			Problem: refused,
		})
	}
	return v.finishUndoable(v.cataloguePath(), "many", undo{Action: v.cataloguePath() + "/change", Fields: back})
}

// wireValue converts a form's value for the API. It returns null for an unknown cost.
func wireValue(field, text string) any {
	switch {
	case field == "negotiable":
		return text == "true"
	case field == "cost" && text == "":
		return nil
	case field == "price" || field == "cost":
		return typed(text)
	}
	return text
}
