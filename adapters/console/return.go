package console

import (
	"cmp"
	"crypto/rand"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/money"
)

// returnDone has the messages after a return was decided.
var returnDone = map[string]string{
	"approved": "The return is approved.",
	"rejected": "The return is rejected.",
}

type returnView struct {
	frame
	Address, Number, Sub, At, Exact string
	OrderAddress                    string
	Pills                           []pill
	Comment, Decided                string
	Items                           []backLine
	Money                           []fact
	Buyer                           buyerCard
	CanDecide                       bool
	Worth, Amount, Pieces, Means    string
	Sellable                        bool
	Reason                          string
	Answers                         []string
	Waiting, Next                   string // how many others wait, and the address of the first
	Paths                           []pathView
	Done, Before                    string
	Key, Open                       string // the form that failed
	Problem                         *problem
}

// backLine has the returned pieces of a line.
type backLine struct{ Name, About, Reason, Quantity, Paid, Worth string }

// answers has templates for the reason of a rejection.
var answers = []string{
	"The time for returns is over.",
	"The product shows use.",
	"This product cannot be returned.",
}

func (v *memberRequest) goodsBack() error { return v.showReturn("", nil) }

// showReturn shows a return with its order, and the problem of a failed form.
func (v *memberRequest) showReturn(form string, failed *problem) error {
	r, err := fetch[goodsReturn](v.api, "/v1/returns/"+url.PathEscape(v.r.PathValue("return")), nil)
	if err != nil {
		return err
	}
	o, err := fetch[orderDetail](v.api, "/v1/orders/"+url.PathEscape(r.Order), nil)
	if err != nil {
		return err
	}
	w := v.shop.words
	view := &returnView{
		frame:        v.page("Return of "+o.Confirmation, "returns"),
		Address:      v.shop.Path() + "/returns/" + r.ID,
		OrderAddress: v.shop.Path() + "/orders/" + o.ID,
		Number:       o.Confirmation,
		Sub:          r.what(o.Lines),
		At:           w.clock(r.CreatedAt),
		Exact:        r.CreatedAt.Format(time.RFC3339),
		Pills:        []pill{backPills[r.Status]},
		Comment:      r.Comment,
		Items:        v.backLines(&r, &o),
		Money:        v.moneyBack(&r, &o),
		Decided:      v.decidedBack(&r),
		Key:          rand.Text(),
		Open:         form,
		Problem:      failed,
		Done:         returnDone[v.r.URL.Query().Get("done")],
	}
	if before := v.r.URL.Query().Get("before"); before != "" && before != r.ID {
		view.Before = v.shop.Path() + "/returns/" + url.PathEscape(before)
	}
	if view.Buyer, err = v.buyerCard(&o); err != nil {
		return err
	}
	until, err := v.returnWindow(&o)
	if err != nil {
		return err
	}
	if until != "" {
		view.Buyer.Facts = append(view.Buyer.Facts, fact{Label: "Returns until", Value: until})
	}
	if view.Paths, _, err = v.pricePaths(&o, view.OrderAddress); err != nil {
		return err
	}
	if err := v.queueAfter(view, r.ID); err != nil {
		return err
	}
	v.offerDecision(view, &r, &o)
	status := http.StatusOK
	if failed != nil {
		status = failed.Status
	}
	return v.render(v.w, status, "return", view)
}

func (v *memberRequest) backLines(r *goodsReturn, o *orderDetail) []backLine {
	w := v.shop.words
	var lines []backLine
	for _, i := range r.Items {
		l := lineOf(i, o.Lines)
		line := backLine{
			Name:     l.Name,
			About:    strings.Join(slices.DeleteFunc([]string{l.Variant, l.SKU}, empty), " · "),
			Reason:   cmp.Or(plain(i.Reason), "–"),
			Quantity: thousands(i.Quantity) + " of " + thousands(max(l.Quantity, i.Quantity)),
			Paid:     "–",
			Worth:    "–",
		}
		if l.ProductID != "" {
			line.Paid, line.Worth = w.amount(l.Unit, o.Currency), w.amount(times(l.Unit, i.Quantity, o.Currency), o.Currency)
		}
		lines = append(lines, line)
	}
	return lines
}

// times multiplies an amount by a number of pieces.
func times(n json.Number, pieces int, code string) json.Number {
	unit, err := money.ParseCurrency(code)
	if err != nil {
		return n
	}
	return json.Number(money.Of(minor(n, unit)*int64(pieces), unit).String())
}

// leftOf returns the amount of an order that can still be refunded.
func leftOf(o *orderDetail) json.Number {
	return sum(o.Currency, o.Payment.Amount, negative(o.Payment.Refunded), negative(o.Payment.Disputed))
}

func (v *memberRequest) moneyBack(r *goodsReturn, o *orderDetail) []fact {
	amount := func(n json.Number) string { return v.shop.words.amount(n, o.Currency) }
	facts := []fact{
		{Label: "Paid for the order", Value: amount(o.Payment.Amount)},
		{Label: "Refunded", Value: amount(negative(o.Payment.Refunded))},
	}
	if n, _ := o.Payment.Disputed.Float64(); n > 0 {
		facts = append(facts, fact{Label: "Taken for disputes", Value: amount(negative(o.Payment.Disputed))})
	}
	return append(facts,
		fact{
			Label: "Can be refunded",
			Value: amount(leftOf(o)),
			Sum:   true,
		},
		fact{Label: "This return, with its tax", Value: amount(r.Estimate)},
		fact{Label: "By", Value: cmp.Or(o.Payment.Instrument, o.Payment.Provider)},
	)
}

// decidedBack says how a return was decided.
func (v *memberRequest) decidedBack(r *goodsReturn) string {
	if r.DecidedAt == nil {
		return ""
	}
	w := v.shop.words
	if r.Status == "rejected" {
		return "Rejected " + w.clock(*r.DecidedAt) + ". " + cmp.Or(r.Reason, "No reason was given.")
	}
	text := "Approved " + w.clock(*r.DecidedAt) + ". "
	switch {
	case r.Refund == nil:
		text += "Nothing was refunded. "
	case r.Refund.Status == "succeeded":
		text += w.amount(r.Refund.Amount, r.Refund.Currency) + " was refunded. "
	case r.Refund.Status == "failed":
		text += "The refund of " + w.amount(r.Refund.Amount, r.Refund.Currency) + " failed. "
	default:
		text += "The provider has not decided the refund of " + w.amount(r.Refund.Amount, r.Refund.Currency) + " yet, and is asked until it does. "
	}
	if r.Restocked == 0 {
		return text + "Nothing went back to stock."
	}
	return text + count(r.Restocked, "piece", "pieces") + " went back to stock."
}

// queueAfter finds the other waiting returns, the oldest first.
func (v *memberRequest) queueAfter(view *returnView, this string) error {
	waiting, err := v.returnsAt("requested", 0)
	if err != nil {
		return err
	}
	others := waiting.Meta.Total
	for _, r := range waiting.Data {
		if r.ID == this {
			others--
		} else if view.Next == "" {
			view.Next = v.shop.Path() + "/returns/" + r.ID
		}
	}
	if others > 0 {
		view.Waiting = count(others, "other waits", "others wait")
	}
	return nil
}

// offerDecision adds the forms for a decision if the return can be decided.
func (v *memberRequest) offerDecision(view *returnView, r *goodsReturn, o *orderDetail) {
	view.CanDecide = r.Status == "requested" && v.may("finance:write")
	if !view.CanDecide {
		return
	}
	w, left := v.shop.words, leftOf(o)
	promised := r.Estimate
	a, _ := promised.Float64()
	if b, _ := left.Float64(); b < a {
		promised = left
	}
	view.Worth, view.Amount = w.amount(left, o.Currency), promised.String()
	view.Pieces = count(r.pieces(), "piece", "pieces")
	view.Means = "The buyer gets the amount back on " + cmp.Or(o.Payment.Instrument, o.Payment.Provider) + ". 0 takes the goods back without a refund."
	view.Sellable, view.Answers = true, answers
	if view.Open == "" {
		return
	}
	f := v.r.PostForm
	view.Reason = f.Get("reason")
	if view.Open == "approve" {
		view.Amount, view.Sellable = f.Get("amount"), f.Get("restock") != ""
	}
}

// decide handles a form of a return's page, and redirects to the return that has waited longest.
func (v *memberRequest) decide(form, finished string, do func(path string, c change) error) error {
	wanted, f := v.r.PathValue("return"), v.r.PostForm
	err := do("/v1/returns/"+url.PathEscape(wanted)+"/"+form, change{key: f.Get("key"), code: strings.TrimSpace(f.Get("mfa_code"))})
	var p *problem
	if errors.As(err, &p) && p.Status != http.StatusNotFound {
		return v.showReturn(form, p)
	}
	if err != nil {
		return err
	}
	waiting, err := v.returnsAt("requested", 0)
	if err != nil {
		return err
	}
	target := v.shop.Path() + "/returns"
	for _, r := range waiting.Data {
		if r.ID != wanted {
			target += "/" + r.ID
			break
		}
	}
	http.Redirect(v.w, v.r, link(target, url.Values{"done": {finished}, "before": {wanted}}), http.StatusSeeOther)
	return nil
}

func (v *memberRequest) approve() error {
	f := v.r.PostForm
	return v.decide("approve", "approved", func(path string, c change) error {
		amount, err := plainAmount(f.Get("amount"))
		if err != nil {
			return err
		}
		c.body = map[string]any{"amount": amount, "restock": f.Get("restock") != ""}
		return v.api.post(http.MethodPost, path, c, nil)
	})
}

func (v *memberRequest) reject() error {
	return v.decide("reject", "rejected", func(path string, c change) error {
		c.body = map[string]string{"reason": strings.TrimSpace(v.r.PostForm.Get("reason"))}
		return v.api.post(http.MethodPost, path, c, nil)
	})
}
