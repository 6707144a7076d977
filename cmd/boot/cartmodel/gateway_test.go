package cartmodel

import (
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// gateway is a provider that does what a token says, and remembers what it charged by the attempt's key.
type gateway struct {
	ports.Gateway
	charged map[string]int64
	doubled []string // keys under which it was asked for another amount
}

// The payment tokens.
const (
	pays      = "pays"
	declines  = "declines"
	forbids   = "forbids"    // declines for good
	losesPaid = "loses_paid" // charges, and the answer is lost
	loses     = "loses"      // charges nothing, and nobody knows
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
