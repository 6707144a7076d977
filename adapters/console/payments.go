package console

import (
	"cmp"
	"net/url"
	"strconv"
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
	{Name: "paid", Word: "Paid", status: "succeeded"},
	{Name: "partly_refunded", Word: "Partly refunded", status: "partially_refunded"},
	{Name: "refunded", Word: "Refunded", status: "refunded"},
	{Name: "no_answer", Word: "No answer yet", status: "unresolved"},
}

const moneyPage = 25

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

func (v *visit) payments() error {
	q, home := v.r.URL.Query(), v.shop.Path()+"/money/payments"
	view := &paymentsView{moneyFrame: v.moneyFrame("Payments", "/payments"), Unknown: unknown(q, "status", "days", "offset", "type")}
	days := daysOf(view.Period.days)
	tabs, current := tabsOf(paymentTabs, q.Get("status"), func(t tab) string {
		return link(home, url.Values{"status": {t.Name}, "days": {days}})
	})
	if current.Word == "" {
		view.Unknown = append(view.Unknown, "status="+q.Get("status"))
		tabs[0].Current, current = true, tabs[0]
	}
	view.Tabs, view.ClearLink = tabs, home
	offset := offsetOf(q)
	query := view.Period.page(offset, moneyPage)
	query.Set("status", current.status)
	if current.status == "unresolved" {
		query.Del("from") // those are open however old they are
		query.Del("to")
	}
	found, err := fetch[list[moneyIn]](v.api, "/v1/finance/payments", given(query))
	if err != nil {
		return err
	}
	if view.Rows, err = v.paymentRows(found.Data); err != nil {
		return err
	}
	if current.Name == "" && offset == 0 {
		if view.Unanswered, err = v.unanswered(); err != nil {
			return err
		}
	}
	view.Newer, view.Older = turns(offset, len(found.Data), found.Meta.Total, func(to string) string {
		return link(home, url.Values{"status": {current.Name}, "days": {days}, "offset": {to}})
	})
	view.Total = count(found.Meta.Total, "payment", "payments")
	return v.show("payments", view)
}

// page is the API's query for a page of the period.
func (s period) page(offset, limit int) url.Values {
	return url.Values{
		"from":   s.query["from"],
		"to":     s.query["to"],
		"offset": {strconv.Itoa(offset)},
		"limit":  {strconv.Itoa(limit)},
	}
}

// offsetOf is where a page of a list begins.
func offsetOf(q url.Values) int {
	n, _ := strconv.Atoi(q.Get("offset"))
	return max(0, n)
}

// turns are the addresses of the pages beside one; "": there is none.
func turns(offset, shown, total int, address func(offset string) string) (newer, older string) {
	if offset > 0 {
		newer = address(strconv.Itoa(max(0, offset-moneyPage)))
	}
	if offset+shown < total {
		older = address(strconv.Itoa(offset + moneyPage))
	}
	return newer, older
}

func (v *visit) paymentRows(payments []moneyIn) ([]paymentRow, error) {
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
