package buyer

import (
	"fmt"
	"math/rand/v2"

	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// Action is a buyer's next step in a negotiation.
type Action int

// The actions.
const (
	MakeOffer Action = iota
	TakeCounter
	WalkAway
)

// Move is an action. Price is set for MakeOffer.
type Move struct {
	Action Action
	Price  decimal.Decimal
}

// Situation is what a buyer knows when it has to move.
type Situation struct {
	List     decimal.Decimal
	Places   int               // decimals of the currency
	Offers   []decimal.Decimal // its own, oldest first
	Counters []decimal.Decimal // the merchant's, oldest first, including prices that still held after rejections
	Rejected bool              // the latest offer was rejected
	Hint     decimal.Decimal   // the floor hint of the rejection; zero if there is none
	Final    bool              // the merchant will not change its price again
}

// Strategy decides the next move. It has no state: the same situation gets the same move.
type Strategy interface {
	Name() string
	Next(Situation) Move
}

// Limits are a buyer's secrets, in percent of the list price.
type Limits struct {
	Opening     decimal.Decimal // the first offer
	Reservation decimal.Decimal // the most it would pay
	Patience    int             // maximum number of offers
}

// curve returns the n-th offer (from 1) between opening and reservation price.
type curve func(s Situation, opening, reservation decimal.Decimal, patience int) decimal.Decimal

type strategy struct {
	name   string
	limits Limits
	offer  curve
}

// Hardliner repeats its opening price.
func Hardliner(limits Limits) Strategy {
	return strategy{"hardliner", limits, func(_ Situation, opening, _ decimal.Decimal, _ int) decimal.Decimal { return opening }}
}

// Linear goes from opening to reservation in equal steps: offer(n) = O + (R−O)·(n−1)/(P−1).
func Linear(limits Limits) Strategy {
	return strategy{"linear", limits, func(s Situation, opening, reservation decimal.Decimal, patience int) decimal.Decimal {
		made, last := int64(len(s.Offers)), int64(max(1, patience-1))
		return opening.Plus(reservation.Minus(opening).Times(min(made, last)).Over(last))
	}}
}

// Conceder halves the gap to its reservation price with every offer: offer(n) = R − (R−O)/2^(n−1).
func Conceder(limits Limits) Strategy {
	return strategy{"conceder", limits, func(s Situation, opening, reservation decimal.Decimal, _ int) decimal.Decimal {
		return reservation.Minus(reservation.Minus(opening).Over(1 << min(len(s.Offers), 30)))
	}}
}

// Boulware hardly moves until its patience runs out: offer(n) = O + (R−O)·((n−1)/(P−1))³.
func Boulware(limits Limits) Strategy {
	return strategy{"boulware", limits, func(s Situation, opening, reservation decimal.Decimal, patience int) decimal.Decimal {
		made, last := int64(len(s.Offers)), int64(max(1, patience-1))
		made = min(made, last)
		step := reservation.Minus(opening)
		for range 3 {
			step = step.Times(made).Over(last)
		}
		return opening.Plus(step)
	}}
}

// TitForTat concedes as much as the merchant just did: offer(n) = offer(n−1) + (c(n−2) − c(n−1)), where the list price
// counts as the counter before the first. After a rejection that conceded nothing, it concedes a tenth of R−O.
func TitForTat(limits Limits) Strategy {
	return strategy{"tit for tat", limits, func(s Situation, opening, reservation decimal.Decimal, _ int) decimal.Decimal {
		if len(s.Offers) == 0 {
			return opening
		}
		last := s.Offers[len(s.Offers)-1]
		given := decimal.Decimal{}
		if n := len(s.Counters); n > 0 {
			before := s.List
			if n > 1 {
				before = s.Counters[n-2]
			}
			given = before.Minus(s.Counters[n-1])
		}
		if s.Rejected && given.Sign() <= 0 {
			given = reservation.Minus(opening).Over(10)
		}
		return last.Plus(given)
	}}
}

// Strategies are all strategies, in a fixed order.
var Strategies = []func(Limits) Strategy{Hardliner, Linear, Conceder, Boulware, TitForTat}

// RandomStrategy picks a strategy and its limits from the random source alone.
func RandomStrategy(random *rand.Rand) Strategy {
	reservation := 82 + random.Int64N(19) // 82 to 100 % of list
	limits := Limits{
		Opening:     decimal.FromInt(reservation - 2 - random.Int64N(23)),
		Reservation: decimal.FromInt(reservation),
		Patience:    3 + random.IntN(5),
	}
	return Strategies[random.IntN(len(Strategies))](limits)
}

// StrategyNamed returns the strategy with a name.
func StrategyNamed(name string, limits Limits) (Strategy, error) {
	for _, make := range Strategies {
		if s := make(limits); s.Name() == name {
			return s, nil
		}
	}
	return nil, fmt.Errorf("no strategy is named %q", name)
}

// Name returns the name in the report.
func (s strategy) Name() string { return s.name }

// Next is the same for all strategies. It computes an offer by the curve, at least as high as the last offer and the hint
// and at most the reservation price. It takes the merchant's price instead if that is no higher than the offer.
func (s strategy) Next(now Situation) Move {
	reservation := now.List.Percent(s.limits.Reservation, now.Places).Down(now.Places)
	opening := least(now.List.Percent(s.limits.Opening, now.Places), reservation)
	plan := least(s.offer(now, opening, reservation, s.limits.Patience).Down(now.Places), reservation)
	if n := len(now.Offers); n > 0 {
		plan = most(plan, now.Offers[n-1])
	}
	tired := len(now.Offers) >= s.limits.Patience
	hopeless := now.Rejected && reservation.Less(now.Hint) // only the merchant's current price is left
	if now.Rejected && !hopeless {
		plan = most(plan, now.Hint)
	}
	if n := len(now.Counters); n > 0 {
		counter := now.Counters[n-1]
		switch {
		case !plan.Less(counter), (now.Final || tired || hopeless) && !reservation.Less(counter):
			return Move{Action: TakeCounter}
		case now.Final:
			return Move{Action: WalkAway}
		}
	}
	stuck := now.Rejected && now.Hint.Sign() == 0 && len(now.Offers) > 0 && plan == now.Offers[len(now.Offers)-1]
	if hopeless || stuck || tired {
		return Move{Action: WalkAway}
	}
	return Move{Action: MakeOffer, Price: plan}
}

func least(a, b decimal.Decimal) decimal.Decimal {
	if b.Less(a) {
		return b
	}
	return a
}

func most(a, b decimal.Decimal) decimal.Decimal {
	if a.Less(b) {
		return b
	}
	return a
}
