package assistant

import (
	"context"
	"fmt"

	"github.com/haggle-commerce/haggle/simulator/ucp"
	"github.com/haggle-commerce/haggle/simulator/ucp/judge"
)

// Action is a buyer's decision at a price.
type Action int

// The actions.
const (
	Offer Action = iota
	Accept
	WalkAway
)

// Move is an action. Price is per piece, in minor units, and goes with Offer.
type Move struct {
	Action Action
	Price  int64
}

// Situation is what a buyer knows when it decides. Prices are per piece, in minor units.
type Situation struct {
	Currency     string
	List         int64
	CurrentPrice int64   // the shop's current price
	Hint         int64   // the lowest price that the shop would consider, if it said so
	Offers       []int64 // the buyer's own, oldest first
	Allowed      int     // how many offers the shop answers
	Final        bool    // offers no longer change the price
}

// mostOffers limits a negotiation, even if the shop allows more offers.
const mostOffers = 20

// haggle negotiates a price and returns the cart that has it.
func (e *errand) haggle(ctx context.Context, v ucp.Variant) (string, error) {
	e.Page.you("start_negotiation", "What do you ask for %d × %s?", e.Quantity, clean(v.Title))
	n, err := call[ucp.Negotiation](ctx, e.shop, judge.StartNegotiation, keyed(map[string]any{
		"item":     map[string]any{"id": v.ID},
		"quantity": e.Quantity,
	}))
	var offers []int64
	for err == nil && n.Status != ucp.Accepted {
		e.Page.says(n.Messages)
		var move Move
		if move, err = e.next(n, offers); err != nil {
			return "", err
		}
		switch move.Action {
		case Offer:
			offers = append(offers, move.Price)
			n, err = e.offers(ctx, n, move.Price)
		case Accept:
			n, err = e.accepts(ctx, n)
		default:
			return "", e.walksAway(ctx, n)
		}
	}
	if err != nil {
		return "", err
	}
	e.Page.says(n.Messages)
	return n.CartID, nil
}

func (e *errand) next(n ucp.Negotiation, offers []int64) (Move, error) {
	if n.CurrentPrice == nil || !n.May("make_offer") && !n.May("accept_offer") {
		return Move{}, fmt.Errorf("%w: the negotiation is %s", ErrNothing, clean(n.Status))
	}
	s := Situation{
		Currency:     n.CurrentPrice.Currency,
		List:         n.Item.ListPrice.Amount,
		CurrentPrice: n.CurrentPrice.Amount,
		Offers:       offers,
		Allowed:      n.Rounds.Allowed,
		Final:        n.Final || !n.May("make_offer") || len(offers) >= mostOffers,
	}
	if n.Hint != nil {
		s.Hint = n.Hint.Amount
	}
	return e.buyer.Next(s)
}

func (e *errand) offers(ctx context.Context, n ucp.Negotiation, offer int64) (ucp.Negotiation, error) {
	offered := ucp.Money{Amount: offer, Currency: n.CurrentPrice.Currency}
	e.Page.you("make_offer", "I offer %s.", price(offered))
	return call[ucp.Negotiation](ctx, e.shop, judge.MakeOffer, keyed(map[string]any{"id": n.ID, "offer": offered}))
}

func (e *errand) accepts(ctx context.Context, n ucp.Negotiation) (ucp.Negotiation, error) {
	e.Page.you("accept_offer", "%s it is.", price(*n.CurrentPrice))
	return call[ucp.Negotiation](ctx, e.shop, judge.AcceptOffer, keyed(map[string]any{"id": n.ID, "price": *n.CurrentPrice}))
}

func (e *errand) walksAway(ctx context.Context, n ucp.Negotiation) error {
	e.Page.you("decline_offer", "%s is too much for me. Thank you.", price(*n.CurrentPrice))
	_, err := call[ucp.Negotiation](ctx, e.shop, judge.DeclineOffer, keyed(map[string]any{"id": n.ID, "reason": "price_sensitivity"}))
	if err != nil {
		return err
	}
	e.Page.shop("The negotiation is closed. Come again.")
	return fmt.Errorf("%w: the price stayed at %s", ErrNothing, price(*n.CurrentPrice))
}
