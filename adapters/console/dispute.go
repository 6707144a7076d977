package console

import (
	"cmp"
	"crypto/rand"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"
)

// disputeDone has the messages after a dispute was answered.
var disputeDone = map[string]string{
	"sent":     "The evidence is sent. The provider decides, which takes weeks as a rule.",
	"accepted": "The dispute is accepted. The buyer keeps the money.",
}

type disputeView struct {
	frame
	Address, OrderAddress   string
	Number, Sub, Why, Exact string
	Pills                   []pill
	Due, StatusText         string
	Late                    bool
	CanAnswer               bool
	Fields                  []evidenceField
	Shipment                []evidenceField
	Sent                    []evidenceField // what was sent
	AcceptMeans             string
	Paths                   []pathView
	Money, Timeline         []fact
	Buyer                   buyerCard
	Key, Open, Done         string // the form that failed
	Problem                 *problem
}

// evidenceField is a form field for a text of evidence.
type evidenceField struct {
	Name, Label, Help, Value, Wrong string
	Rows                            int
}

func (v *memberRequest) dispute() error { return v.showDispute("", nil) }

// showDispute shows a dispute with its order, and the problem of a failed form.
func (v *memberRequest) showDispute(form string, failed *problem) error {
	d, err := fetch[dispute](v.api, "/v1/disputes/"+url.PathEscape(v.r.PathValue("dispute")), nil)
	if err != nil {
		return err
	}
	o, err := fetch[orderDetail](v.api, "/v1/orders/"+url.PathEscape(d.Order), nil)
	if err != nil {
		return err
	}
	w := v.shop.words
	view := &disputeView{
		frame:        v.page("Dispute of "+o.Confirmation, "returns"),
		Address:      v.shop.Path() + "/disputes/" + d.ID,
		OrderAddress: v.shop.Path() + "/orders/" + o.ID,
		Number:       o.Confirmation,
		Sub:          w.amount(d.Amount, d.Currency) + " · " + providerName(d.Provider),
		Why:          d.why(),
		Exact:        d.CreatedAt.Format(time.RFC3339),
		Pills:        []pill{d.pill()},
		Due:          v.due(&d),
		StatusText:   v.explainStatus(&d),
		Late:         d.DueBy != nil && d.DueBy.Before(v.now()),
		CanAnswer:    d.Response == "needed" && v.may("finance:write"),
		AcceptMeans:  "The buyer keeps " + w.amount(d.Amount, d.Currency) + ". The provider keeps its fee. This cannot be undone.",
		Money:        v.moneyDisputed(&d, &o),
		Timeline:     v.disputeTimes(&d),
		Key:          rand.Text(),
		Open:         form,
		Problem:      failed,
		Done:         disputeDone[v.r.URL.Query().Get("done")],
	}
	if d.Evidence != nil {
		view.Sent = slices.DeleteFunc(evidenceFields(*d.Evidence), func(f evidenceField) bool { return f.Value == "" })
	}
	if view.CanAnswer {
		v.fillEvidence(view, &d)
	}
	if view.Buyer, err = v.buyerCard(&o); err != nil {
		return err
	}
	if view.Paths, _, err = v.pricePaths(&o, view.OrderAddress); err != nil {
		return err
	}
	status := http.StatusOK
	if failed != nil {
		status = failed.Status
	}
	return v.render(v.w, status, "dispute", view)
}

// explainStatus describes the status of a dispute.
func (v *memberRequest) explainStatus(d *dispute) string {
	by := providerName(d.Provider)
	switch {
	case d.Status == "won":
		return "Won. The money stays with the shop."
	case d.Status == "lost":
		return "Lost. The buyer keeps the money."
	case d.Response == "under_review" && d.AnsweredAt != nil:
		return "Answered " + v.shop.words.clock(*d.AnsweredAt) + ". " + by + " decides, or waits for the buyer."
	case d.Response == "under_review":
		return "Answered at " + by + ", which decides, or waits for the buyer."
	}
	return by + " waits for the shop's answer. Without one the buyer wins."
}

func (v *memberRequest) moneyDisputed(d *dispute, o *orderDetail) []fact {
	w := v.shop.words
	return []fact{
		{Label: "Paid for the order", Value: w.amount(o.Payment.Amount, o.Currency)},
		{Label: "Refunded", Value: w.amount(negative(o.Payment.Refunded), o.Currency)},
		{
			Label: "Disputed",
			Value: w.amount(d.Amount, d.Currency),
			Sum:   true,
		},
		{Label: "Taken for it", Value: w.amount(negative(d.Withdrawn), cmp.Or(d.WithdrawnCurrency, d.Currency))},
		{Label: "Fee for it", Value: w.amount(negative(d.Fee), cmp.Or(d.FeeCurrency, d.Currency))},
		{Label: "By", Value: cmp.Or(o.Payment.Instrument, providerName(d.Provider))},
	}
}

func (v *memberRequest) disputeTimes(d *dispute) []fact {
	w := v.shop.words
	facts := []fact{{Label: "Reported", Value: w.clock(d.CreatedAt)}}
	if d.DueBy != nil {
		facts = append(facts, fact{Label: "Answer due", Value: w.clock(*d.DueBy)})
	}
	if d.AnsweredAt != nil {
		facts = append(facts, fact{Label: "Answered", Value: w.clock(*d.AnsweredAt)})
	}
	return append(facts,
		fact{Label: "Last change", Value: w.clock(d.UpdatedAt)},
		fact{
			Label: "Provider's id",
			Value: short(d.ProviderID),
			Mono:  true,
		},
	)
}

// evidenceFields returns the fields of evidence, in reading order.
func evidenceFields(e evidence) []evidenceField {
	return []evidenceField{
		{
			Name:  "product",
			Label: "What was sold",
			Value: e.Product,
			Rows:  2,
		},
		{
			Name:  "receipt",
			Label: "Receipt",
			Value: e.Receipt,
			Rows:  2,
		},
		{
			Name:  "carrier",
			Label: "Carrier",
			Value: e.Carrier,
		},
		{
			Name:  "tracking_number",
			Label: "Tracking number",
			Value: e.TrackingNumber,
		},
		{
			Name:  "shipped_on",
			Label: "Shipped on",
			Value: e.ShippedOn,
			Help:  "2026-03-05",
		},
		{
			Name:  "communication",
			Label: "What was said between you and the buyer",
			Value: e.Communication,
			Rows:  4,
		},
		{
			Name:  "note",
			Label: "What speaks for you",
			Value: e.Note,
			Rows:  4,
		},
	}
}

// fillEvidence fills the form with the typed texts, or else with those that were sent before or that the order provides.
func (v *memberRequest) fillEvidence(view *disputeView, d *dispute) {
	known := d.Known
	if d.Evidence != nil {
		known = *d.Evidence
	}
	for _, f := range evidenceFields(known) {
		if view.Open == "evidence" {
			f.Value, f.Wrong = v.r.PostForm.Get(f.Name), view.Problem.in(f.Name)
		}
		if f.Rows == 0 {
			view.Shipment = append(view.Shipment, f)
		} else {
			view.Fields = append(view.Fields, f)
		}
	}
}

// answer handles a form of a dispute's page, and shows the dispute again.
func (v *memberRequest) answer(form, finished string, c change) error {
	wanted := url.PathEscape(v.r.PathValue("dispute"))
	c.key, c.code = v.r.PostForm.Get("key"), strings.TrimSpace(v.r.PostForm.Get("mfa_code"))
	err := v.api.post(http.MethodPost, "/v1/disputes/"+wanted+"/"+form, c, nil)
	var p *problem
	if errors.As(err, &p) && p.Status != http.StatusNotFound {
		return v.showDispute(form, p)
	}
	if err != nil {
		return err
	}
	http.Redirect(v.w, v.r, v.shop.Path()+"/disputes/"+wanted+"?done="+finished, http.StatusSeeOther)
	return nil
}

func (v *memberRequest) submitEvidence() error {
	body := map[string]string{}
	for _, f := range evidenceFields(evidence{}) {
		body[f.Name] = strings.ReplaceAll(v.r.PostForm.Get(f.Name), "\r\n", "\n")
	}
	return v.answer("evidence", "sent", change{body: body})
}

func (v *memberRequest) acceptDispute() error { return v.answer("accept", "accepted", change{}) }
