package console

import (
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// replayed is the API's replay of past negotiations under a policy.
type replayed struct {
	Negotiations int        `json:"negotiations"`
	Decisions    int        `json:"decisions"`
	Changed      int        `json:"changed"`
	Skipped      int        `json:"skipped"`
	KeptSince    *time.Time `json:"kept_since"`
	Deals        struct {
		Before   int `json:"before"`
		Certain  int `json:"after_certain"`
		Possible int `json:"after_possible"`
	} `json:"deals"`
	Before   earned `json:"before"`
	After    earned `json:"after"`
	Possible earned `json:"after_possible"`
	PerMonth *struct {
		Of           string      `json:"of"`
		Certain      json.Number `json:"certain"`
		Possible     json.Number `json:"possible"`
		Negotiations int         `json:"negotiations"`
	} `json:"per_month"`
	Examples []struct {
		Thread  string      `json:"negotiation_id"`
		Product string      `json:"product_id"`
		Offer   json.Number `json:"offer"`
		Before  shopAnswer  `json:"before"`
		After   *shopAnswer `json:"after"`
		Rule    string      `json:"rule"`
	} `json:"examples"`
}

type earned struct {
	Revenue  json.Number `json:"revenue"`
	Margin   json.Number `json:"margin"`
	Known    int         `json:"deals_of_known_cost"`
	Discount float64     `json:"average_discount_percent"`
}

type shopAnswer struct {
	Response string      `json:"response"`
	Price    json.Number `json:"price"`
}

// priced are a product's prices.
type priced struct {
	List    json.Number `json:"list"`
	Opening json.Number `json:"opening"`
	Target  json.Number `json:"target"`
	Floor   json.Number `json:"floor"`
}

type effectOn struct {
	ID     string `json:"product_id"`
	Name   string `json:"name"`
	Before priced `json:"before"`
	After  priced `json:"after"`
}

// effectView is what a draft would do.
type effectView struct {
	Title, Lead, Note string
	Month             string // the change in 30 days
	Figures           []figure
	Wide, Narrow      template.HTML
	Deals             string // the picture in words
	Answers           []answerRow
	AnswersWord       string
	Products          []productRow
	Choose            chooseView
	Sum               string // for the bar
	Empty             bool
}

// figure is a number with its value before.
type figure struct{ Label, Value, Change, From, Possible string }

type answerRow struct{ Address, Offer, Was, Now string }

type productRow struct {
	Name, List, Floor, FloorWas, Target, TargetWas string
	Glyph                                          template.HTML
	Remove                                         string
}

// chooseView is the form that selects the products to compare.
type chooseView struct {
	Find    string
	Hidden  []fact
	Found   []choice
	Nothing bool
	All     string // back to the newest
}

const mostShown = 10 // products

// shownProducts are those that an address names.
func shownProducts(q url.Values) (ids []string) {
	for one := range strings.SplitSeq(q.Get("products"), ",") {
		if one = strings.TrimSpace(one); one != "" && len(ids) < mostShown && !slices.Contains(ids, one) {
			ids = append(ids, one)
		}
	}
	return ids
}

// effect computes what a draft would change, for products and in past negotiations.
func (s *studio) effect(d *draft, q url.Values) (*effectView, error) {
	document, _ := d.policy.document()
	ids := shownProducts(q)
	var found struct {
		Products []effectOn `json:"products"`
		Record   replayed   `json:"record"`
	}
	body := map[string]any{"policy": document}
	if len(ids) > 0 {
		body["product_ids"] = ids
	}
	if err := s.api.post(http.MethodPost, s.agentPath("/policies/dry-run"), change{body: body}, &found); err != nil {
		return nil, err
	}
	view := s.recordView(&found.Record)
	s.productRows(view, found.Products, d, q)
	return view, s.choose(view, found.Products, d, q)
}

func (s *studio) recordView(r *replayed) *effectView {
	w := s.shop.words
	view := &effectView{Title: "On your last " + count(r.Negotiations, "negotiation", "negotiations"), Empty: r.Negotiations == 0}
	if view.Empty {
		return view
	}
	if view.Lead = s.lead(r); r.Changed == 0 {
		view.Lead = "No answer on your record changes."
	}
	if m := r.PerMonth; m != nil && r.Changed > 0 {
		view.Month = capital(m.Of) + " per month, for your " + count(m.Negotiations, "negotiation", "negotiations") + " in 30 days: certain " +
			w.change(m.Certain) + ", possible " + w.change(m.Possible) + "."
	}
	view.Figures = []figure{
		s.moneyFigure("Margin", r.Before.Margin, r.After.Margin, r.Possible.Margin),
		s.moneyFigure("Revenue", r.Before.Revenue, r.After.Revenue, r.Possible.Revenue),
		discountFigure(r.Before.Discount, r.After.Discount),
	}
	view.Wide, view.Narrow = rangeBar(r, 554), rangeBar(r, 326)
	view.Deals = dealWords(r)
	view.Sum = "deals " + between(r.Deals.Certain, r.Deals.Possible)
	if change := view.Figures[0].Change; change != "" {
		view.Sum = "Margin " + change + ", " + view.Sum
	} else {
		view.Sum = capital(view.Sum)
	}
	view.AnswersWord = thousands(r.Changed) + " of " + count(r.Decisions, "answer changes", "answers change")
	for _, e := range r.Examples {
		row := answerRow{
			Address: s.shop.Path() + "/negotiations/" + e.Thread,
			Offer:   "asked the price",
			Was:     s.answerWords(&e.Before),
			Now:     "had its deal before",
		}
		if e.Offer != "" {
			row.Offer = w.amount(e.Offer, "")
		}
		if e.After != nil {
			row.Now = s.answerWords(e.After)
		}
		view.Answers = append(view.Answers, row)
	}
	if r.KeptSince != nil {
		view.Note = "Negotiations up to " + w.day(*r.KeptSince) + " are not kept any longer."
	}
	if r.Skipped > 0 {
		view.Note = strings.TrimSpace(view.Note + " " + count(r.Skipped, "negotiation", "negotiations") + " in another currency left out.")
	}
	return view
}

// between formats bounds: "310 to 412", or one number if they are equal.
func between(low, high int) string {
	if low == high {
		return thousands(low)
	}
	return thousands(low) + " to " + thousands(high)
}

// lead returns a sentence on what a draft would have earned.
func (s *studio) lead(r *replayed) string {
	w := s.shop.words
	deals := "Certain: " + count(r.Deals.Certain, "deal", "deals")
	if r.Deals.Possible > r.Deals.Certain {
		deals += ", possible: " + thousands(r.Deals.Possible)
	}
	deals += ", where you had " + thousands(r.Deals.Before) + "."
	if r.After.Known == 0 && r.Before.Known == 0 {
		return deals
	}
	gain := sum(w.currency, r.After.Margin, negative(r.Before.Margin))
	switch x, _ := gain.Float64(); {
	case x > 0:
		return deals + " The certain ones earn " + w.amount(gain, "") + " more margin."
	case x < 0:
		return deals + " The certain ones earn " + w.amount(negative(gain), "") + " less margin."
	}
	return deals + " The certain ones earn the same margin."
}

// moneyFigure returns the amounts of the certain and the possible deals.
func (s *studio) moneyFigure(label string, before, after, possible json.Number) figure {
	f := figure{
		Label: label,
		Value: s.shop.words.amount(after, ""),
		From:  "from " + s.shop.words.amount(before, ""),
	}
	if possible != after {
		f.Label, f.Possible = label+", certain", "possible "+s.shop.words.amount(possible, "")
	}
	x, _ := before.Float64()
	y, _ := after.Float64()
	if x > 0 && x != y {
		f.Change = signed(100*(y-x)/x, "%")
	}
	if f.Change == "±0%" {
		f.Change = ""
	}
	return f
}

func discountFigure(before, after float64) figure {
	f := figure{
		Label: "Average discount",
		Value: plainNumber(after) + "%",
		From:  "from " + plainNumber(before) + "%",
	}
	if plainNumber(after) != plainNumber(before) {
		f.Change = signed(after-before, " pts")
	}
	return f
}

func (s *studio) answerWords(a *shopAnswer) string {
	price := ""
	if a.Price != "" {
		price = " " + s.shop.words.amount(a.Price, "")
	}
	switch a.Response {
	case "accept":
		return "agreed at" + price
	case "reject":
		return "declined, asked" + price
	}
	return "asked" + price
}

func dealWords(r *replayed) string {
	text := "Deals: " + thousands(r.Deals.Before) + " before; "
	if r.Deals.Certain == r.Deals.Possible {
		return text + thousands(r.Deals.Certain) + " after, of " + thousands(r.Negotiations)
	}
	return text + "at least " + thousands(r.Deals.Certain) + " and at most " + thousands(r.Deals.Possible) + " after, of " + thousands(r.Negotiations)
}

// rangeBar draws the deals among all negotiations: solid up to the certain count, hatched up to the possible count, with a tick
// at the present count.
func rangeBar(r *replayed, width float64) template.HTML {
	total := float64(max(1, r.Negotiations))
	place := func(n int) float64 { return 8 + (width-16)*float64(n)/total }
	text := func(class string, x, y float64, anchor, words string) string {
		return `<text class="` + class + `" x="` + coordinate(x) + `" y="` + coordinate(y) + `" text-anchor="` + anchor + `">` + words + `</text>`
	}
	certain, possible, now := place(r.Deals.Certain), place(r.Deals.Possible), place(r.Deals.Before)
	var svg strings.Builder
	svg.WriteString(`<rect class="f-sunk" x="8" y="28" width="` + coordinate(width-16) + `" height="16" rx="3"/>`)
	svg.WriteString(`<rect class="f-shop" x="8" y="28" width="` + coordinate(certain-8) + `" height="16" rx="3"/>`)
	if possible > certain {
		box := `x="` + coordinate(certain) + `" y="28.5" width="` + coordinate(possible-certain) + `" height="15"`
		svg.WriteString(`<rect ` + box + ` fill="url(#hatch-accent)"/><rect ` + box + ` class="f-hatchbox" fill="none"/>`)
	}
	svg.WriteString(`<path class="s-ink" d="M` + coordinate(now) + ` 22v28"/>`)
	svg.WriteString(text("t-ink t-b", min(max(now, 30), width-40), 17, "middle", "Now "+thousands(r.Deals.Before)))
	after := "Certain " + thousands(r.Deals.Certain)
	if possible > certain {
		after += ", possible " + thousands(r.Deals.Possible)
	}
	half := 3.3 * float64(len(after))
	svg.WriteString(text("t-shop t-b", min(max(certain, half+24), width-half-24-7*float64(len(thousands(r.Negotiations)))), 60, "middle", after))
	svg.WriteString(text("", 8, 60, "start", "0") + text("", width-8, 60, "end", thousands(r.Negotiations)))
	return template.HTML(svg.String())
}

func (s *studio) productRows(view *effectView, found []effectOn, d *draft, q url.Values) {
	low := 1.0
	for _, p := range found {
		low = min(low, shareOf(p.Before.Floor, p.Before.List), shareOf(p.After.Floor, p.After.List))
	}
	low = max(0, low-0.04)
	ids := idsOf(found)
	for _, p := range found {
		amount := func(n json.Number) string { return s.shop.words.amount(n, "") }
		row := productRow{
			Name:   p.Name,
			List:   "list " + amount(p.After.List),
			Floor:  amount(p.After.Floor),
			Target: amount(p.After.Target),
			Glyph:  glyph(&p, low),
		}
		if p.Before.Floor != p.After.Floor {
			row.FloorWas = "was " + amount(p.Before.Floor)
		}
		if p.Before.Target != p.After.Target {
			row.TargetWas = "was " + amount(p.Before.Target)
		}
		if len(found) > 1 {
			rest := slices.DeleteFunc(slices.Clone(ids), func(x string) bool { return x == p.ID })
			row.Remove = s.here(d, q, "products", strings.Join(rest, ","))
		}
		view.Products = append(view.Products, row)
	}
}

func idsOf(found []effectOn) (ids []string) {
	for _, p := range found {
		ids = append(ids, p.ID)
	}
	return ids
}

func shareOf(part, whole json.Number) float64 {
	x, _ := part.Float64()
	y, _ := whole.Float64()
	if y <= 0 {
		return 1
	}
	return x / y
}

// glyph draws a product's floor, target and list price. A dashed tick is the floor in force.
func glyph(p *effectOn, low float64) template.HTML {
	place := func(n json.Number) string {
		return coordinate(6 + 112*(shareOf(n, p.After.List)-low)/max(1e-9, 1-low))
	}
	floor, target := place(p.After.Floor), place(p.After.Target)
	text := `<path class="g-line" d="M6 11H118"/><path class="s-ink3" d="M118 6v10"/><path class="g-shop" d="M` + floor + ` 11H` + target + `"/>`
	if was := place(p.Before.Floor); was != floor {
		text += `<path class="s-ink3" d="M` + was + ` 5v12" stroke-dasharray="2 2"/>`
	}
	text += `<path class="s-ink" d="M` + floor + ` 5v12"/><circle class="m-shop" cx="` + target + `" cy="11" r="4.5"/>`
	return template.HTML(text)
}

// choose finds products to look at.
func (s *studio) choose(view *effectView, shown []effectOn, d *draft, q url.Values) error {
	c := &view.Choose
	c.Find = q.Get("find")
	c.Hidden = s.hidden(d, q, nil)
	if q.Get("products") != "" {
		c.All = s.here(d, q, "products", "")
	}
	if c.Find == "" || !s.may("catalog:read") {
		return nil
	}
	found, err := fetch[list[struct {
		ID   string `json:"id"`
		Name string `json:"name"`
	}]](s.api, "/v1/catalog/products", url.Values{"q": {c.Find}, "limit": {strconv.Itoa(mostShown)}})
	if err != nil {
		return err
	}
	ids := idsOf(shown)
	for _, p := range found.Data {
		if slices.Contains(ids, p.ID) {
			continue
		}
		next := append([]string{p.ID}, ids[:min(len(ids), mostShown-1)]...)
		c.Found = append(c.Found, choice{Word: p.Name, Address: s.here(d, q, "products", strings.Join(next, ","))})
	}
	c.Nothing = len(c.Found) == 0
	return nil
}
