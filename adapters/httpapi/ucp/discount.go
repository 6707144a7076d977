package ucp

import (
	"slices"
	"strconv"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
)

// discounts are the deals of a cart or checkout. A deal code is a checkout token.
type discounts struct {
	Codes   []string  `json:"codes,omitempty"`
	Applied []applied `json:"applied,omitempty"`

	held []string // codes that prices depend on
}

type applied struct {
	Code        string       `json:"code,omitempty"`
	Title       string       `json:"title"`
	Amount      int64        `json:"amount"`
	Method      string       `json:"method"`
	Allocations []allocation `json:"allocations"`
}

type allocation struct {
	Path   string `json:"path"`
	Amount int64  `json:"amount"`
}

// toAPIDiscounts shows the deals of lines. codes are those that the request sent, including codes that do not apply. If the list
// price has fallen to the agreed price, the deal takes nothing off: it is kept but not shown as applied, because applied amounts
// are above zero.
func (h *handlers) toAPIDiscounts(lines []checkout.Line, codes []string) *discounts {
	d := &discounts{Codes: slices.Clone(codes)}
	at := map[id.Quote]int{}
	for i, l := range lines {
		if l.Quote.IsZero() {
			continue
		}
		n, known := at[l.Quote]
		if !known {
			n, at[l.Quote] = len(d.Applied), len(d.Applied)
			d.Applied = append(d.Applied, applied{
				Code:   d.hold(h.Deals.Of(l.Quote, l.Token.Salt, l.Token.Hash)),
				Title:  "Agreed price",
				Method: "each",
			})
		}
		if saved := saving(l.Unit, l.Original, l.Quantity); saved > 0 {
			d.Applied[n].Amount += saved
			d.Applied[n].Allocations = append(d.Applied[n].Allocations, allocation{lineAt(i), saved})
		}
	}
	d.Applied = slices.DeleteFunc(d.Applied, func(a applied) bool { return a.Amount == 0 })
	if len(d.Codes) == 0 && len(d.Applied) == 0 {
		return nil
	}
	return d
}

func lineAt(i int) string { return "$.line_items[" + strconv.Itoa(i) + "]" }

// hold adds the code of a deal, if it is known, and returns it.
func (d *discounts) hold(code string) string {
	if code != "" {
		d.held = append(d.held, code)
		if !slices.Contains(d.Codes, code) {
			d.Codes = append(d.Codes, code)
		}
	}
	return code
}

// constraint is what the next request must contain to keep the prices (request_constraints).
type constraint struct {
	Path       string                `json:"path,omitempty"`
	Required   []string              `json:"required,omitempty"`
	Properties map[string]constraint `json:"properties,omitempty"`
	Const      any                   `json:"const,omitempty"`
}

// members has constraints on the members of an object.
type members struct {
	Constraints *constraint `json:"request_constraints,omitempty"`
}

// lockCodes adds the constraint that the next request keeps the codes of deals. The previous version has no constraints.
func (h *handlers) lockCodes(d *discounts) *constraint {
	if h.version == April || d == nil || len(d.held) == 0 {
		return nil
	}
	return &constraint{
		Required: []string{"discounts"},
		Properties: map[string]constraint{"discounts": {
			Required:   []string{"codes"},
			Properties: map[string]constraint{"codes": {Const: d.held}},
		}},
	}
}

// lockQuantity adds the constraint that the next request keeps the quantity of a line with an agreed price.
func (h *handlers) lockQuantity(l checkout.Line) *members {
	if h.version == April || l.Quote.IsZero() {
		return nil
	}
	return &members{&constraint{
		Path:       "$['line_items'][?@['id'] == '" + commerce.LineID(l.ID) + "']",
		Properties: map[string]constraint{"quantity": {Const: l.Quantity}},
	}}
}

// dropped warns of agreed prices that an update gave up, and says how to get them back.
func (h *handlers) dropped(list []checkout.Dropped) (messages []message) {
	for _, d := range list {
		m := message{
			Type:    "warning",
			Code:    "deal_dropped",
			Path:    "$.line_items",
			Content: "An agreed price no longer applies because its item was removed.",
		}
		if d.Now >= 0 {
			m.Path, m.Content = lineAt(d.Now), "The agreed price of this item no longer applies."
		}
		m.Content += " To use it again while the deal is valid, send the item in quantity " + strconv.Itoa(d.Was.Quantity)
		if code := h.Deals.Of(d.Was.Quote, d.Was.Token.Salt, d.Was.Token.Hash); code != "" {
			m.Content += " with " + code + " in discounts.codes."
		} else {
			m.Content += " with the deal's code in discounts.codes."
		}
		messages = append(messages, m)
	}
	return messages
}
