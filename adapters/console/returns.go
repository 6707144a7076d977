package console

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
)

// goodsReturn is a return as the API shows it.
type goodsReturn struct {
	ID        string      `json:"id"`
	Order     string      `json:"order_id"`
	Status    string      `json:"status"`
	Comment   string      `json:"comment"`
	Estimate  json.Number `json:"refund_estimate"`
	Currency  string      `json:"currency"`
	Reason    string      `json:"reason"`
	Restocked int         `json:"restocked"`
	Items     []backItem  `json:"items"`
	Refund    *refund     `json:"refund"`
	CreatedAt time.Time   `json:"created_at"`
	DecidedAt *time.Time  `json:"decided_at"`
}

type backItem struct {
	ProductID string `json:"product_id"`
	VariantID string `json:"variant_id"`
	Quantity  int    `json:"quantity"`
	Reason    string `json:"reason"`
}

// backPills are the states of a return where all rows are returns.
var backPills = map[string]pill{
	"requested": {"To decide", "warn"},
	"approved":  {"Approved", "good"},
	"rejected":  {"Rejected", ""},
}

var returnTabs = []tab{
	{Word: "To decide", status: "requested"},
	{
		Name:   "approved",
		Word:   "Approved",
		status: "approved",
	},
	{
		Name:   "rejected",
		Word:   "Rejected",
		status: "rejected",
	},
	{Name: "all", Word: "All"},
}

type returnsView struct {
	frame
	Sections     []choice
	Tabs         []tab
	Tab          tab
	Rows         []returnRow
	Total, Done  string
	Before       string // the address of the return that was decided
	Unknown      []string
	Older, Newer string
	EmptyShop    bool
}

type returnRow struct {
	Address, Number, Who string
	What, Reason         string
	Amount               string
	Pills                []pill
	Age, At, Exact       string
}

func (v *memberRequest) returns() error {
	q := v.r.URL.Query()
	here := v.shop.Path() + "/returns"
	view := &returnsView{
		frame:    v.page("Returns", "returns"),
		Sections: v.backSections("returns"),
		Unknown:  unknown(q, "status", "after", "newer_than", "done", "before"),
		Done:     returnDone[q.Get("done")],
	}
	if q.Get("before") != "" {
		view.Before = here + "/" + url.PathEscape(q.Get("before"))
	}
	address := func(status, turn, place string) string {
		return link(here, url.Values{"status": {status}, turn: {place}})
	}
	var known bool
	view.Tabs, view.Tab, known = chooseTab(returnTabs, q.Get("status"), 0, func(t tab) string { return address(t.Name, "", "") })
	if !known {
		view.Unknown = append(view.Unknown, "status="+q.Get("status"))
	}
	query := url.Values{"status": {view.Tab.status}}
	if view.Tab.status == "requested" {
		query.Set("sort", "oldest")
	}
	found, unknown, err := fetchPage[goodsReturn](v, "/v1/returns", query)
	if err != nil {
		return err
	}
	view.Unknown = append(view.Unknown, unknown...)
	if view.Rows, err = v.returnRows(found.Data); err != nil {
		return err
	}
	view.Newer, view.Older = found.neighbors(func(turn, place string) string { return address(view.Tab.Name, turn, place) })
	view.Total = found.total("return", "returns")
	if found.placed && query.Has("sort") {
		view.Total = "More returns"
	}
	view.EmptyShop = len(found.Data) == 0 && view.Tab.Name == "all"
	return v.show("returns", view)
}

// returnsAt fetches the returns in a state from an offset on. Returns to decide are sorted from the oldest.
func (v *memberRequest) returnsAt(status string, offset int) (list[goodsReturn], error) {
	query := pageAt(offset)
	query.Set("status", status)
	if status == "requested" {
		query.Set("sort", "oldest")
	}
	return fetch[list[goodsReturn]](v.api, "/v1/returns", given(query))
}

func (v *memberRequest) returnRows(returns []goodsReturn) ([]returnRow, error) {
	ids := make([]string, len(returns))
	for i := range returns {
		ids[i] = returns[i].Order
	}
	orders, err := v.ordersOf(ids)
	if err != nil {
		return nil, err
	}
	w, rows := v.shop.words, make([]returnRow, len(returns))
	for i := range returns {
		r := &returns[i]
		o := orders[r.Order]
		rows[i] = returnRow{
			Address: v.shop.Path() + "/returns/" + r.ID,
			Number:  cmp.Or(o.Confirmation, short(r.Order)),
			Who:     o.Email,
			What:    r.what(o.Lines),
			Reason:  r.why(),
			Amount:  w.amount(r.Estimate, r.Currency),
			Pills:   []pill{backPills[r.Status]},
			Age:     w.age(r.CreatedAt),
			At:      w.clock(r.CreatedAt),
			Exact:   r.CreatedAt.Format(time.RFC3339),
		}
	}
	return rows, nil
}

// ordersOf are orders by their ids, which may repeat and be empty.
func (v *memberRequest) ordersOf(ids []string) (map[string]order, error) {
	ids = slices.DeleteFunc(slices.Clone(ids), empty)
	slices.Sort(ids)
	ids = slices.Compact(ids)
	orders := map[string]order{}
	if len(ids) == 0 {
		return orders, nil
	}
	found, err := fetch[list[order]](v.api, "/v1/orders", url.Values{
		"ids":   {strings.Join(ids, ",")},
		"limit": {strconv.Itoa(len(ids))},
	})
	for _, o := range found.Data {
		orders[o.ID] = o
	}
	return orders, err
}

// lineOf returns the order line of an item, or an empty line if the order does not have it.
func lineOf(i backItem, lines []orderLine) orderLine {
	for _, l := range lines {
		if l.ProductID == i.ProductID && (i.VariantID == "" || l.VariantID == i.VariantID) {
			return l
		}
	}
	return orderLine{Name: short(i.ProductID)}
}

// what is sent back, in a line.
func (r *goodsReturn) what(lines []orderLine) string {
	var names []string
	for _, i := range r.Items {
		name := lineOf(i, lines).Name
		if i.Quantity > 1 {
			name = thousands(i.Quantity) + " × " + name
		}
		names = append(names, name)
	}
	return strings.Join(names, ", ")
}

// why it is sent back, in a line: each reason once.
func (r *goodsReturn) why() string {
	var reasons []string
	for _, i := range r.Items {
		if text := plain(i.Reason); text != "" && !slices.Contains(reasons, text) {
			reasons = append(reasons, text)
		}
	}
	return cmp.Or(strings.Join(reasons, ", "), r.Comment)
}

// plain writes a code such as "wrong_size" in words.
func plain(code string) string { return strings.ReplaceAll(code, "_", " ") }

// pieces returns the number of returned pieces.
func (r *goodsReturn) pieces() int {
	n := 0
	for _, i := range r.Items {
		n += i.Quantity
	}
	return n
}
