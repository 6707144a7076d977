package console

import (
	"encoding/json"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/money"
)

// order is an order of the API.
type order struct {
	ID           string      `json:"id"`
	Confirmation string      `json:"confirmation_number"`
	Negotiation  string      `json:"negotiation_id"`
	Status       string      `json:"status"`
	Email        string      `json:"email"`
	Total        json.Number `json:"total"`
	Savings      json.Number `json:"savings"`
	Currency     string      `json:"currency"`
	Payment      payment     `json:"payment"`
	Fulfillment  fulfillment `json:"fulfillment"`
	Lines        []orderLine `json:"lines"`
	CreatedAt    time.Time   `json:"created_at"`
}

type payment struct {
	ID         string      `json:"id"`
	Amount     json.Number `json:"amount"`
	Refunded   json.Number `json:"refunded_amount"`
	Disputed   json.Number `json:"disputed_amount"`
	Currency   string      `json:"currency"`
	Status     string      `json:"status"`
	Method     string      `json:"method"`
	Provider   string      `json:"provider"`
	Instrument string      `json:"instrument"`
	CreatedAt  time.Time   `json:"created_at"`
}

type fulfillment struct {
	Status         string     `json:"status"`
	ShippingOption string     `json:"shipping_option"`
	ShipsOn        string     `json:"estimated_ship_date"`
	Delivery       string     `json:"estimated_delivery"`
	Carrier        string     `json:"carrier"`
	TrackingNumber string     `json:"tracking_number"`
	TrackingURL    string     `json:"tracking_url"`
	ShippedAt      *time.Time `json:"shipped_at"`
	DeliveredAt    *time.Time `json:"delivered_at"`
}

type orderLine struct {
	ProductID string      `json:"product_id"`
	VariantID string      `json:"variant_id"`
	SKU       string      `json:"sku"`
	Name      string      `json:"name"`
	Variant   string      `json:"variant"`
	Quantity  int         `json:"quantity"`
	Unit      json.Number `json:"unit_price"`
	Original  json.Number `json:"original_price"`

	RequiresShipping *bool `json:"requires_shipping"`

	Personalization *personalized `json:"personalization"`
}

// personalized says which personal signals moved a price, and what the buyer was shown with it.
type personalized struct {
	Used       []string `json:"used"`
	Disclosure string   `json:"disclosure"`
}

func (p *personalized) words() string {
	if p == nil {
		return ""
	}
	said := "Moved by " + strings.ReplaceAll(strings.Join(p.Used, ", "), "_", " ")
	if p.Disclosure == "" {
		return said
	}
	return said + ", shown with: " + p.Disclosure
}

// pill is a state in one word with its tone: good, warn, bad, info or none.
type pill struct{ Word, Tone string }

// pills returns the states of an order, in the same words on all pages.
func (o *order) pills() []pill {
	states := []pill{{"Paid", "good"}}
	switch {
	case o.Status == "canceled":
		states = []pill{{"Cancelled", ""}}
	case o.Status == "refunded":
		states = []pill{{"Refunded", ""}}
	case o.Payment.Status == "partially_refunded":
		states = []pill{{"Partly refunded", "warn"}}
	}
	if n, err := o.Payment.Disputed.Float64(); err == nil && n > 0 {
		states = append(states, pill{"Disputed", "bad"})
	}
	if o.Status == "canceled" {
		return states
	}
	switch o.Fulfillment.Status {
	case "processing":
		if o.Status == "confirmed" {
			states = append(states, pill{"To ship", "warn"})
		}
	case "shipped":
		states = append(states, pill{"Shipped", "info"})
	case "delivered":
		states = append(states, pill{"Delivered", "good"})
	}
	return states
}

// what summarizes the order's products in a line: the first one, and the number of others.
func (o *order) what() string {
	if len(o.Lines) == 0 {
		return ""
	}
	text := o.Lines[0].Name
	if more := len(o.Lines) - 1; more > 0 {
		text += " and " + count(more, "more", "more")
	}
	return text
}

// offList returns the negotiated discount as a share of the list prices, rounded down, or "" if there is none.
func offList(savings json.Number, lines []orderLine, code string) string {
	unit, err := money.ParseCurrency(code)
	if err != nil {
		return ""
	}
	saved, list := minor(savings, unit), int64(0)
	for _, l := range lines {
		list += minor(l.Original, unit) * int64(l.Quantity)
	}
	return off(list, list-saved, unit)
}

// minor converts an amount of the API to minor units.
func minor(n json.Number, unit money.Currency) int64 {
	a, err := money.Parse(n.String(), unit)
	if err != nil {
		return 0
	}
	return a.Minor()
}

// off returns how much a price is below a list price: "12.9%", or "" if it is not.
func off(list, paid int64, unit money.Currency) string {
	if list <= 0 || paid >= list {
		return ""
	}
	return money.Off(money.Of(list, unit), money.Of(paid, unit)).String()
}

var orderTabs = []tab{
	{
		Name:        "to_ship",
		Word:        "To ship",
		status:      "confirmed",
		fulfillment: "processing",
	},
	{
		Name:        "shipped",
		Word:        "Shipped",
		fulfillment: "shipped",
	},
	{
		Name:        "delivered",
		Word:        "Delivered",
		fulfillment: "delivered",
	},
	{
		Name:   "refunded",
		Word:   "Refunded",
		status: "refunded",
	},
	{
		Name:   "cancelled",
		Word:   "Cancelled",
		status: "canceled",
	},
	{Name: "", Word: "All"},
}

type ordersView struct {
	frame
	Tabs      []tab
	Tab       tab
	Text      string
	Rows      []orderRow
	Total     string
	Unknown   []string // unknown filters in the address
	Older     string
	Newer     string
	EmptyShop bool
	ClearLink string
	Bulk      bulkView
}

type orderRow struct {
	ID                         string
	Address, Number, Who, What string
	Total, OffList             string
	Spark                      template.HTML // the path to its price; "": not negotiated, or no longer stored
	Negotiation                string        // the address of that
	Pills                      []pill
	Age, At, Exact             string
}

func (v *memberRequest) orders() error {
	q := v.r.URL.Query()
	view := &ordersView{frame: v.page("Orders", "orders"), Text: strings.TrimSpace(q.Get("q"))}
	view.Unknown = unknown(q, "status", "q", "after", "newer_than")
	here := v.shop.Path() + "/orders"
	address := func(status, turn, place string) string {
		return link(here, url.Values{"status": {status}, "q": {view.Text}, turn: {place}})
	}
	var known bool
	view.Tabs, view.Tab, known = chooseTab(orderTabs, q.Get("status"), len(orderTabs)-1, func(t tab) string { return address(t.Name, "", "") })
	if !known {
		view.Unknown = append(view.Unknown, "status="+q.Get("status"))
	}
	found, unknown, err := fetchPage[order](v, "/v1/orders", url.Values{
		"status":      {view.Tab.status},
		"fulfillment": {view.Tab.fulfillment},
		"q":           {view.Text},
	})
	if err != nil {
		return err
	}
	view.Unknown = append(view.Unknown, unknown...)
	if found.Meta.Total == 1 && view.Text != "" && !found.placed && len(found.Data) == 1 {
		http.Redirect(v.w, v.r, here+"/"+found.Data[0].ID, http.StatusSeeOther)
		return nil
	}
	haggled, err := v.haggled(found.Data)
	if err != nil {
		return err
	}
	for i := range found.Data {
		view.Rows = append(view.Rows, v.orderRow(&found.Data[i], haggled))
	}
	view.Newer, view.Older = found.neighbors(func(turn, place string) string { return address(view.Tab.Name, turn, place) })
	view.Total = found.total("order", "orders")
	if view.Tab.Name != "" {
		view.Total += ", " + strings.ToLower(view.Tab.Word)
	}
	view.ClearLink = here
	view.Bulk = v.bulk()
	view.EmptyShop = len(found.Data) == 0 && view.Text == "" && view.Tab.Name == ""
	return v.show("orders", view)
}

// haggled returns the negotiated items of orders with negotiated prices, by negotiation.
func (v *memberRequest) haggled(orders []order) (map[string][]threadItem, error) {
	var names []string
	for i := range orders {
		if !zero(orders[i].Savings) {
			names = append(names, orders[i].Negotiation)
		}
	}
	items := map[string][]threadItem{}
	if len(names) == 0 {
		return items, nil
	}
	slices.Sort(names)
	found, err := fetch[threadPage](v.api, "/v1/negotiations", url.Values{
		"ids":   {strings.Join(slices.Compact(names), ",")},
		"limit": {"100"},
	})
	for _, t := range found.Data {
		items[t.ID] = append(items[t.ID], t.threadItem)
	}
	return items, err
}

// bought returns the negotiated item of the first order line that has one, or nil.
func (o *order) bought(items []threadItem) *threadItem {
	for _, l := range o.Lines {
		for i := range items {
			if items[i].of(l) {
				return &items[i]
			}
		}
	}
	return nil
}

// of reports whether an item is the one of a line.
func (i *threadItem) of(l orderLine) bool {
	return l.ProductID == i.ProductID && l.VariantID == i.VariantID && l.Quantity == i.Quantity
}

func (v *memberRequest) orderRow(o *order, haggled map[string][]threadItem) orderRow {
	w := v.shop.words
	row := orderRow{
		ID:      o.ID,
		Address: v.shop.Path() + "/orders/" + o.ID,
		Number:  o.Confirmation,
		Who:     o.Email,
		What:    o.what(),
		Total:   w.amount(o.Total, o.Currency),
		OffList: offList(o.Savings, o.Lines, o.Currency),
		Pills:   o.pills(),
		Age:     w.age(o.CreatedAt),
		At:      w.clock(o.CreatedAt),
		Exact:   o.CreatedAt.Format(time.RFC3339),
	}
	if item := o.bought(haggled[o.Negotiation]); item != nil {
		row.Spark, row.Negotiation = v.sparkOf(item), v.shop.Path()+"/negotiations/"+o.Negotiation
	}
	return row
}
