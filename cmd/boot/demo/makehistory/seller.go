package main

import (
	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/buyer"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// seller implements market.Seller with the shop. Each negotiation has its own session.
type seller struct {
	w      *world
	person *person
	first  *buyer.Buyer // who opened the product; nil once the session is used
	last   *buyer.Buyer // the buyer of the latest negotiation
}

// Open implements market.Seller.
func (s *seller) Open(market.Item) market.Negotiation {
	b := s.first
	if s.first = nil; b == nil {
		b = s.again()
	}
	s.last = b
	return &negotiation{s.w, b}
}

// again returns to the same product in a new session.
func (s *seller) again() *buyer.Buyer {
	shop, err := s.w.enter(s.person)
	s.w.check(err)
	before := s.last
	b := buyer.New(s.w.ctx, shop)
	b.Manifest, b.Email, b.Claims = before.Manifest, before.Email, before.Claims
	b.SearchFor(acp.SearchRequest{Query: before.Product.Name, Limit: 5})
	b.View(before.Product.ProductID).Choose(before.Variant.ID, before.Quantity)
	return b
}

type negotiation struct {
	w     *world
	buyer *buyer.Buyer
}

// Offer implements market.Negotiation.
func (n *negotiation) Offer(price int64) market.Answer {
	b, offer := n.buyer, decimal.FromInt(price).Over(100)
	switch {
	case b.Quote.QuoteID == "":
		b.Offer(offer)
	case b.Quote.BundleSuggestion != nil && b.Quote.Offers("add_bundle") && minor(b.Quote.CounterPrice) == price && n.w.oneIn(3):
		b.TakeBundle()
		n.w.count("bundles")
	default:
		b.FollowUp(offer, "")
	}
	if b.Err() != nil {
		n.w.refused(b)
		return market.Answer{Verdict: market.NoAnswer}
	}
	return n.understand(b.Quote)
}

func (n *negotiation) understand(q acp.Quote) market.Answer {
	last := len(q.NextActions) > 0 && !q.Offers("counter")
	switch q.Status {
	case acp.Accept:
		return market.Answer{
			Verdict: market.Accepted,
			Price:   minor(q.FinalPrice),
			Over:    true,
		}
	case acp.CounterOffer:
		return market.Answer{
			Verdict: market.Countered,
			Price:   minor(q.CurrentPrice()),
			Over:    last,
		}
	case acp.Reject:
		hint, err := decimal.Parse(q.FloorHint)
		if err != nil {
			return market.Answer{Verdict: market.NoAnswer}
		}
		return market.Answer{
			Verdict:      market.Rejected,
			Price:        minor(hint),
			CurrentPrice: minor(q.CurrentPrice()),
			Over:         last,
		}
	}
	return market.Answer{Verdict: market.NoAnswer}
}

// minor converts a price to cents; the demo sells in US dollars.
func minor(price decimal.Decimal) int64 { return price.Times(100).Whole() }
