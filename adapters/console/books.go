package console

import (
	"cmp"
	"encoding/json"
	"net/url"
	"strings"
	"time"
)

// comparison is a reconciliation of the books with a provider's.
type comparison struct {
	Provider    string     `json:"provider"`
	Matched     int        `json:"matched"`
	Found       int        `json:"differences_found"`
	Unexplained int        `json:"unexplained"`
	Ours        []sumOf    `json:"ours"`
	Theirs      []sumOf    `json:"theirs"`
	ComparedAt  *time.Time `json:"compared_at"`
	Problem     string     `json:"problem"`
	Differences []struct {
		Kind      string      `json:"kind"`
		Type      string      `json:"type"`
		State     string      `json:"state"`
		Ours      json.Number `json:"ours"`
		Theirs    json.Number `json:"theirs"`
		Currency  string      `json:"currency"`
		Reference string      `json:"reference"`
		At        time.Time   `json:"at"`
	} `json:"differences"`
}

type sumOf struct {
	Amount   json.Number `json:"amount"`
	Currency string      `json:"currency"`
}

// book is the result of the reconciliation with a provider.
type book struct {
	Provider, State string
	Pill            pill
	Ours, Theirs    string
	Problem         string
	Differences     []difference
	More            string
}

type difference struct{ What, Why, Ours, Theirs, When, Reference string }

// mostDifferences is how many differences of a provider the page lists.
const mostDifferences = 10

// addBooks adds the latest reconciliation with the providers, or a new one of the period.
func (v *memberRequest) addBooks(view *moneyView) error {
	now := v.r.URL.Query().Get("check") == "now"
	view.Check = link(v.shop.Path()+"/money", url.Values{"days": {view.Period.name}, "check": {"now"}}) + "#books"
	var query url.Values
	if now {
		query = view.Period.query
	}
	found, err := fetch[struct {
		Providers []comparison `json:"providers"`
	}](v.api, "/v1/finance/reconciliation", query)
	if now && err != nil {
		view.Problem = v.explain(v.w, v.r, err)
		return nil
	}
	if err != nil {
		return err
	}
	for i := range found.Providers {
		c := &found.Providers[i]
		view.Books = append(view.Books, v.book(c))
		if now {
			view.Checked = "Checked now, " + view.Period.Dates + "."
		} else if c.ComparedAt != nil {
			view.Checked = "Checked " + v.shop.words.clock(*c.ComparedAt) + ". Haggle checks every hour."
		}
	}
	return nil
}

func (v *memberRequest) book(c *comparison) book {
	b := book{
		Provider: providerName(c.Provider),
		State:    thousands(c.Matched) + " of " + thousands(c.Matched+c.Found) + " match",
		Pill:     pill{"In agreement", "good"},
		Ours:     v.sums(c.Ours),
		Theirs:   v.sums(c.Theirs),
	}
	switch {
	case c.Unexplained > 0:
		b.Pill = pill{thousands(c.Unexplained) + " to check", "bad"}
	case c.Found > 0:
		b.Pill = pill{thousands(c.Found) + " explained", "warn"}
	case c.Matched == 0:
		b.Pill, b.State = pill{"Nothing to compare", ""}, "No movements"
	}
	if c.Problem != "" {
		b.Problem = "The last check failed: " + c.Problem
	}
	for i, d := range c.Differences {
		if i == mostDifferences {
			break
		}
		b.Differences = append(b.Differences, difference{
			What:      cmp.Or(differenceWords[d.Kind], d.Kind),
			Why:       cmp.Or(explanations[d.State], "Not explained"),
			Ours:      v.maybe(d.Ours, d.Currency),
			Theirs:    v.maybe(d.Theirs, d.Currency),
			When:      v.shop.words.clock(d.At),
			Reference: short(d.Reference),
		})
	}
	if more := c.Found - len(b.Differences); more > 0 {
		b.More = count(more, "more difference is not listed.", "more differences are not listed.")
	}
	return b
}

var differenceWords = map[string]string{
	"missing_here":   "Only at the provider",
	"missing_there":  "Only in your books",
	"amount_differs": "Another amount",
}

var explanations = map[string]string{
	"in_flight": "Not decided yet",
	"orphan":    "Taken without an order",
	"reversed":  "Failed later",
	"elsewhere": "Belongs to another shop",
}

func (v *memberRequest) sums(all []sumOf) string {
	var texts []string
	for _, s := range all {
		texts = append(texts, v.shop.words.amount(s.Amount, s.Currency))
	}
	return cmp.Or(strings.Join(texts, ", "), "–")
}

// maybe is an amount that may be missing.
func (v *memberRequest) maybe(n json.Number, code string) string {
	if n == "" {
		return "–"
	}
	return v.shop.words.amount(n, code)
}

var providerNames = map[string]string{"stripe": "Stripe", "paypal": "PayPal", "sandbox": "Sandbox"}

func providerName(code string) string { return cmp.Or(providerNames[code], code) }
