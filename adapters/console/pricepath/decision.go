package pricepath

import (
	"slices"
	"time"
)

// Decision has the fields of a decision in GET /v1/agents/{id}/decisions that a price path uses. Prices are for one piece.
type Decision struct {
	Seq       int       `json:"seq"`
	Product   string    `json:"product_id"`
	Variant   string    `json:"variant_id"`
	Quantity  int       `json:"quantity"`
	CreatedAt time.Time `json:"created_at"`
	Offer     *Number   `json:"offer"` // nil: the buyer asked the price
	Answer    Answer    `json:"answer"`
	Rule      string    `json:"rule"`
	Handler   *string   `json:"handler"`
	Fallback  *string   `json:"fallback"`
	Proposal  *Number   `json:"proposal"`
	Bounds    Bounds    `json:"bounds"`
	Progress  Progress  `json:"progress"`
	Inputs    Inputs    `json:"inputs"`
}

// Answer is the shop's answer. Price is nil in old records of rejections.
type Answer struct {
	Response string  `json:"response"` // quote, accept, counter_offer or reject
	Price    *Number `json:"price"`
}

// Bounds are the limits at the time of the decision.
type Bounds struct {
	List    Number `json:"list"`
	Opening Number `json:"opening"`
	Target  Number `json:"target"`
	Floor   Number `json:"floor"`
}

// Progress is the state of the negotiation before the decision.
type Progress struct {
	Rounds    int     `json:"rounds"`
	Moves     int     `json:"moves"`
	BestOffer *Number `json:"best_offer"` // of the last step that counted
	Counter   *Number `json:"counter"`    // the lowest price that the shop had named
}

// Inputs are the signals that a sentence may name.
type Inputs struct {
	Claims Loyalty `json:"claims"`
	Member Loyalty `json:"member"`
	Probed struct {
		Session int `json:"session"`
		Client  int `json:"client"`
		Product int `json:"product"`
	} `json:"probed"`
}

// Loyalty is a buyer's loyalty, as claimed or as known to the shop.
type Loyalty struct {
	Tier      string `json:"loyalty_tier"`
	Purchases int    `json:"purchase_history"`
}

// Number is the text of a JSON number. Amounts are kept as text until their currency is known, because floats would change them.
type Number string

func (n *Number) UnmarshalJSON(text []byte) error {
	if string(text) != "null" {
		*n = Number(text)
	}
	return nil
}

func (n Number) MarshalJSON() ([]byte, error) {
	if n == "" {
		return []byte("null"), nil
	}
	return []byte(n), nil
}

// Line is one product, variant and quantity of a session. Bounds and progress are per line.
type Line struct {
	Product   string
	Variant   string
	Quantity  int
	Decisions []Decision // the oldest first
}

// Split groups a session's decisions by line, in the order in which the lines first appear.
func Split(decisions []Decision) []Line {
	sorted := slices.Clone(decisions)
	slices.SortStableFunc(sorted, func(a, b Decision) int { return a.Seq - b.Seq })
	var lines []Line
	for _, d := range sorted {
		at := slices.IndexFunc(lines, func(l Line) bool {
			return l.Product == d.Product && l.Variant == d.Variant && l.Quantity == d.Quantity
		})
		if at < 0 {
			at = len(lines)
			lines = append(lines, Line{
				Product:  d.Product,
				Variant:  d.Variant,
				Quantity: d.Quantity,
			})
		}
		lines[at].Decisions = append(lines[at].Decisions, d)
	}
	return lines
}
