package console

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strings"
	"time"
)

// movement is a transaction of the books.
type movement struct {
	Type      string      `json:"type"`
	Amount    json.Number `json:"amount"`
	Currency  string      `json:"currency"`
	Order     string      `json:"order_id"`
	Reference string      `json:"reference"`
	Entries   []struct {
		Account string      `json:"account"`
		Amount  json.Number `json:"amount"`
	} `json:"entries"`
	CreatedAt time.Time `json:"created_at"`
}

// movementWords are the kinds of movements.
var movementWords = map[string]string{
	"sale":            "Payment",
	"refund":          "Refund",
	"refund_reversal": "Refund failed later",
	"dispute":         "Dispute",
	"fee":             "Fee",
	"payout":          "Payout",
	"adjustment":      "Adjustment",
	"orphan":          "Taken without an order",
	"orphan_refund":   "Given back, without an order",
	"orphan_reversal": "Giving back failed later",
}

var movementTabs = []tab{
	{Word: "All"},
	{
		Name:   "sale",
		Word:   "Payments",
		status: "sale",
	},
	{
		Name:   "refund",
		Word:   "Refunds",
		status: "refund",
	},
	{
		Name:   "dispute",
		Word:   "Disputes",
		status: "dispute",
	},
	{
		Name:   "fee",
		Word:   "Fees",
		status: "fee",
	},
	{
		Name:   "payout",
		Word:   "Payouts",
		status: "payout",
	},
}

type movementsView struct {
	moneyFrame
	Tabs         []tab
	Rows         []movementRow
	Total        string
	Unknown      []string
	Older, Newer string
	ClearLink    string
}

type movementRow struct {
	What, Number, Address string
	By, Amount            string
	At, Exact             string
}

func (v *memberRequest) movements() error {
	q, home := v.r.URL.Query(), v.shop.Path()+"/money/movements"
	view := &movementsView{moneyFrame: v.moneyFrame("Movements", "/movements"), Unknown: unknown(q, "type", "days", "after", "newer_than", "status")}
	address := func(kind, turn, place string) string {
		return link(home, url.Values{"type": {kind}, "days": {view.Period.name}, turn: {place}})
	}
	tabs, current, known := chooseTab(movementTabs, q.Get("type"), 0, func(t tab) string { return address(t.Name, "", "") })
	if !known {
		view.Unknown = append(view.Unknown, "type="+q.Get("type"))
	}
	view.Tabs, view.ClearLink = tabs, home
	found, unknown, err := fetchPage[movement](v, "/v1/finance/transactions", view.Period.with(url.Values{"type": {current.status}}))
	if err != nil {
		return err
	}
	view.Unknown = append(view.Unknown, unknown...)
	if view.Rows, err = v.movementRows(found.Data); err != nil {
		return err
	}
	view.Newer, view.Older = found.neighbors(func(turn, place string) string { return address(current.Name, turn, place) })
	view.Total = found.total("movement", "movements")
	return v.show("movements", view)
}

func (v *memberRequest) movementRows(movements []movement) ([]movementRow, error) {
	ids := make([]string, len(movements))
	for i := range movements {
		ids[i] = movements[i].Order
	}
	orders, err := v.ordersOf(ids)
	if err != nil {
		return nil, err
	}
	w, rows := v.shop.words, make([]movementRow, len(movements))
	for i := range movements {
		m := &movements[i]
		by, amount := m.held()
		row := movementRow{
			What:   cmp.Or(movementWords[m.Type], plain(m.Type)),
			By:     by,
			Amount: w.amount(amount, m.Currency),
			At:     w.clock(m.CreatedAt),
			Exact:  m.CreatedAt.Format(time.RFC3339),
			Number: cmp.Or(orders[m.Order].Confirmation, short(m.Reference), "–"),
		}
		if m.Order != "" {
			row.Address = v.shop.Path() + "/orders/" + m.Order
		}
		rows[i] = row
	}
	return rows, nil
}

// held returns the provider whose funds a movement changes, and the change, which is negative if funds were taken out.
func (m *movement) held() (by string, change json.Number) {
	change = "0"
	for _, e := range m.Entries {
		if provider, ok := strings.CutPrefix(e.Account, "funds:"); ok {
			by, change = providerName(provider), sum(m.Currency, change, e.Amount)
		}
	}
	if by == "" {
		return "–", m.Amount
	}
	return by, change
}
