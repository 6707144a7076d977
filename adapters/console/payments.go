package console

import (
	"cmp"
	"net/url"
	"time"
)

// moneyIn is a payment of the API beside its order.
type moneyIn struct {
	payment
	Order      string `json:"order_id"`
	Checkout   string `json:"checkout_id"`
	Unanswered *struct {
		Attempt int    `json:"attempt"`
		Problem string `json:"problem"`
		Asked   int    `json:"times_asked"`
	} `json:"unresolved"`
}

var paymentPills = map[string]pill{
	"succeeded":          {"Paid", "good"},
	"partially_refunded": {"Partly refunded", "warn"},
	"refunded":           {"Refunded", ""},
	"unresolved":         {"No answer yet", "bad"},
}

var paymentTabs = []tab{
	{Word: "All"},
	{
		Name:   "paid",
		Word:   "Paid",
		status: "succeeded",
	},
	{
		Name:   "partly_refunded",
		Word:   "Partly refunded",
		status: "partially_refunded",
	},
	{
		Name:   "refunded",
		Word:   "Refunded",
		status: "refunded",
	},
	{
		Name:   "no_answer",
		Word:   "No answer yet",
		status: "unresolved",
	},
}

type paymentsView struct {
	moneyFrame
	Tabs         []tab
	Rows         []paymentRow
	Total        string
	Unknown      []string
	Older, Newer string
	ClearLink    string
}

type paymentRow struct {
	Address, Number, Who string
	By, Amount, Refunded string
	Pills                []pill
	At, Exact            string
	NoOrder              bool
}

func (v *memberRequest) payments() error {
	q, home := v.r.URL.Query(), v.shop.Path()+"/money/payments"
	view := &paymentsView{moneyFrame: v.moneyFrame("Payments", "/payments"), Unknown: unknown(q, "status", "days", "after", "newer_than", "type")}
	address := func(status, turn, place string) string {
		return link(home, url.Values{"status": {status}, "days": {view.Period.name}, turn: {place}})
	}
	tabs, current, known := chooseTab(paymentTabs, q.Get("status"), 0, func(t tab) string { return address(t.Name, "", "") })
	if !known {
		view.Unknown = append(view.Unknown, "status="+q.Get("status"))
	}
	view.Tabs, view.ClearLink = tabs, home
	query := view.Period.with(url.Values{"status": {current.status}})
	if current.status == "unresolved" {
		query.Del("from") // those are open however old they are
		query.Del("to")
	}
	found, unknown, err := fetchPage[moneyIn](v, "/v1/finance/payments", query)
	if err != nil {
		return err
	}
	view.Unknown = append(view.Unknown, unknown...)
	if view.Rows, err = v.paymentRows(found.Data); err != nil {
		return err
	}
	if current.Name == "" && !found.placed {
		if view.Unanswered, err = v.unanswered(); err != nil {
			return err
		}
	}
	view.Newer, view.Older = found.neighbors(func(turn, place string) string { return address(current.Name, turn, place) })
	view.Total = found.total("payment", "payments")
	return v.show("payments", view)
}

func (v *memberRequest) paymentRows(payments []moneyIn) ([]paymentRow, error) {
	ids := make([]string, len(payments))
	for i := range payments {
		ids[i] = payments[i].Order
	}
	orders, err := v.ordersOf(ids)
	if err != nil {
		return nil, err
	}
	w, rows := v.shop.words, make([]paymentRow, len(payments))
	for i := range payments {
		p := &payments[i]
		row := paymentRow{
			Number:   orders[p.Order].Confirmation,
			Who:      orders[p.Order].Email,
			By:       cmp.Or(p.Instrument, providerName(p.Provider)),
			Amount:   w.amount(p.Amount, p.Currency),
			Refunded: "–",
			Pills:    []pill{paymentPills[p.Status]},
			At:       w.clock(p.CreatedAt),
			Exact:    p.CreatedAt.Format(time.RFC3339),
			NoOrder:  p.Order == "",
		}
		if p.Order != "" {
			row.Address = v.shop.Path() + "/orders/" + p.Order
		} else if v.may("finance:write") {
			row.Address = v.shop.Path() + "/money/unanswered/" + p.Checkout
		}
		if !zero(p.Refunded) {
			row.Refunded = w.amount(negative(p.Refunded), p.Currency)
		}
		if n, _ := p.Disputed.Float64(); n > 0 {
			row.Pills = append(row.Pills, pill{"Disputed", "bad"})
		}
		rows[i] = row
	}
	return rows, nil
}
