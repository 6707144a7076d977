package console

import (
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/haggle-commerce/haggle/adapters/console/pricepath"
)

// caseView is a recorded negotiation next to the answers of a draft to the same offers.
type caseView struct {
	Product, Said, Note, Address, Close string
	Was, Now                            *pathView
	Result, Record                      string
}

// played is a negotiation that the API played.
type played struct {
	Bounds pricepath.Bounds `json:"bounds"`
	Deal   json.Number      `json:"deal"`
	Steps  []struct {
		Offer    *pricepath.Number  `json:"offer"`
		Answer   pricepath.Answer   `json:"answer"`
		Rule     string             `json:"rule"`
		Handler  *string            `json:"handler"`
		Fallback *string            `json:"fallback"`
		Proposal *pricepath.Number  `json:"proposal"`
		Progress pricepath.Progress `json:"progress"`
	} `json:"steps"`
}

// mostOffers is how many offers the API plays.
const mostOffers = 50

// caseOf shows the negotiation named in the address, or returns nil if it names none. An invalid draft is not played.
func (s *studio) caseOf(d *draft, q url.Values, works bool) (*caseView, error) {
	wanted := q.Get("case")
	if wanted == "" {
		return nil, nil
	}
	view := &caseView{Close: s.here(d, q, "case", "")}
	t, err := fetch[threads](s.api, "/v1/negotiations/"+url.PathEscape(wanted), nil)
	var p *problem
	if errors.As(err, &p) && p.Status < http.StatusInternalServerError {
		view.Note = "This negotiation is not kept any longer, or is none of this shop's."
		return view, nil
	}
	if err != nil || len(t.Items) == 0 {
		return nil, err
	}
	at, _ := strconv.Atoi(q.Get("item"))
	item := &t.Items[min(max(at, 1), len(t.Items))-1]
	view.Product, view.Address = item.name(), s.shop.Path()+"/negotiations/"+t.ID
	was, err := s.path(&t, item, 1, view.Address)
	if err != nil {
		return nil, err
	}
	view.Was = &was
	view.Said = capital(s.said(item)) + "."
	if item.State == "left" {
		view.Said = "The buyer left: " + s.said(item) + "."
	}
	if !works {
		return view, nil
	}
	if err := s.playCase(view, d, &t, item); err != nil {
		return nil, err
	}
	return view, s.replayCase(view, d, t.ID)
}

// playCase plays the offers of a negotiation under a draft.
func (s *studio) playCase(view *caseView, d *draft, t *threads, item *threadItem) error {
	offers := offersOf(t, item)
	if len(offers) == 0 {
		view.Note = "The buyer only asked the price. There is no offer to answer."
		return nil
	}
	document, _ := d.policy.document()
	body := map[string]any{
		"policy":     document,
		"product_id": item.ProductID,
		"variant_id": item.VariantID,
		"quantity":   item.Quantity,
		"offers":     offers,
	}
	if item.VariantID == "" {
		delete(body, "variant_id")
	}
	var found played
	err := s.api.post(http.MethodPost, s.agentPath("/simulate"), change{body: body}, &found)
	if p, refused := asProblem(err); refused && p.Status < http.StatusInternalServerError {
		view.Note = "The draft cannot be played here: " + p.Message
		return nil
	}
	if err != nil {
		return err
	}
	view.Note = "Played with today's list price and stock, for a buyer of whom nothing is known."
	return s.drawPlayed(view, &found, item)
}

// replayCase shows the replay of the recorded negotiation under a draft.
func (s *studio) replayCase(view *caseView, d *draft, negotiation string) error {
	document, _ := d.policy.document()
	body := map[string]any{"policy": document, "negotiation_ids": []string{negotiation}}
	var found replayed
	if err := s.api.post(http.MethodPost, s.agentPath("/replay"), change{body: body}, &found); err != nil {
		return err
	}
	switch {
	case found.Negotiations == 0:
	case found.Deals.Certain == found.Negotiations:
		view.Record = "On the record: a deal for certain."
	case found.Deals.Possible > 0:
		view.Record = "On the record: a deal is possible, and not certain."
	default:
		view.Record = "On the record: no deal."
	}
	return nil
}

func asProblem(err error) (p *problem, ok bool) {
	ok = errors.As(err, &p)
	return p, ok
}

// offersOf returns the buyer's offers for an item in order. An empty offer is a question for the price.
func offersOf(t *threads, item *threadItem) (offers []*pricepath.Number) {
	any := false
	for n := range t.Steps {
		if step := &t.Steps[n]; step.of(item) && len(offers) < mostOffers {
			offers, any = append(offers, step.Offer), any || step.Offer != nil
		}
	}
	if !any {
		return nil
	}
	return offers
}

func (s *studio) drawPlayed(view *caseView, found *played, item *threadItem) error {
	var steps []pricepath.Decision
	for n, one := range found.Steps {
		steps = append(steps, pricepath.Decision{
			Seq:      n + 1,
			Product:  item.ProductID,
			Variant:  item.VariantID,
			Quantity: item.Quantity,
			Offer:    one.Offer,
			Answer:   one.Answer,
			Rule:     one.Rule,
			Handler:  one.Handler,
			Fallback: one.Fallback,
			Proposal: one.Proposal,
			Bounds:   found.Bounds,
			Progress: one.Progress,
		})
	}
	again := *item
	again.State, again.DealPrice = "open", ""
	again.Floor = &found.Bounds.Floor
	last := found.Steps[len(found.Steps)-1]
	w := s.shop.words
	switch {
	case found.Deal != "":
		again.State, again.DealPrice = "deal", found.Deal
		view.Result = "The draft agrees at " + w.amount(found.Deal, item.Currency) + "."
	case last.Answer.Price != nil && last.Offer != nil:
		view.Result = "The draft asks " + w.amount(json.Number(*last.Answer.Price), item.Currency) + " where the buyer offered " +
			w.amount(json.Number(*last.Offer), item.Currency) + " at last. Whether the buyer would have paid it is not known."
	}
	o := s.pathOptions(&again, "played")
	o.Limits = true
	p, err := pricepath.New(steps, o)
	if err != nil {
		return err
	}
	drawn := pathPage(p, o, p.Chosen(0), &again, "")
	view.Now = &drawn
	return nil
}
