package agent

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// request is an event.
type request struct {
	ID        string          `json:"id"`
	Type      string          `json:"type"`
	CreatedAt time.Time       `json:"created_at"`
	Policy    policy          `json:"policy"`
	Data      json.RawMessage `json:"data"`
}

type policy struct {
	RoundCap int64 `json:"round_cap"`
}

// quote is the part of acp.quote data that these rules need.
type quote struct {
	Offer     *decimal.Decimal `json:"offer"`
	Currency  string           `json:"currency"`
	ListPrice decimal.Decimal  `json:"list_price"`
	Bounds    struct {
		Floor   decimal.Decimal `json:"floor"`
		Opening decimal.Decimal `json:"opening"`
	} `json:"bounds"`
	CurrentPrice decimal.Decimal `json:"standing_price"`
	Progress     struct {
		Rounds int64 `json:"rounds"`
	} `json:"progress"`
}

// answer is an answer to acp.quote.
type answer struct {
	Status    string           `json:"status"`
	Price     *decimal.Decimal `json:"price,omitempty"`
	Reasoning string           `json:"reasoning,omitempty"`
	Message   string           `json:"message,omitempty"`
}

// respond answers an event by the rules. ok is false if the event is unknown or malformed.
func respond(asked request) (body any, ok bool) {
	switch asked.Type {
	case "acp.search":
		var s search
		if json.Unmarshal(asked.Data, &s) == nil {
			return s.rank(), true
		}
	case "acp.quote":
		var q quote
		if json.Unmarshal(asked.Data, &q) == nil {
			return q.answer(asked.Policy), true
		}
	case "acp.checkout", "acp.finalize":
		return map[string]any{"approve": true}, true
	}
	return nil, false
}

// answer concedes in equal steps from the opening to the floor, one step for each counter that the policy allows. It
// accepts an offer that reaches the next step.
func (q quote) answer(p policy) answer {
	if q.Offer == nil {
		return answer{
			Status:    "quote",
			Price:     &q.CurrentPrice,
			Reasoning: "That is our price. Make an offer.",
		}
	}
	price := q.step(p)
	switch {
	case q.Offer.Less(q.Bounds.Floor):
		return answer{Status: "reject", Reasoning: "We cannot come near that."}
	case !q.Offer.Less(price):
		return answer{
			Status:    "accept",
			Reasoning: "That is fair.",
			Message:   "It is yours.",
		}
	}
	return answer{
		Status: "counter_offer", Price: &price,
		Reasoning: "We can come down to " + price.Fixed(decimal.Places(q.Currency)) + " " + q.Currency + ".",
	}
}

// step returns the price after one more counter. It is never above the current price.
func (q quote) step(p policy) decimal.Decimal {
	rounds := max(1, p.RoundCap)
	way := q.Bounds.Opening.Minus(q.Bounds.Floor).Times(min(q.Progress.Rounds+1, rounds)).Over(rounds)
	price := q.Bounds.Opening.Minus(way.Down(decimal.Places(q.Currency)))
	if q.CurrentPrice.Less(price) {
		return q.CurrentPrice
	}
	return price
}

// search is the part of acp.search data that these rules need.
type search struct {
	Limit      int         `json:"limit"`
	Candidates []candidate `json:"candidates"`
}

type candidate struct {
	ProductID string          `json:"product_id"`
	Score     decimal.Decimal `json:"score"`
	InStock   bool            `json:"in_stock"`
}

type ranking struct {
	Results []ranked `json:"results"`
}

type ranked struct {
	ProductID string   `json:"product_id"`
	Reasons   []string `json:"reasons,omitempty"`
}

// rank puts products in stock first, and better matches before others.
func (s search) rank() ranking {
	slices.SortStableFunc(s.Candidates, func(a, b candidate) int {
		switch {
		case a.InStock && !b.InStock:
			return -1
		case b.InStock && !a.InStock:
			return 1
		}
		return b.Score.Cmp(a.Score)
	})
	r := ranking{Results: []ranked{}}
	for _, c := range s.Candidates[:min(len(s.Candidates), max(s.Limit, 0))] {
		one := ranked{ProductID: c.ProductID}
		if c.InStock {
			one.Reasons = []string{"ready to ship"}
		}
		r.Results = append(r.Results, one)
	}
	return r
}
