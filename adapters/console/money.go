package console

import (
	"encoding/json"
	"net/url"
	"strings"
)

// moneyFrame is the common part of the pages about money.
type moneyFrame struct {
	frame
	Period     period
	Sections   []choice
	Payments   string // addresses of the downloads
	Movements  string
	Unanswered []unansweredRow
}

func (v *memberRequest) moneyFrame(title, here string) moneyFrame {
	home := v.shop.Path() + "/money"
	q := v.r.URL.Query()
	m := moneyFrame{frame: v.page(title, "money")}
	m.Period = v.period(func(days string) string {
		return link(home+here, url.Values{"days": {days}, "status": {q.Get("status")}, "type": {q.Get("type")}})
	})
	days := url.Values{"days": {m.Period.name}}
	for _, s := range []choice{{Word: "Overview"}, {Word: "Payments", Address: "/payments"}, {Word: "Movements", Address: "/movements"}} {
		m.Sections = append(m.Sections, choice{s.Word, link(home+s.Address, days), s.Address == here})
	}
	m.Payments, m.Movements = link(home+"/payments.csv", m.Period.query), link(home+"/movements.csv", m.Period.query)
	return m
}

type moneyView struct {
	moneyFrame
	Unknown []string
	Done    string
	Bridge  *bridgeView
	Quiet   string // why there is no bridge
	Books   []book
	Checked string
	Check   string // the address that compares now
	Problem *problem
	Wallets []walletView
	Latest  []movementRow
}

// moneyDone are the sentences after something was done.
var moneyDone = map[string]string{"not_charged": "The payment was not taken. Its goods are back in stock."}

func (v *memberRequest) money() error {
	q := v.r.URL.Query()
	view := &moneyView{
		moneyFrame: v.moneyFrame("Money", ""),
		Unknown:    unknown(q, "days", "check", "done"),
		Done:       moneyDone[q.Get("done")],
	}
	if err := v.addBridge(view); err != nil {
		return err
	}
	if err := v.addBooks(view); err != nil {
		return err
	}
	wallets, err := fetch[list[wallet]](v.api, "/v1/finance/wallets", nil)
	if err != nil {
		return err
	}
	for i := range wallets.Data {
		view.Wallets = append(view.Wallets, v.walletView(&wallets.Data[i]))
	}
	latest, err := fetch[list[movement]](v.api, "/v1/finance/transactions", view.Period.with(url.Values{"limit": {"8"}}))
	if err != nil {
		return err
	}
	if view.Latest, err = v.movementRows(latest.Data); err != nil {
		return err
	}
	view.Unanswered, err = v.unanswered()
	if err != nil {
		return err
	}
	return v.show("money", view)
}

// addBridge adds the waterfall from list prices to the remaining revenue, for members who may see analytics.
func (v *memberRequest) addBridge(view *moneyView) error {
	if !v.may("analytics:read") {
		view.Quiet = "Your role, " + v.caller.Member.Role.String() + ", does not include figures."
		return nil
	}
	query := url.Values{"interval": {"month"}, "limit": {"1"}}
	for name, values := range view.Period.query {
		query[name] = values
	}
	s, err := fetch[sales](v.api, "/v1/analytics/sales", query)
	if err != nil {
		return err
	}
	view.Bridge = v.bridge(&s)
	return nil
}

// wallet has the balances of the providers in one currency.
type wallet struct {
	Currency  string      `json:"currency"`
	Balance   json.Number `json:"balance"`
	Captured  json.Number `json:"captured"`
	Refunded  json.Number `json:"refunded"`
	Disputed  json.Number `json:"disputed"`
	Fees      json.Number `json:"fees"`
	PaidOut   json.Number `json:"paid_out"`
	Orphaned  json.Number `json:"orphaned"`
	Adjusted  json.Number `json:"adjusted"`
	Providers []struct {
		Provider string      `json:"provider"`
		Balance  json.Number `json:"balance"`
	} `json:"providers"`
}

type walletView struct {
	Currency string
	Facts    []fact
}

func (v *memberRequest) walletView(w *wallet) walletView {
	amount := func(n json.Number) string { return v.shop.words.amount(n, w.Currency) }
	view := walletView{Currency: w.Currency, Facts: []fact{
		{Label: "Taken in", Value: amount(w.Captured)},
		{Label: "Refunds", Value: amount(negative(w.Refunded))},
		{
			Label:   "Disputes",
			Value:   amount(negative(w.Disputed)),
			Address: v.shop.Path() + "/disputes?status=all",
		},
		{Label: "Fees", Value: amount(negative(w.Fees))},
	}}
	view.Facts = append(view.Facts, rare(amount, w)...)
	view.Facts = append(view.Facts,
		fact{Label: "Paid out to your bank", Value: amount(negative(w.PaidOut))},
		fact{
			Label: "Held now",
			Value: amount(w.Balance),
			Sum:   true,
		},
	)
	if len(w.Providers) > 1 {
		for _, p := range w.Providers {
			view.Facts = append(view.Facts, fact{Label: "By " + providerName(p.Provider), Value: amount(p.Balance)})
		}
	}
	return view
}

// rare are the parts of a wallet that most shops never see.
func rare(amount func(json.Number) string, w *wallet) []fact {
	var facts []fact
	if !zero(w.Orphaned) {
		facts = append(facts, fact{Label: "Taken without an order", Value: amount(w.Orphaned)})
	}
	if !zero(w.Adjusted) {
		facts = append(facts, fact{Label: "Adjusted by providers", Value: amount(w.Adjusted)})
	}
	return facts
}

func zero(n json.Number) bool { return strings.Trim(n.String(), "-0.") == "" }
