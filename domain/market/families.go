package market

import "math"

// Parts are what a family of buyers is made of. Leaving a part out leaves out every family that has it, because families that
// share a part are alike: see Baarslag et al., "Decoupling Negotiating Agents to Explore the Space of Negotiation Strategies" (2014),
// who take agents apart into bidding, opponent model and acceptance.
type Parts struct {
	Bidding    string // how offers develop
	Acceptance string // which prices it takes instead of its next offer
	Patience   string // when it leaves
	Memory     string // what it knows from other sessions
}

// The parts that most families have.
const (
	takesAspiration = "next"     // takes a price that is at or below its next offer (AC_next)
	toDeadline      = "deadline" // bargains until its deadline
	noMemory        = "none"
)

// Families returns the kinds of buyers by which a policy is judged: Tactics and others that are written from the literature on
// people, agents and language models that bargain.
func Families() []Tactic {
	all := Tactics()
	parts := map[string]Parts{
		"hardliner":     {"firm", takesAspiration, toDeadline, noMemory},
		"tit-for-tat":   {"reactive", takesAspiration, toDeadline, noMemory},
		"prober":        {"probing", takesAspiration, toDeadline, noMemory},
		"random":        {"random", takesAspiration, toDeadline, noMemory},
		"impatient":     {"linear", "any", "two rounds", noMemory},
		"splitter":      {"splitting", takesAspiration, toDeadline, noMemory},
		"cross-session": {"probing", takesAspiration, toDeadline, "hint"},
		"boulware":      {"late", takesAspiration, toDeadline, noMemory},
		"conceder":      {"early", takesAspiration, toDeadline, noMemory},
	}
	for i := range all {
		if all[i].Parts = parts[all[i].Name]; all[i].Parts == (Parts{}) {
			all[i].Parts = Parts{"linear", takesAspiration, toDeadline, noMemory}
		}
	}
	return append(all, newFamilies()...)
}

// newFamilies returns the families that are no Tactics. Sources: [F] Faratin, Sierra and Jennings (1998); [B] Baarslag, Hindriks and
// Jonker, "Acceptance conditions in automated negotiation"; [E] Backus, Blake, Larsen and Tadelis, "Sequential Bargaining in the
// Field" (2020), of eBay's Best Offer; [L] Xia et al., "Measuring Bargaining Abilities of LLMs" (2024) and Zhu et al., "The Automated
// but Risky Game" (2025); [R] Rubinstein (1982); [Z] Zeng and Sycara (1998).
func newFamilies() []Tactic {
	linear := func(t *thread) int64 { return t.byTime(t.buyer.First, 1) }
	return []Tactic{
		{ // [F] with an extreme β: nearly no concession before the last offer
			Name:   "last-minute",
			aspire: func(t *thread) int64 { return t.byTime(t.buyer.First, .08) },
			Parts:  Parts{"late", takesAspiration, toDeadline, noMemory},
		},
		{ // [F] with β = 20: near V from the second offer
			Name:   "eager",
			aspire: func(t *thread) int64 { return t.byTime(t.buyer.First, 20) },
			Parts:  Parts{"early", takesAspiration, toDeadline, noMemory},
		},
		{ // [F] exponential: α = exp((1 − t)^β · ln κ), β = 1, κ = .1
			Name: "exponential",
			aspire: func(t *thread) int64 {
				return t.towards(math.Exp((1 - t.progress()) * math.Log(.1)))
			},
			Parts: Parts{"late", takesAspiration, toDeadline, noMemory},
		},
		{ // [F] resource-dependent: concedes as other shops drop out, each with probability .4 a round
			Name:    "dwindling",
			prepare: func(t *thread) { t.private[0] = float64(1 + t.random.IntN(4)) },
			aspire: func(t *thread) int64 {
				if t.round > 1 && t.private[0] > 0 && t.random.Float64() < .4 {
					t.private[0]--
				}
				return t.towards(.1 + .9*math.Exp(-t.private[0]))
			},
			Parts: Parts{"resources", takesAspiration, toDeadline, noMemory},
		},
		{ // [F] relative tit-for-tat: raises its offer by the share by which the seller lowered its price
			Name:   "proportional",
			aspire: (*thread).proportional,
			Parts:  Parts{"reactive", takesAspiration, toDeadline, noMemory},
		},
		{ // [F] averaged tit-for-tat over the last three prices
			Name:   "averaging",
			aspire: (*thread).averaging,
			Parts:  Parts{"reactive", takesAspiration, toDeadline, noMemory},
		},
		{ // [F] a weighted sum of a late, an even and a reactive tactic, with weights of its own
			Name: "mixed",
			prepare: func(t *thread) {
				a, b := t.random.Float64(), t.random.Float64()
				t.private = [2]float64{min(a, b), max(a, b)} // uniform on the simplex
			},
			aspire: func(t *thread) int64 {
				late, even := t.byTime(t.buyer.First, .3), linear(t)
				w := t.private
				return rounded(w[0]*float64(late) + (w[1]-w[0])*float64(even) + (1-w[1])*float64(t.titForTat()))
			},
			Parts: Parts{"mixed", takesAspiration, toDeadline, noMemory},
		},
		{ // [B] AC_const: takes any price of at most .92·V, and no other one, even at the end
			Name:    "target",
			prepare: func(t *thread) { t.most = min(t.most, rounded(.92*float64(t.buyer.Worth))) },
			aspire:  linear,
			accept:  func(t *thread) int64 { return t.most },
			Parts:   Parts{"linear", "target", toDeadline, noMemory},
		},
		{ // [B] AC_combi: from half time takes a price that is no worse than the next one that it expects
			Name:   "expecting",
			aspire: linear,
			accept: func(t *thread) int64 {
				if t.progress() < .5 || t.given*50 >= t.current { // the price still falls by more than 2 % a round
					return linear(t)
				}
				return t.current
			},
			Parts: Parts{"linear", "expectation", toDeadline, noMemory},
		},
		{ // [E] opens at a share of list, often half of it, rounded; up to three offers; likes the middle; leaves though it could pay
			Name:    "best-offer",
			rounds:  3,
			prepare: (*thread).openByList,
			aspire: func(t *thread) int64 {
				if t.round == 1 {
					return rounded(t.private[0] * float64(t.item.List))
				}
				return t.offer + (t.current-t.offer)/3
			},
			accept: (*thread).atMiddle,
			leaves: func(t *thread) bool { return t.random.Float64() < .15 },
			Parts:  Parts{"list", "middle", "walks away", noMemory},
		},
		{ // [L] opens at .60 to .85 of its budget, halves the distance to it each time, and offers it last
			Name:   "assistant",
			aspire: (*thread).halving,
			accept: func(t *thread) int64 { return rounded(1.02 * float64(t.halving())) },
			Parts:  Parts{"halving", "near", toDeadline, noMemory},
		},
		{ // [L] opens at a share of list, whatever its budget
			Name:    "list-assistant",
			prepare: func(t *thread) { t.private[0] = .60 + .25*t.random.Float64() },
			aspire: func(t *thread) int64 {
				if t.round == 1 {
					return rounded(t.private[0] * float64(t.item.List))
				}
				return t.halving()
			},
			Parts: Parts{"list", takesAspiration, toDeadline, noMemory},
		},
		{ // [L] an agreeable one: takes the first counter that it can pay
			Name:   "agreeable",
			aspire: linear,
			greedy: true,
			Parts:  Parts{"linear", "any", toDeadline, noMemory},
		},
		{ // [L] a weak model: stops at .95·V, and lets the deal go for the last small step
			Name:    "stubborn",
			prepare: func(t *thread) { t.most = min(t.most, rounded(.95*float64(t.buyer.Worth))) },
			aspire:  linear,
			Parts:   Parts{"linear", takesAspiration, "turn limit", noMemory},
		},
		{ // [R] waits while it expects a price that is worth waiting for: takes p if V − p ≥ δ·(V − the next price that it expects)
			Name:    "discounting",
			prepare: func(t *thread) { t.private[0] = .80 + .18*t.random.Float64() },
			aspire:  func(t *thread) int64 { return t.byTime(t.buyer.First, .3) },
			accept:  (*thread).acceptable,
			Parts:   Parts{"late", "discounting", toDeadline, noMemory},
		},
		{ // knows another shop's price, .80 to 1.10 of V, and pays no more here
			Name: "comparing",
			prepare: func(t *thread) {
				t.most = max(1, min(t.most, rounded((.80+.30*t.random.Float64())*float64(t.buyer.Worth))))
			},
			aspire: func(t *thread) int64 { return min(linear(t), t.most) },
			leaves: func(t *thread) bool { return t.given == 0 && t.random.Float64() < .5 },
			Parts:  Parts{"linear", takesAspiration, "outside option", noMemory},
		},
		{ // [Z] extrapolates the seller's steps to where they end, and offers that
			Name:   "learning",
			aspire: (*thread).extrapolated,
			Parts:  Parts{"learning", takesAspiration, toDeadline, noMemory},
		},
		{ // offers V at once, and repeats it
			Name:   "candid",
			aspire: func(t *thread) int64 { return t.buyer.Worth },
			Parts:  Parts{"firm", takesAspiration, toDeadline, noMemory},
		},
		{ // repeats an offer of .75 to 1 of V
			Name:    "resolute",
			prepare: func(t *thread) { t.private[0] = .75 + .25*t.random.Float64() },
			aspire:  func(t *thread) int64 { return rounded(t.private[0] * float64(t.buyer.Worth)) },
			Parts:   Parts{"firm", takesAspiration, toDeadline, noMemory},
		},
		{ // one offer, then takes the answer or leaves
			Name:   "one-shot",
			rounds: 1,
			aspire: func(t *thread) int64 { return t.buyer.First },
			Parts:  Parts{"firm", takesAspiration, "one round", noMemory},
		},
		{ // bought before: opens below the price of its last session, and pays no more than that before its last offer
			Name:   "returning",
			before: 1,
			aspire: func(t *thread) int64 { return t.fromLearnt(.95) },
			Parts:  Parts{"linear", takesAspiration, toDeadline, "own deals"},
		},
		{ // a coalition: others tried eight ways to bargain, and it repeats the cheapest
			Name:   "coalition",
			before: 8,
			aspire: func(t *thread) int64 { return t.fromLearnt(1) },
			Parts:  Parts{"probing", takesAspiration, toDeadline, "others' deals"},
		},
	}
}

// progress is how much of its time the buyer has used, from 0 to 1.
func (t *thread) progress() float64 { return float64(t.round-1) / float64(max(t.deadline-1, 1)) }

// towards returns the price that lies a share of the way from the first offer to V.
func (t *thread) towards(share float64) int64 {
	return t.buyer.First + rounded(share*float64(t.buyer.Worth-t.buyer.First))
}

// priceBefore returns the current price n rounds ago, at most the list price.
func (t *thread) priceBefore(n int) int64 {
	if i := t.round - 2 - n; i >= 0 {
		return t.prices[i]
	}
	return t.item.List
}

func (t *thread) proportional() int64 {
	if t.round == 1 {
		return t.buyer.First
	}
	return t.raised(float64(t.priceBefore(1)) / float64(t.current))
}

func (t *thread) averaging() int64 {
	if t.round == 1 {
		return t.buyer.First
	}
	return t.raised(float64(t.priceBefore(3)) / float64(t.current))
}

// raised returns the last offer times a factor, or, if the price did not fall, plus a tenth of the way from the first offer to V.
func (t *thread) raised(factor float64) int64 {
	if factor <= 1 {
		return t.offer + (t.buyer.Worth-t.buyer.First)/10
	}
	return rounded(factor * float64(t.offer))
}

// openByList draws the share of list at which the buyer opens: half of it in one of five cases, else .55 to .75 in steps of .05.
func (t *thread) openByList() {
	t.private[0] = .5
	if t.random.Float64() >= .2 {
		t.private[0] = .55 + .05*float64(t.random.IntN(5))
	}
}

// atMiddle is the middle between the buyer's last offer and the price before the current one.
func (t *thread) atMiddle() int64 {
	if t.round == 1 {
		return 0
	}
	return t.offer + (t.priceBefore(1)-t.offer)/2
}

// halving halves the distance to V with each offer. The last one is V.
func (t *thread) halving() int64 {
	switch t.round {
	case 1:
		return t.buyer.First
	case t.deadline:
		return t.buyer.Worth
	}
	return t.offer + (t.buyer.Worth-t.offer)/2
}

// acceptable is the highest price that the buyer takes rather than wait for the next one, if that falls as the last one did.
func (t *thread) acceptable() int64 {
	worth := float64(t.buyer.Worth)
	next := float64(t.current - t.given)
	return rounded(worth - t.private[0]*(worth-next))
}

// extrapolated returns where the seller's price ends if each step is to the one before as the last two were.
func (t *thread) extrapolated() int64 {
	if t.round < 3 {
		return t.buyer.First
	}
	last, before := float64(t.given), float64(t.priceBefore(2)-t.priceBefore(1))
	if t.round == t.deadline || last <= 0 || before <= last {
		return t.byTime(t.buyer.First, 1)
	}
	ratio := last / before
	return t.current - rounded(last*ratio/(1-ratio))
}

// fromLearnt opens at a share of the learnt price, rises to it, and offers V last.
func (t *thread) fromLearnt(share float64) int64 {
	switch {
	case t.learnt == 0 || t.learnt >= t.buyer.Worth:
		return t.byTime(t.buyer.First, 1)
	case t.round == t.deadline:
		return t.buyer.Worth
	}
	learnt := float64(t.learnt)
	return rounded(learnt * (share*.9 + (1-share*.9)*t.progress()))
}

// learnBefore runs sessions before the buyer's own, each with another way to bargain and a budget of V, and keeps the lowest price
// that one of them reached. It reports whether the buyer goes on.
func (r *Rules) learnBefore(t *thread, sessions int, out *Outcome) bool {
	for i := range sessions {
		other := Buyer{
			Worth:    t.buyer.Worth,
			First:    max(1, rounded((.55+.05*float64(i))*float64(t.buyer.Worth))),
			Deadline: 3 + i%4,
		}
		tactic := Tactic{aspire: func(t *thread) int64 { return t.byTime(t.buyer.First, []float64{1, .3, 3}[i%3]) }}
		rules := Rules{
			Seller: r.Seller,
			Item:   r.Item,
			Floor:  r.Floor,
		}
		o := rules.Haggle(0, other, tactic, t.random)
		if o.Lost || o.Broken != Kept {
			out.Lost, out.Broken = o.Lost, o.Broken
			return false
		}
		if o.Price > 0 && (t.learnt == 0 || o.Price < t.learnt) {
			t.learnt = o.Price
		}
	}
	return true
}

// Informed reports whether the buyers know what happened in other sessions.
func (t Tactic) Informed() bool { return t.Scouts || t.before > 0 }
