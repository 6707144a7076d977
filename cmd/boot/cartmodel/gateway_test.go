package cartmodel

import (
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// gateway is a payment provider whose behavior depends on the token. It records charges by the attempt's key.
type gateway struct {
	ports.Gateway
	charged map[string]int64
	doubled []string // keys that were used again with another amount
}

// Payment tokens.
const (
	pays      = "pays"
	declines  = "declines"
	forbids   = "forbids"    // declines permanently
	losesPaid = "loses_paid" // charges, but the response is lost
	loses     = "loses"      // does not charge, and the response is lost
)

func (g *gateway) Charge(_ ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	paid := checkout.Paid{Provider: "ch_" + r.Charge.Key}
	if cents, ok := g.charged[r.Charge.Key]; ok {
		if cents != r.Charge.Amount.Minor() {
			g.doubled = append(g.doubled, r.Charge.Key)
		}
		return paid, nil
	}
	switch r.Token {
	case declines:
		return checkout.Declined{Code: "do_not_honor"}, nil
	case forbids:
		return checkout.Declined{Code: "stolen_card", Final: true}, nil
	case loses:
		return nil, fault.New(fault.Unavailable, "lost", "The reply is lost.")
	}
	g.charged[r.Charge.Key] = r.Charge.Amount.Minor()
	if r.Token == losesPaid {
		return nil, fault.New(fault.Unavailable, "lost", "The reply is lost.")
	}
	return paid, nil
}

func (g *gateway) Resolve(_ ports.Outbound, r ports.ChargeRequest) (checkout.Outcome, error) {
	if _, ok := g.charged[r.Charge.Key]; ok {
		return checkout.Paid{Provider: "ch_" + r.Charge.Key}, nil
	}
	return checkout.NotCharged{}, nil
}

func (g *gateway) Refund(ports.Outbound, ports.RefundRequest) (order.RefundOutcome, error) {
	panic("nothing is given back here")
}
