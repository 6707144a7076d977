package console

import (
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// unansweredRow is a payment whose provider has not said whether it was taken.
type unansweredRow struct {
	Address, Amount, Provider, What, Age, At, Exact string
}

// mostUnanswered is how many payments without an answer a page shows.
const mostUnanswered = "5"

// unanswered fetches the payments without an answer, of any age.
func (v *memberRequest) unanswered() ([]unansweredRow, error) {
	found, err := v.unansweredAt(mostUnanswered)
	var rows []unansweredRow
	for i := range found {
		rows = append(rows, v.unansweredRow(&found[i]))
	}
	return rows, err
}

func (v *memberRequest) unansweredAt(limit string) ([]moneyIn, error) {
	found, err := fetch[list[moneyIn]](v.api, "/v1/finance/payments", url.Values{"status": {"unresolved"}, "limit": {limit}})
	return found.Data, err
}

func (v *memberRequest) unansweredRow(p *moneyIn) unansweredRow {
	w := v.shop.words
	row := unansweredRow{
		Amount:   w.amount(p.Amount, p.Currency),
		Provider: providerName(p.Provider),
		Age:      w.age(p.CreatedAt),
		At:       w.clock(p.CreatedAt),
		Exact:    p.CreatedAt.Format(time.RFC3339),
	}
	row.What = row.Provider + " has not said whether it was taken. Haggle keeps asking, and nobody pays twice."
	if u := p.Unanswered; u != nil && u.Asked > 0 {
		row.What = row.Provider + " has not said whether it was taken. Asked " + count(u.Asked, "time", "times") + ". Nobody pays twice."
	}
	if v.may("finance:write") {
		row.Address = v.shop.Path() + "/money/unanswered/" + p.Checkout
	}
	return row
}

type unansweredView struct {
	frame
	unansweredRow
	Problem      *problem
	Facts        []fact
	Here         string
	Charge, Why  string // what was typed
	Open         string // the form that failed
	Key          string
	NeedsCharge  bool
	ProviderSaid string
}

func (v *memberRequest) unansweredPayment() error { return v.showUnanswered("", nil) }

// findUnanswered finds the payment of a checkout among those without an answer.
func (v *memberRequest) findUnanswered() (*moneyIn, error) {
	found, err := v.unansweredAt("100")
	if err != nil {
		return nil, err
	}
	wanted := v.r.PathValue("checkout")
	i := slices.IndexFunc(found, func(p moneyIn) bool { return p.Checkout == wanted })
	if i < 0 {
		return nil, &problem{
			Status:  http.StatusNotFound,
			Code:    "payment_not_found",
			Message: "No payment without an answer is here. It may have its answer by now.",
		}
	}
	return &found[i], nil
}

func (v *memberRequest) showUnanswered(form string, failed *problem) error {
	p, err := v.findUnanswered()
	if err != nil {
		return err
	}
	row := v.unansweredRow(p)
	view := &unansweredView{
		frame:         v.page("Payment without an answer", "money"),
		unansweredRow: row,
		Here:          v.shop.Path() + "/money/unanswered/" + p.Checkout,
		Problem:       failed,
		Open:          form,
		Key:           rand.Text(),
		NeedsCharge:   p.Provider != "sandbox",
		Facts: []fact{
			{Label: "Amount", Value: row.Amount},
			{Label: "Provider", Value: row.Provider},
			{Label: "Began", Value: row.At},
			{
				Label: "Checkout",
				Value: short(p.Checkout),
				Mono:  true,
			},
		},
	}
	if u := p.Unanswered; u != nil {
		view.ProviderSaid = u.Problem
		view.Facts = append(view.Facts, fact{Label: "Asked", Value: count(u.Asked, "time", "times")})
	}
	status := http.StatusOK
	if failed != nil {
		status = failed.Status
		view.Charge, view.Why = v.r.PostForm.Get("provider_charge_id"), v.r.PostForm.Get("reason")
	}
	return v.render(v.w, status, "unanswered", view)
}

// resolve decides a payment without an answer.
func (v *memberRequest) resolve() error {
	p, err := v.findUnanswered()
	if err != nil {
		return err
	}
	f := v.r.PostForm
	outcome := f.Get("outcome")
	body := map[string]any{
		"outcome":            outcome,
		"provider_charge_id": strings.TrimSpace(f.Get("provider_charge_id")),
		"reason":             strings.TrimSpace(f.Get("reason")),
	}
	if p.Unanswered != nil {
		body["attempt"] = p.Unanswered.Attempt
	}
	var made struct {
		Order string `json:"order_id"`
	}
	err = v.api.post(http.MethodPost, "/v1/finance/payments/"+url.PathEscape(p.Checkout)+"/resolve", change{
		body: body,
		key:  f.Get("key"),
		code: strings.TrimSpace(f.Get("mfa_code")),
	}, &made)
	var refused *problem
	if errors.As(err, &refused) && refused.Status != http.StatusNotFound {
		return v.showUnanswered(outcome, refused)
	}
	if err != nil {
		return err
	}
	target := v.shop.Path() + "/money?done=not_charged"
	if made.Order != "" {
		target = v.shop.Path() + "/orders/" + made.Order + "?done=charged"
	}
	http.Redirect(v.w, v.r, target, http.StatusSeeOther)
	return nil
}
