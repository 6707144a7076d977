package console

import (
	"cmp"
	"encoding/json"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/bojanz/currency"
)

// orderDetail is an order with its refunds, returns and disputes.
type orderDetail struct {
	order
	Subtotal json.Number `json:"subtotal"`
	Shipping json.Number `json:"shipping"`
	Tax      json.Number `json:"tax"`
	Address  address     `json:"shipping_address"`
	Notes    string      `json:"notes"`
	Refunds  []refund    `json:"refunds"`
	Returns  []orderBack `json:"returns"`
	Disputes []dispute   `json:"disputes"`
	Protocol string      `json:"protocol"`
	Agent    *agent      `json:"agent"`

	labels []orderLabel // the newest first
}

// agent is who bought for the buyer.
type agent struct {
	Profile  string `json:"profile"`
	Verified bool   `json:"verified"`
}

// ships reports whether something of the order is shipped.
func (o *orderDetail) ships() bool {
	return len(o.Lines) == 0 || slices.ContainsFunc(o.Lines, func(l orderLine) bool { return l.RequiresShipping == nil || *l.RequiresShipping })
}

// who is the agent in words.
func (a *agent) who() string {
	switch {
	case a == nil:
		return "Did not say"
	case a.Verified:
		return a.Profile + ", verified"
	}
	return a.Profile + ", not verified"
}

type address struct {
	Name       string `json:"name"`
	Line1      string `json:"line1"`
	Line2      string `json:"line2"`
	City       string `json:"city"`
	State      string `json:"state"`
	PostalCode string `json:"postal_code"`
	Country    string `json:"country"`
}

type refund struct {
	Amount    json.Number `json:"amount"`
	Currency  string      `json:"currency"`
	Reason    string      `json:"reason"`
	Status    string      `json:"status"`
	Origin    string      `json:"origin"`
	CreatedAt time.Time   `json:"created_at"`
}

type orderBack struct {
	Status   string      `json:"status"`
	Comment  string      `json:"comment"`
	Estimate json.Number `json:"refund_estimate"`
	Currency string      `json:"currency"`
	Items    []struct {
		ProductID string `json:"product_id"`
		Quantity  int    `json:"quantity"`
		Reason    string `json:"reason"`
	} `json:"items"`
	CreatedAt time.Time  `json:"created_at"`
	DecidedAt *time.Time `json:"decided_at"`
}

type fact struct {
	Label, Value string
	Sum, Mono    bool
	Address      string // where what it counts is listed; "": nowhere
}

type moment struct {
	What, When, Class string
	at                time.Time
}

type orderView struct {
	frame
	Address, Number, Total, At, Exact, Where string
	Pills                                    []pill
	Actions                                  []action
	Paths                                    []pathView
	NoPath                                   string
	Lines                                    []lineView
	Money, Buyer                             []fact
	Timeline                                 []moment
	Returns, Disputes                        []followed
	Confirms                                 []*confirmation
	Note                                     *form // nil: the role writes none
	Done                                     string
	Problem                                  *problem // of a form that is no longer there
}

type action struct {
	Anchor, Word string
	Primary      bool
}

type lineView struct{ Name, About, Moved, Quantity, List, Paid, OffList string }

// followed is a return or a dispute.
type followed struct {
	Pills                       []pill
	At, What, Comment, Estimate string
	Address                     string // "": it has no page of its own
}

func (v *memberRequest) order() error { return v.showOrder("", nil) }

// showOrder shows an order, and the problem of a failed form.
func (v *memberRequest) showOrder(form string, failed *problem) error {
	var o orderDetail
	if err := v.api.get("/v1/orders/"+url.PathEscape(v.r.PathValue("order")), nil, &o); err != nil {
		return err
	}
	w := v.shop.words
	view := &orderView{
		frame:   v.page(o.Confirmation, "orders"),
		Address: v.shop.Path() + "/orders/" + o.ID,
		Number:  o.Confirmation,
		Total:   w.amount(o.Total, o.Currency),
		At:      w.clock(o.CreatedAt),
		Exact:   o.CreatedAt.Format(time.RFC3339),
		Where:   strings.Join(slices.DeleteFunc([]string{o.Address.Name, o.Address.City, o.Address.Country}, empty), ", "),
		Pills:   o.pills(),
		Done:    done[v.r.URL.Query().Get("done")],
	}
	for _, l := range o.Lines {
		view.Lines = append(view.Lines, v.line(l, o.Currency))
	}
	view.Money = v.moneyOf(&o)
	platforms, err := v.platformsOf(o.ID)
	if err != nil {
		return err
	}
	view.Buyer = append(v.buyerOf(&o), platforms...)
	notes, err := v.notes(o.ID)
	if err != nil {
		return err
	}
	if o.labels, err = v.labels(o.ID); err != nil {
		return err
	}
	view.Timeline = v.timeline(&o, append(notes, v.labelMoments(o.labels)...))
	for _, r := range o.Returns {
		view.Returns = append(view.Returns, v.returned(r, &o))
	}
	for _, d := range o.Disputes {
		view.Disputes = append(view.Disputes, followed{
			Pills:   []pill{d.pill()},
			At:      w.clock(d.CreatedAt),
			What:    w.amount(d.Amount, d.Currency) + ". " + d.why() + answerBy(v.due(&d)),
			Address: v.shop.Path() + "/disputes/" + d.ID,
		})
	}
	v.offer(view, &o, form, failed)
	if err := v.priceOf(view, &o); err != nil {
		return err
	}
	status := http.StatusOK
	if failed != nil {
		status = failed.Status
	}
	return v.render(v.w, status, "order", view)
}

func empty(s string) bool { return s == "" }

var (
	returnPills = map[string]pill{
		"requested": {"Return asked", "warn"},
		"approved":  {"Approved", "good"},
		"rejected":  {"Rejected", ""},
	}
)

func (v *memberRequest) line(l orderLine, code string) lineView {
	w := v.shop.words
	view := lineView{
		Name:     l.Name,
		Moved:    l.Personalization.words(),
		About:    strings.Join(slices.DeleteFunc([]string{l.Variant, l.SKU}, empty), " · "),
		Quantity: thousands(l.Quantity),
		List:     w.amount(l.Original, code),
		Paid:     w.amount(l.Unit, code),
		OffList:  cmp.Or(offList(sum(code, l.Original, negative(l.Unit)), []orderLine{{Quantity: 1, Original: l.Original}}, code), "–"),
	}
	return view
}

// sum adds amounts of one currency.
func sum(code string, terms ...json.Number) json.Number {
	total, _ := currency.NewAmount("0", code)
	for _, t := range terms {
		if a, err := currency.NewAmount(cmp.Or(t.String(), "0"), code); err == nil {
			total, _ = total.Add(a) // it is of the same currency
		}
	}
	return json.Number(total.Number())
}

// negative is what is taken off.
func negative(n json.Number) json.Number {
	text := n.String()
	if strings.Trim(text, "0.") == "" {
		return n
	}
	if off, ok := strings.CutPrefix(text, "-"); ok {
		return json.Number(off)
	}
	return json.Number("-" + text)
}

func (v *memberRequest) moneyOf(o *orderDetail) []fact {
	w := v.shop.words
	amount := func(n json.Number) string { return w.amount(n, o.Currency) }
	facts := []fact{{Label: "Goods at list", Value: amount(sum(o.Currency, o.Subtotal, o.Savings))}}
	if strings.Trim(o.Savings.String(), "0.") != "" {
		facts = append(facts, fact{Label: "Haggled off", Value: amount(negative(o.Savings))})
	}
	facts = append(facts,
		fact{Label: "Shipping", Value: amount(o.Shipping)},
		fact{Label: "Tax", Value: amount(o.Tax)},
		fact{
			Label: "Paid",
			Value: amount(o.Total),
			Sum:   true,
		},
		fact{Label: "Refunded", Value: amount(negative(o.Payment.Refunded))},
	)
	if n, _ := o.Payment.Disputed.Float64(); n > 0 {
		facts = append(facts, fact{Label: "Taken for disputes", Value: amount(negative(o.Payment.Disputed))})
	}
	return append(facts, fact{Label: "By", Value: cmp.Or(o.Payment.Instrument, o.Payment.Provider)})
}

var protocolNames = map[string]string{
	"haggle": "Agent Commerce Protocol",
	"ucp":    "Universal Commerce Protocol",
	"mcp":    "MCP",
}

func (v *memberRequest) buyerOf(o *orderDetail) []fact {
	a := o.Address
	shipTo := func(whole string) string {
		if !o.ships() {
			return "Digital, no shipping"
		}
		return whole
	}
	place := strings.TrimSpace(strings.Join(slices.DeleteFunc([]string{a.City, a.State, a.PostalCode}, empty), " "))
	facts := []fact{
		{Label: "Ship to", Value: shipTo(strings.Join(slices.DeleteFunc([]string{a.Name, a.Line1, a.Line2, place, a.Country}, empty), ", "))},
		{Label: "E-mail", Value: o.Email},
	}
	if o.Notes != "" {
		facts = append(facts, fact{Label: "Notes", Value: o.Notes})
	}
	return append(facts,
		fact{Label: "Agent", Value: o.Agent.who()},
		fact{Label: "Came through", Value: cmp.Or(protocolNames[o.Protocol], o.Protocol)},
		fact{
			Label: "Negotiation",
			Value: short(o.Negotiation),
			Mono:  true,
		},
	)
}

// timeline returns the past events of an order with those in list, the newest first, after the expected ones.
func (v *memberRequest) timeline(o *orderDetail, list []moment) []moment {
	w := v.shop.words
	note := func(at time.Time, what, more string) {
		when := w.clock(at)
		if more != "" {
			when += " · " + more
		}
		list = append(list, moment{
			What: what,
			When: when,
			at:   at,
		})
	}
	note(o.Payment.CreatedAt, "Paid "+w.amount(o.Payment.Amount, o.Payment.Currency), cmp.Or(o.Payment.Instrument, o.Payment.Provider))
	note(o.CreatedAt, "Order placed", "")
	if at := o.Fulfillment.ShippedAt; at != nil {
		note(*at, "Shipped", strings.TrimSpace(o.Fulfillment.Carrier+" "+o.Fulfillment.TrackingNumber))
	}
	if at := o.Fulfillment.DeliveredAt; at != nil {
		note(*at, "Delivered", "")
	}
	for _, r := range o.Refunds {
		what := map[string]string{"pending": "Refund asked for", "succeeded": "Refunded", "failed": "Refund failed"}[r.Status]
		note(r.CreatedAt, what+" "+w.amount(r.Amount, r.Currency), r.Reason)
	}
	for _, r := range o.Returns {
		note(r.CreatedAt, "Return asked", "")
		if r.DecidedAt != nil {
			note(*r.DecidedAt, "Return "+r.Status, "")
		}
	}
	for _, d := range o.Disputes {
		note(d.CreatedAt, "Disputed "+w.amount(d.Amount, d.Currency), strings.ReplaceAll(d.Reason, "_", " "))
	}
	slices.SortStableFunc(list, func(a, b moment) int { return b.at.Compare(a.at) })
	list[slices.IndexFunc(list, func(m moment) bool { return m.Class == "" })].Class = "now"
	if o.Status == "canceled" || o.Status == "refunded" {
		return list
	}
	var next []moment
	f := o.Fulfillment
	if !o.ships() {
		if f.Status == "processing" {
			next = append(next, moment{
				What:  "Deliver",
				When:  "digital, no shipping",
				Class: "next",
			})
		}
		return append(next, list...)
	}
	if f.Status == "processing" || f.Status == "shipped" {
		next = append(next, moment{
			What:  "Deliver",
			When:  w.dates(f.Delivery) + ", " + strings.ReplaceAll(f.ShippingOption, "_", " "),
			Class: "next",
		})
	}
	if f.Status == "processing" {
		next = append(next, moment{
			What:  "Ship",
			When:  "by " + w.dates(f.ShipsOn),
			Class: "next",
		})
	}
	return append(next, list...)
}

// dates writes dates of the API, such as "2026-03-04 to 2026-03-06".
func (w *words) dates(text string) string {
	from, to, two := strings.Cut(text, " to ")
	write := func(s string) string {
		t, err := time.ParseInLocation(time.DateOnly, s, w.zone)
		if err != nil {
			return s
		}
		return w.day(t)
	}
	if !two || from == to {
		return write(from)
	}
	return write(from) + " to " + write(to)
}

func (v *memberRequest) returned(r orderBack, o *orderDetail) followed {
	w := v.shop.words
	names := map[string]string{}
	for _, l := range o.Lines {
		names[l.ProductID] = l.Name
	}
	var items []string
	for _, i := range r.Items {
		text := cmp.Or(names[i.ProductID], i.ProductID)
		if i.Quantity > 1 {
			text = thousands(i.Quantity) + " × " + text
		}
		if i.Reason != "" {
			text += " (" + strings.ReplaceAll(i.Reason, "_", " ") + ")"
		}
		items = append(items, text)
	}
	return followed{
		Pills:    []pill{returnPills[r.Status]},
		At:       w.clock(r.CreatedAt),
		What:     strings.Join(items, ", "),
		Comment:  r.Comment,
		Estimate: "Worth " + w.amount(r.Estimate, r.Currency) + " with its share of the tax.",
	}
}
