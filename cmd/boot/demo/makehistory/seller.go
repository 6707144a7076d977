package main

import (
	"github.com/haggle-commerce/haggle/domain/market"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/buyer"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// seller is the shop as a buyer of the market meets it. Each negotiation is in a session of its own.
type seller struct {
	w      *world
	person *person
	first  *buyer.Buyer // who looked at the product; nil: the session is used
	last   *buyer.Buyer // of the latest negotiation
}

// Open is the market's.
func (s *seller) Open(market.Item) market.Negotiation {
	b := s.first
	if s.first = nil; b == nil {
		b = s.again()
	}
	s.last = b
	return &negotiation{s.w, b}
}

// again comes back for the same product.
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

// Offer is the market's.
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
			Price:   minor(q.Standing()),
			Over:    last,
		}
	case acp.Reject:
		hint, err := decimal.Parse(q.FloorHint)
		if err != nil {
			return market.Answer{Verdict: market.NoAnswer}
		}
		return market.Answer{
			Verdict:  market.Rejected,
			Price:    minor(hint),
			Standing: minor(q.Standing()),
			Over:     last,
		}
	}
	return market.Answer{Verdict: market.NoAnswer}
}

// minor is a price in cents: the demo sells in dollars.
func minor(price decimal.Decimal) int64 { return price.Times(100).Whole() }
