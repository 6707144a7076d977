package console

import (
	"cmp"
	"encoding/json"
	"net/url"
	"slices"
	"strings"
	"time"
)

// dispute is a dispute of the API.
type dispute struct {
	ID                string      `json:"id"`
	Order             string      `json:"order_id"`
	Provider          string      `json:"provider"`
	ProviderID        string      `json:"provider_id"`
	Amount            json.Number `json:"amount"`
	Currency          string      `json:"currency"`
	Withdrawn         json.Number `json:"withdrawn_amount"`
	WithdrawnCurrency string      `json:"withdrawn_currency"`
	Fee               json.Number `json:"fee_amount"`
	FeeCurrency       string      `json:"fee_currency"`
	Reason            string      `json:"reason"`
	Status            string      `json:"status"`
	Response          string      `json:"response"`
	DueBy             *time.Time  `json:"due_by"`
	Evidence          *evidence   `json:"evidence"`
	Known             evidence    `json:"order_evidence"`
	AnsweredAt        *time.Time  `json:"answered_at"`
	CreatedAt         time.Time   `json:"created_at"`
	UpdatedAt         time.Time   `json:"updated_at"`
}

type evidence struct {
	Product        string `json:"product"`
	Carrier        string `json:"carrier"`
	TrackingNumber string `json:"tracking_number"`
	ShippedOn      string `json:"shipped_on"`
	Communication  string `json:"communication"`
	Receipt        string `json:"receipt"`
	Note           string `json:"note"`
}

// disputeReasons describes the reasons of disputes, by the codes of Stripe and PayPal in lower case.
var disputeReasons = map[string]string{
	"canceled_recurring_billing":              "The buyer says the subscription was cancelled.",
	"credit_not_processed":                    "The buyer says a refund was promised and did not come.",
	"customer_initiated":                      "The buyer asked the bank for the money back.",
	"duplicate":                               "The buyer says this was paid twice.",
	"duplicate_transaction":                   "The buyer says this was paid twice.",
	"fraudulent":                              "The buyer says somebody else paid with this card.",
	"general":                                 "The bank gave no particular reason.",
	"incorrect_amount":                        "The buyer says the amount is wrong.",
	"merchandise_or_service_not_as_described": "The buyer says the goods are not as described.",
	"merchandise_or_service_not_received":     "The buyer says the goods did not arrive.",
	"other":                                   "The buyer gave no particular reason.",
	"payment_by_other_means":                  "The buyer says this was paid in another way.",
	"problem_with_remittance":                 "The buyer says the payment went wrong.",
	"product_not_received":                    "The buyer says the goods did not arrive.",
	"product_unacceptable":                    "The buyer says the goods are broken or not as described.",
	"subscription_canceled":                   "The buyer says the subscription was cancelled.",
	"unauthorised":                            "The buyer says somebody else made this payment.",
	"unrecognized":                            "The buyer does not recognise this payment.",
}

// why is the reason in words.
func (d *dispute) why() string {
	if words := disputeReasons[d.Reason]; words != "" {
		return words
	}
	return cmp.Or(plain(d.Reason), "No reason was given.")
}

// claim describes the buyer's claim, for a list.
func (d *dispute) claim() string {
	said, claims := strings.CutPrefix(d.why(), "The buyer says ")
	if !claims {
		return d.why()
	}
	return strings.ToUpper(said[:1]) + said[1:]
}

// pill is the state of a dispute where all rows are disputes.
func (d *dispute) pill() pill {
	switch {
	case d.Status == "won":
		return pill{"Won", "good"}
	case d.Status == "lost":
		return pill{"Lost", ""}
	case d.Response == "under_review":
		return pill{"Under review", "info"}
	}
	return pill{"To answer", "bad"}
}

// due describes the deadline for answering a dispute, or returns "" if there is none or it is unknown.
func (v *memberRequest) due(d *dispute) string { return v.dueAt(d, v.shop.words.clock) }

func (v *memberRequest) dueAt(d *dispute, written func(time.Time) string) string {
	switch {
	case d.DueBy == nil || d.Response != "needed":
		return ""
	case d.DueBy.Before(v.now()):
		return "was due " + written(*d.DueBy)
	}
	return "by " + written(*d.DueBy)
}

// answerBy is a sentence of a deadline; "" of none.
func answerBy(due string) string {
	if due == "" {
		return ""
	}
	return " Answer " + due + "."
}

var disputeTabs = []tab{
	{Word: "To answer", status: "needed"},
	{
		Name:   "review",
		Word:   "Under review",
		status: "under_review",
	},
	{
		Name:   "closed",
		Word:   "Won and lost",
		status: "closed",
	},
	{Name: "all", Word: "All"},
}

type disputesView struct {
	frame
	Sections     []choice
	Tabs         []tab
	Tab          tab
	Rows         []disputeRow
	Unknown      []string
	Older, Newer string
	Done         string
}

type disputeRow struct {
	Address, Number, Who, Why string
	Amount, Due, By           string
	Pills                     []pill
	Age, At, Exact            string
}

// disputePage is a page of disputes, newest first.
type disputePage struct {
	Data []dispute `json:"data"`
	Meta struct {
		Next string `json:"next"`
	} `json:"meta"`
}

// backSections are the tabs of returns and disputes.
func (v *memberRequest) backSections(current string) []choice {
	return []choice{
		{
			Word:    "Returns",
			Address: v.shop.Path() + "/returns",
			Current: current == "returns",
		},
		{
			Word:    "Disputes",
			Address: v.shop.Path() + "/disputes",
			Current: current == "disputes",
		},
	}
}

func (v *memberRequest) disputes() error {
	q := v.r.URL.Query()
	here := v.shop.Path() + "/disputes"
	view := &disputesView{
		frame:    v.page("Disputes", "returns"),
		Sections: v.backSections("disputes"),
		Unknown:  unknown(q, "status", "after", "done"),
		Done:     disputeDone[q.Get("done")],
	}
	address := func(status, after string) string {
		return link(here, url.Values{"status": {status}, "after": {after}})
	}
	var known bool
	view.Tabs, view.Tab, known = chooseTab(disputeTabs, q.Get("status"), 0, func(t tab) string { return address(t.Name, "") })
	if !known {
		view.Unknown = append(view.Unknown, "status="+q.Get("status"))
	}
	page, err := fetch[disputePage](v.api, "/v1/disputes", given(url.Values{"response": {view.Tab.status}, "after": q["after"], "limit": {"25"}}))
	if err != nil {
		return err
	}
	if view.Tab.status == "needed" { // the next deadline first
		slices.SortStableFunc(page.Data, func(a, b dispute) int { return a.until().Compare(b.until()) })
	}
	if view.Rows, err = v.disputeRows(page.Data); err != nil {
		return err
	}
	if page.Meta.Next != "" {
		view.Older = address(view.Tab.Name, page.Meta.Next)
	}
	if q.Get("after") != "" {
		view.Newer = address(view.Tab.Name, "")
	}
	return v.show("disputes", view)
}

// until returns the deadline for sorting. An unknown deadline comes last.
func (d *dispute) until() time.Time {
	if d.DueBy == nil {
		return d.CreatedAt.AddDate(1, 0, 0)
	}
	return *d.DueBy
}

func (v *memberRequest) disputeRows(all []dispute) ([]disputeRow, error) {
	ids := make([]string, len(all))
	for i := range all {
		ids[i] = all[i].Order
	}
	orders, err := v.ordersOf(ids)
	if err != nil {
		return nil, err
	}
	w, rows := v.shop.words, make([]disputeRow, len(all))
	for i := range all {
		d := &all[i]
		rows[i] = disputeRow{
			Address: v.shop.Path() + "/disputes/" + d.ID,
			Number:  cmp.Or(orders[d.Order].Confirmation, short(d.Order)),
			Who:     orders[d.Order].Email,
			Why:     d.claim(),
			Amount:  w.amount(d.Amount, d.Currency),
			Due:     cmp.Or(v.dueAt(d, w.day), "–"),
			By:      providerName(d.Provider),
			Pills:   []pill{d.pill()},
			Age:     w.age(d.CreatedAt),
			At:      w.clock(d.CreatedAt),
			Exact:   d.CreatedAt.Format(time.RFC3339),
		}
	}
	return rows, nil
}
