package shopping

import (
	"context"
	"net/http"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/ucp"
)

// Quote asks for a price, makes an offer or accepts the merchant's price, depending on the request.
func (s *Shop) Quote(ctx context.Context, request acp.QuoteRequest, _ ...acp.Option) (acp.Quote, error) {
	negotiation, err := s.negotiate(ctx, request)
	if err != nil {
		return done(s, request, acp.Quote{}, err)
	}
	s.negotiations[negotiation.ID] = negotiation
	answer, err := quoteOf(request, negotiation)
	return done(s, request, answer, err)
}

func (s *Shop) negotiate(ctx context.Context, request acp.QuoteRequest) (ucp.Negotiation, error) {
	before, open := s.negotiations[request.QuoteID]
	if !open {
		start := ucp.StartRequest{
			Item:     ucp.Item{ID: request.VariantID},
			Quantity: max(1, request.Quantity),
			CartID:   request.SessionID,
			Message:  request.Message,
		}
		if start.Item.ID == "" {
			start.Item.ID = request.ProductID
		}
		if request.OfferPrice != nil {
			offer := toMinor(*request.OfferPrice, s.currency)
			start.Offer = &offer
		}
		return s.client.StartNegotiation(ctx, start)
	}
	if request.OfferPrice == nil {
		return s.client.Negotiation(ctx, before.ID)
	}
	offer := toMinor(*request.OfferPrice, before.Item.ListPrice.Currency)
	if before.CurrentPrice != nil && offer == *before.CurrentPrice && !request.AddBundle && request.Message == "" {
		return s.client.AcceptOffer(ctx, before.ID, ucp.AcceptRequest{Price: offer})
	}
	return s.client.MakeOffer(ctx, before.ID, ucp.OfferRequest{
		Offer:     offer,
		Message:   request.Message,
		AddBundle: request.AddBundle,
	})
}

// quoteOf converts a negotiation to Haggle's own protocol.
func quoteOf(request acp.QuoteRequest, n ucp.Negotiation) (acp.Quote, error) {
	currency := n.Item.ListPrice.Currency
	list := fromMinor(n.Item.ListPrice.Amount, currency)
	answer := acp.Quote{
		SessionID:     n.CartID,
		QuoteID:       n.ID,
		ValidUntil:    n.ExpiresAt,
		OriginalPrice: list,
		ListPrice:     list,
		NextActions:   actionsOf(n),
	}
	answer.Product.ID, answer.Product.Name = request.ProductID, n.Item.Title
	if n.CurrentPrice != nil {
		answer.OfferedPrice = fromMinor(n.CurrentPrice.Amount, currency)
	}
	switch n.Status {
	case ucp.Open:
		answer.Status = acp.Quoted
	case ucp.Countered:
		answer.Status, answer.CounterPrice = acp.CounterOffer, answer.OfferedPrice
		answer.DiscountApplied = saving(n.Item.ListPrice, *n.CurrentPrice) // UCP has only the prices
		if request.OfferPrice != nil {
			answer.YourOffer = *request.OfferPrice // UCP does not repeat it
		}
	case ucp.Rejected:
		answer.Status = acp.Reject
		if n.Hint != nil {
			answer.FloorHint = fromMinor(n.Hint.Amount, currency).String()
		}
	case ucp.Accepted:
		answer.Status = acp.Accept
		if n.Deal != nil {
			answer.FinalPrice = fromMinor(n.Deal.UnitPrice.Amount, currency)
			answer.CheckoutToken, answer.ValidUntil = n.Deal.Code, n.Deal.ExpiresAt
		}
	case ucp.Expired:
		answer.Status = acp.Expired
	default: // closed or declined
		return answer, &acp.Error{
			HTTPStatus: http.StatusConflict,
			Status:     "error",
			Code:       "quote_" + n.Status,
		}
	}
	return answer, nil
}

func actionsOf(n ucp.Negotiation) []string {
	words := map[string]string{"make_offer": "counter", "accept_offer": "accept", "decline_offer": "decline"}
	var actions []string
	for _, action := range n.BuyerActions {
		if word, known := words[action]; known {
			actions = append(actions, word)
		}
	}
	return actions
}
