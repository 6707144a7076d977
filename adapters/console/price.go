package console

import (
	"cmp"
	"encoding/json"
	"errors"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/console/pricepath"
	"github.com/haggle-commerce/haggle/domain/money"
)

// pathView is the price path of one item.
type pathView struct {
	ID, Product, Seal string
	Wide, Narrow      template.HTML
	Chosen            *pathStep
	Rows              []pathRow
}

// pathStep is the step that is shown in full.
type pathStep struct {
	pricepath.Row
	Explanation   string // "": the role does not see it
	Before, After string // the addresses of the adjacent steps
}

type pathRow struct {
	pricepath.Row
	Chosen bool
}

// threads has all negotiations of a buyer's session.
type threads struct {
	ID       string       `json:"id"`
	State    string       `json:"state"`
	Protocol string       `json:"protocol"`
	Agent    *agent       `json:"agent"`
	BeganAt  time.Time    `json:"began_at"`
	LastAt   time.Time    `json:"last_at"`
	Items    []threadItem `json:"items"`
	Steps    []threadStep `json:"steps"`
	Count    int          `json:"step_count"`

	explained map[int]string // by the number of the step
	Orders    []struct {
		ID           string `json:"id"`
		Confirmation string `json:"confirmation_number"`
	} `json:"orders"`
}

type threadItem struct {
	ProductID string            `json:"product_id"`
	Product   string            `json:"product_name"`
	VariantID string            `json:"variant_id"`
	Variant   string            `json:"variant_name"`
	Quantity  int               `json:"quantity"`
	State     string            `json:"state"`
	Steps     int               `json:"step_count"`
	LastOffer json.Number       `json:"last_offer"`
	ShopPrice json.Number       `json:"shop_price"`
	DealPrice json.Number       `json:"deal_price"`
	OffList   json.Number       `json:"off_list_percent"`
	List      pricepath.Number  `json:"list_price"`
	Floor     *pricepath.Number `json:"floor"`
	Currency  string            `json:"currency"`
	LastAt    time.Time         `json:"last_at"`

	Offers []*pricepath.Number `json:"offers"`
	Prices []*pricepath.Number `json:"prices"`
}

// name is the item in words.
func (i *threadItem) name() string {
	return strings.Join(slices.DeleteFunc([]string{i.Product, i.Variant}, empty), ", ")
}

type threadStep struct {
	Seq       int               `json:"seq"`
	ProductID string            `json:"product_id"`
	VariantID string            `json:"variant_id"`
	Quantity  int               `json:"quantity"`
	CreatedAt time.Time         `json:"created_at"`
	Offer     *pricepath.Number `json:"offer"`
	Response  string            `json:"response"`
	Price     *pricepath.Number `json:"price"`

	Decision *decision `json:"decision"` // nil: the role does not see limits
}

// decision is the record of a step: what is drawn, and more.
type decision struct {
	pricepath.Decision
	Policy int
	Chain  *struct {
		Position int64 `json:"position"`
	}
}

// UnmarshalJSON reads both parts from the same object.
func (d *decision) UnmarshalJSON(text []byte) error {
	if err := json.Unmarshal(text, &d.Decision); err != nil {
		return err
	}
	rest := struct {
		Policy *int `json:"policy_version"`
		Chain  any  `json:"chain"`
	}{&d.Policy, &d.Chain}
	return json.Unmarshal(text, &rest)
}

// of reports whether a step is about an item.
func (s *threadStep) of(i *threadItem) bool {
	return s.ProductID == i.ProductID && s.VariantID == i.VariantID && s.Quantity == i.Quantity
}

// drawn converts a step for the chart.
func (s *threadStep) drawn(i *threadItem) pricepath.Decision {
	if s.Decision != nil {
		return s.Decision.Decision
	}
	return pricepath.Decision{
		Seq:       s.Seq,
		Product:   s.ProductID,
		Variant:   s.VariantID,
		Quantity:  s.Quantity,
		CreatedAt: s.CreatedAt,
		Offer:     s.Offer,
		Answer:    pricepath.Answer{Response: s.Response, Price: s.Price},
		Bounds:    pricepath.Bounds{List: i.List},
	}
}

// ends are how items ended.
var ends = map[string]pricepath.EndKind{
	"deal": pricepath.Deal,
	"left": pricepath.Left,
	"open": pricepath.Open,
}

// paths draws the price paths of a negotiation's items for the page at an address. The query of the address selects the step that
// is shown in full.
func (v *memberRequest) paths(t *threads, items []threadItem, address string) ([]pathView, error) {
	var views []pathView
	for n := range items {
		view, err := v.path(t, &items[n], n+1, address)
		if err != nil {
			return nil, err
		}
		views = append(views, view)
	}
	return views, nil
}

func (v *memberRequest) path(t *threads, i *threadItem, n int, address string) (pathView, error) {
	var steps []pricepath.Decision
	var record []*decision
	for at := range t.Steps {
		if s := &t.Steps[at]; s.of(i) {
			steps, record = append(steps, s.drawn(i)), append(record, s.Decision)
		}
	}
	number := strconv.Itoa(n)
	o := v.pathOptions(i, "price"+number)
	o.Href = func(step int) string {
		return address + "?item=" + number + "&step=" + strconv.Itoa(step) + "#price" + number
	}
	p, err := pricepath.New(steps, o)
	if err != nil {
		return pathView{}, err
	}
	wanted := 0
	if q := v.r.URL.Query(); q.Get("item") == number {
		wanted, _ = strconv.Atoi(q.Get("step"))
	}
	view := pathPage(p, o, p.Chosen(wanted), i, sealOf(record))
	view.Chosen.Explanation = t.explained[steps[p.Chosen(wanted)-1].Seq]
	return view, nil
}

// explainSteps fetches the explanations of a negotiation's steps, if the role may see limits.
func (v *memberRequest) explainSteps(t *threads) error {
	if !v.may("agents:read") {
		return nil
	}
	found, err := fetch[list[struct {
		Seq  int    `json:"seq"`
		Text string `json:"explanation"`
	}]](v.api, "/v1/negotiations/"+url.PathEscape(t.ID)+"/explanations", nil)
	t.explained = map[int]string{}
	for _, x := range found.Data {
		t.explained[x.Seq] = x.Text
	}
	return err
}

// pathOptions returns the drawing options of an item.
func (v *memberRequest) pathOptions(i *threadItem, prefix string) pricepath.Options {
	unit, _ := money.ParseCurrency(i.Currency) // the API's own
	o := pricepath.Options{
		Prefix:   prefix,
		Product:  i.Product,
		Currency: unit,
		End:      pricepath.End{Kind: ends[i.State]},
		Limits:   i.Floor != nil,
		Format: pricepath.Format{
			Money: func(a money.Amount) string { return v.shop.words.amount(json.Number(a.String()), i.Currency) },
		},
	}
	if i.DealPrice != "" {
		paid := pricepath.Number(i.DealPrice)
		o.End.Price = &paid
	}
	return o
}

func pathPage(p *pricepath.Path, o pricepath.Options, chosen int, i *threadItem, seal string) pathView {
	view := pathView{
		ID:      o.Prefix,
		Product: i.name(),
		Seal:    seal,
		Wide:    pricepath.Large(p, pricepath.Wide, chosen),
		Narrow:  pricepath.Large(p, pricepath.Narrow, chosen),
	}
	if i.Quantity > 1 {
		view.Product += ", prices for one of " + thousands(i.Quantity)
	}
	rows := pricepath.Steps(p)
	for _, row := range rows {
		view.Rows = append(view.Rows, pathRow{row, row.Step == chosen})
	}
	view.Chosen = &pathStep{Row: rows[chosen-1]}
	if chosen > 1 {
		view.Chosen.Before = rows[chosen-2].Href
	}
	if chosen < len(rows) {
		view.Chosen.After = rows[chosen].Href
	}
	return view
}

// sealOf describes the position of decisions in the sealed record, and their policy. It returns "" if the role may not see that.
func sealOf(record []*decision) string {
	first, last, policy := int64(0), int64(0), 0
	for _, d := range record {
		if d == nil {
			return pricepath.LimitsHidden
		}
		policy = d.Policy
		if d.Chain != nil {
			first, last = cmp.Or(first, d.Chain.Position), d.Chain.Position
		}
	}
	text := "Policy version " + strconv.Itoa(policy) + "."
	if first == 0 {
		return "Not sealed yet. " + text
	}
	return "Sealed record " + thousands(int(first)) + " to " + thousands(int(last)) + ". " + text
}

// priceOf adds the price paths of an order.
func (v *memberRequest) priceOf(view *orderView, o *orderDetail) (err error) {
	view.Paths, view.NoPath, err = v.pricePaths(o, view.Address)
	return err
}

// pricePaths returns the price paths of an order, or the reason why there are none.
func (v *memberRequest) pricePaths(o *orderDetail, address string) (paths []pathView, none string, err error) {
	if strings.Trim(o.Savings.String(), "0.") == "" {
		return nil, "Nothing was haggled off here: the list price was paid.", nil
	}
	t, err := fetch[threads](v.api, "/v1/negotiations/"+url.PathEscape(o.Negotiation), nil)
	var p *problem
	if errors.As(err, &p) && p.Status == http.StatusNotFound {
		return nil, "How this price came to be is not kept any longer.", nil
	}
	if err == nil {
		err = v.explainSteps(&t)
	}
	if err != nil {
		return nil, "", err
	}
	bought := slices.DeleteFunc(t.Items, func(i threadItem) bool {
		return !slices.ContainsFunc(o.Lines, i.of)
	})
	paths, err = v.paths(&t, bought, address)
	return paths, "", err
}

// sparkOf returns the price path of an item as a sparkline. The text next to it says the same.
func (v *memberRequest) sparkOf(i *threadItem) template.HTML {
	steps := make([]pricepath.Decision, len(i.Prices))
	for n := range steps {
		steps[n] = pricepath.Decision{
			Seq:      n + 1,
			Quantity: i.Quantity,
			Offer:    i.Offers[n],
			Answer:   pricepath.Answer{Response: "counter_offer", Price: i.Prices[n]},
			Bounds: pricepath.Bounds{
				List:    i.List,
				Opening: i.List,
				Target:  i.List,
				Floor:   i.List,
			},
		}
		if i.Floor != nil {
			steps[n].Bounds.Floor = *i.Floor
		}
	}
	if i.State == "deal" && len(steps) > 0 {
		steps[len(steps)-1].Answer.Response = "accept"
	}
	p, err := pricepath.New(steps, v.pathOptions(i, "spark"))
	if err != nil {
		return "" // a picture less
	}
	return pricepath.Spark(p)
}
