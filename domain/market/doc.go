// Package market defines the rules of a simulated market: populations of buyers who hide what they would pay, the tactics
// with which they bargain, the promises that a seller must keep, and the seller's score compared with a posted list
// price, the best posted price, and a seller who knows every buyer. It knows a seller only as something that answers
// offers (Seller), and a buyer sees only these answers. Randomness is an argument (Random): the same numbers give the
// same negotiation. Package app/simulating runs many of them.
//
// # Units
//
// Prices are whole minor units (cents). A buyer's reservation price V, the most it would pay, is drawn as a share of
// the list price and rounded to the minor unit; results are shares of the list price again. Margin is price − cost,
// and 0 for a buyer who does not buy; "per buyer" is over all buyers, whether they bought or not.
//
// # Buyers
//
// A buyer has a deadline of D offers, a first offer F (a share of V) and a tactic, which gives the price it would pay
// in each round n from 1 to D: its aspiration. It offers that, never above V nor above list. The current price is the list
// price at the start, then that of the latest counter, or the price that a rejection names: a buyer who offers the
// current price gets it, and it never rises. Before its next offer a buyer accepts the current price if
// that is at or below the aspiration, and after its last one if it is at or below V; else it leaves. An answer
// that says it is final makes any round the last.
//
// The time-dependent tactics are those of Faratin, Sierra and Jennings, "Negotiation decision functions for
// autonomous agents" (1998), with the polynomial decision function. With t = n−1 and tmax = D−1:
//
//	offer(n) = F + α(t)·(V − F),   α(t) = k + (1 − k)·(min(t, tmax) / tmax)^(1/β),   k = 0
//
//	boulware  β = 0.3   concedes late
//	linear    β = 1
//	conceder  β = 3     concedes early
//
// For example with V = 90.00, F = 63.00 and D = 5, in round 3, t/tmax = 0.5: boulware α = 0.5^(1/0.3) = 0.0992 and
// the offer is 65.68; linear α = 0.5, 76.50; conceder α = 0.5^(1/3) = 0.7937, 84.43. All three offer 63.00 in round 1
// and 90.00 in round 5.
//
// The others, with c(n) the current price after round n and c(0) the list price:
//
//	hardliner    offers 0.9·V, always (Habits.Firm)
//	tit-for-tat  offer(n) = offer(n−1) + c(n−2) − c(n−1): concedes as much as the seller did;
//	             (V − F)/10 after a rejection that did not change the current price
//	anchorer     linear, from V/2 instead of F
//	prober       bisects between its highest rejected and its lowest countered offer to find the floor, whatever the
//	             current price is, and offers the lowest countered one last (V if all were rejected)
//	random       uniform from F to V, drawn in every round
//	impatient    has two rounds: F, then V; and accepts any counter at or below V
//	cross-session  offers one minor unit in a separate session to learn the hint H, then offers H/1.11 in a new one, accepts H
//	             if that is the counter, else rises from H to V; scouting is one of its D offers
//	splitter     meets the current price halfway: offer(n) = offer(n−1) + (c(n−1) − offer(n−1))/2, up to V
//
// A rejection may have a hint: the lowest offer that is negotiated. Buyers ignore it, as their formulas do, unless
// Rules.Heed makes them as sensible as a shopping agent would be: one whose V is below the hint accepts the
// current price if it can, or leaves, and the others offer at least the hint. The prober never uses hints.
//
// # Families and settings
//
// Families returns these buyers and 22 more, written from the literature: the comment of each names its source and formula.
// A family is made of parts: how it bids, which prices it takes instead of its next offer, when it leaves, and what it knows from
// other sessions. Settings returns goods of 8 to 2,000 units with costs of 30 to 85 %, discounts of 10 to 35 % and quantities of
// one and more. The built-in policy was chosen by its worst-case regret over both: see app/simulating.ChooseCurve.
//
// Some families pay less than V: the target buyer .92·V, the stubborn one .95·V, and the comparing one what another shop asks,
// which is .80 to 1.10 of V. They would pay no higher posted price either, so they are compared with posted prices for what they
// would pay. A returning buyer has bargained in one session before, and a coalition in eight, each in another way. Both know the
// lowest price that was reached.
package market
