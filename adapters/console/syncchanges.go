package console

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// syncChange is what a preview would do to a record, or a field in conflict, of the API.
type syncChange struct {
	Kind     string        `json:"kind"`
	Resource string        `json:"resource"`
	Record   string        `json:"record_id"`
	Local    string        `json:"local_id"`
	Title    string        `json:"title"`
	Fields   []fieldChange `json:"fields"`
	At       time.Time     `json:"at"`
}

type fieldChange struct {
	Field  string          `json:"field"`
	Ours   json.RawMessage `json:"ours"`
	Theirs json.RawMessage `json:"theirs"`
	Winner string          `json:"winner"`
	Rule   string          `json:"rule"`
}

type syncChanges struct {
	list[syncChange]
	Cut bool `json:"cut"`
}

type changesView struct {
	frame
	Back         string
	Name         string
	Rows         []changedRow
	Older, Newer string
}

// changedRow is a record with the fields that differ.
type changedRow struct {
	Title, Address, Record string
	Pills                  []pill
	Fields                 []differing
	When, Exact            string
}

type differing struct{ Name, Here, There, Won string }

// changePills say what a preview would do.
var changePills = map[string]pill{
	"created":  {"New", "good"},
	"changed":  {"Changed", "info"},
	"archived": {"Archived", "warn"},
	"conflict": {"Conflict", "warn"},
}

func (v *memberRequest) changedRow(c *syncChange) changedRow {
	row := changedRow{
		Title:  c.Title,
		Record: capital(c.Resource) + " " + c.Record,
		Pills:  []pill{changePills[c.Kind]},
		When:   v.shop.words.clock(c.At),
		Exact:  c.At.Format(time.RFC3339),
	}
	if row.Title == "" {
		row.Title = short(c.Record)
	}
	if c.Resource == "products" && c.Local != "" && v.may("catalog:read") {
		row.Address = v.cataloguePath() + "/" + c.Local
	}
	for _, f := range c.Fields {
		row.Fields = append(row.Fields, differing{
			Name:  capital(strings.ReplaceAll(f.Field, "_", " ")),
			Here:  v.syncedField(f.Field, f.Ours),
			There: v.syncedField(f.Field, f.Theirs),
			Won:   wonWords[f.Winner+" "+f.Rule],
		})
	}
	return row
}

// wonWords say whose value of a field is used, and why.
var wonWords = map[string]string{
	"ours edited_here": "Ours stays: it was edited here.",
	"theirs full_sync": "Theirs is taken: a sync of everything takes all their values.",
}

// mostSynced bounds a value in a list.
const mostSynced = 120

// syncedField writes a value of a field in a line.
func (v *memberRequest) syncedField(field string, raw json.RawMessage) string {
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		return "–"
	}
	text := syncedValue(value)
	if price, priced := value.(json.Number); priced && field == "price" {
		text = v.shop.words.amount(price, "")
	}
	if runes := []rune(text); len(runes) > mostSynced {
		text = string(runes[:mostSynced]) + "…"
	}
	return cmp.Or(text, "–")
}

func syncedValue(value any) string {
	switch x := value.(type) {
	case nil:
		return ""
	case string:
		return x
	case json.Number:
		return x.String()
	case bool:
		return strconv.FormatBool(x)
	case []any:
		var parts []string
		for _, one := range x {
			parts = append(parts, syncedValue(one))
		}
		return strings.Join(parts, ", ")
	case map[string]any:
		if name, named := x["sku"].(string); named {
			return name
		}
		if address, pictured := x["url"].(string); pictured {
			return address
		}
		var parts []string
		for name, one := range x {
			parts = append(parts, name+": "+syncedValue(one))
		}
		slices.Sort(parts)
		return strings.Join(parts, ", ")
	}
	return ""
}

// conflicts shows the fields that both sides changed, newest first.
func (v *memberRequest) conflicts() error {
	c, err := fetch[connected](v.api, v.aboutIntegration(), nil)
	if err != nil {
		return err
	}
	offset := v.offset()
	found, err := fetch[list[syncChange]](v.api, v.aboutIntegration()+"/conflicts", pageAt(offset))
	if err != nil {
		return err
	}
	view := &changesView{
		frame: v.page("Conflicts with "+c.Name, "integrations"),
		Back:  v.integrationsPath() + "/" + c.ID,
		Name:  c.Name,
	}
	for i := range found.Data {
		view.Rows = append(view.Rows, v.changedRow(&found.Data[i]))
	}
	view.Newer, view.Older = besides(offset, len(found.Data), found.Meta.Total, func(to string) string {
		return link(view.Back+"/conflicts", url.Values{"offset": {to}})
	})
	return v.show("conflicts", view)
}
