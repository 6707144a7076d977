package negotiation

import (
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/session"
)

// Identify sets what the buyer claims and what the shop knows of it, unless the rules turn personal signals off in the
// buyer's region. It returns the region: that of the claimed location, or else home.
func (s *Signals) Identify(said session.Claims, rules personalization.Rules, home string) (region string) {
	region, counted := regionOf(said, rules, home)
	if counted {
		s.Claims, s.Member = ClaimsOf(said), MemberOf(said.Member)
	}
	return region
}

// regionOf returns the buyer's region, and whether personal signals count there.
func regionOf(said session.Claims, rules personalization.Rules, home string) (region string, counted bool) {
	if region = checkout.Locate(said.Location, home); region == "" {
		region = home
	}
	mode, _ := rules.In(region)
	return region, mode != personalization.Off
}

// Given returns the session as agents see it: without the buyer's claims and membership if they do not count in its region.
func Given(s *session.Session, rules personalization.Rules, home string) *session.Session {
	if s == nil {
		return nil
	}
	if _, counted := regionOf(s.Claims, rules, home); counted {
		return s
	}
	given := *s
	given.Claims = session.Claims{}
	return &given
}

// personal returns the personal signals that are not zero. The count of a client's sessions is one only if it exceeds a
// limit of the policy.
func (s Signals) personal(p Probing) (found personalization.Signals) {
	for _, one := range []struct {
		present bool
		signal  personalization.Signals
	}{
		{s.Claims.Tier != Tier{}, personalization.ClaimedLoyalty},
		{s.Claims.Purchases > 0, personalization.ClaimedPurchases},
		{s.Claims.Urgency != Urgency{}, personalization.ClaimedUrgency},
		{s.Member.Tier != Tier{}, personalization.VerifiedLoyalty},
		{s.Member.Purchases > 0, personalization.VerifiedPurchases},
		{p.over(s.Probed) && !p.over(Probed{Session: s.Probed.Session}), personalization.ProbingLimit},
	} {
		if one.present {
			found = found.And(one.signal)
		}
	}
	return found
}

// without returns the signals as they are without some personal ones.
func (s Signals) without(some personalization.Signals) Signals {
	if some.Has(personalization.ClaimedLoyalty) {
		s.Claims.Tier = Tier{}
	}
	if some.Has(personalization.ClaimedPurchases) {
		s.Claims.Purchases = 0
	}
	if some.Has(personalization.ClaimedUrgency) {
		s.Claims.Urgency = Urgency{}
	}
	if some.Has(personalization.VerifiedLoyalty) {
		s.Member.Tier = Tier{}
	}
	if some.Has(personalization.VerifiedPurchases) {
		s.Member.Purchases = 0
	}
	if some.Has(personalization.ProbingLimit) {
		s.Probed.Client, s.Probed.Product = 0, 0
	}
	return s
}

// moved returns the personal signals without which the result would be another one. If none of them changes it alone,
// because each is enough to reach the limit on claims, it returns those that would change it if there were no others, or else all.
func moved[T comparable](p Policy, s Signals, result func(Signals) T) (used personalization.Signals) {
	present, is := s.personal(p.Probing), result(s)
	for _, one := range personalization.Each() {
		if present.Has(one) && result(s.without(one)) != is {
			used = used.And(one)
		}
	}
	none := result(s.without(present))
	if used.Any() || none == is {
		return used
	}
	for _, one := range personalization.Each() {
		if present.Has(one) && result(s.without(present.Without(one))) != none {
			used = used.And(one)
		}
	}
	if !used.Any() {
		return present // only several together change it
	}
	return used
}

// movedBounds returns the personal signals that moved the bounds.
func movedBounds(p Policy, s Signals) (none personalization.Signals) {
	if !s.personal(p.Probing).Any() {
		return none // before the closure, which allocates
	}
	return boundsMovedBy(p, s)
}

func boundsMovedBy(p Policy, s Signals) personalization.Signals {
	return moved(p, s, func(s Signals) Bounds { return Bound(p, s) })
}

// answered is what a buyer learns from a decision.
type answered struct {
	outcome Outcome
	price   money.Amount
	final   bool // no further offer lowers the price
}

// MovedAnswer returns the personal signals that moved the policy's decision on a table. The bounds and progress of the
// table are given: what moved them was found when they were made.
func MovedAnswer(p Policy, s Signals, t Table) (none personalization.Signals) {
	if !s.personal(p.Probing).Any() {
		return none
	}
	return answerMovedBy(p, s, t)
}

func answerMovedBy(p Policy, s Signals, t Table) personalization.Signals {
	return moved(p, s, func(s Signals) answered {
		t, of := t, p.Terms(s)
		t.Terms.Lean, t.Terms.Firm = of.Lean, of.Firm
		d := Decide(t)
		return answered{d.Outcome(), *PriceIn(d), d.Outcome() != OutcomeAccepted && t.exhausted()}
	})
}

// MovedByAgent returns the personal signals that may have moved the price of an agent that decides by its own rules:
// all that it was given, unless the guardrails leave it no choice. A client's count is not given to it.
// The agent reads claims as they were said, also those that the policy does not know.
func MovedByAgent(said session.Claims, t Table) (used personalization.Signals) {
	if t.Settled() {
		return used
	}
	for _, one := range []struct {
		present bool
		signal  personalization.Signals
	}{
		{said.LoyaltyTier != "", personalization.ClaimedLoyalty},
		{said.PurchaseHistory > 0, personalization.ClaimedPurchases},
		{said.Urgency != "", personalization.ClaimedUrgency},
		{said.Member.Tier != "", personalization.VerifiedLoyalty},
		{said.Member.Purchases > 0, personalization.VerifiedPurchases},
	} {
		if one.present {
			used = used.And(one.signal)
		}
	}
	return used
}

// Personalize records that personal signals moved the current answer, in the region that the buyer is in. A later
// answer of the negotiation follows from it, so they stay recorded.
func (q *Quote) Personalize(used personalization.Signals, region string) {
	q.s.Personal.Signals = q.s.Personal.Signals.And(used)
	if q.s.Personal.Signals.Any() {
		q.s.Personal.Region = region
	}
}

// Personalized returns how personal signals took part in the price at which a covered variant is charged: neither in a
// bundle's price nor in a current list price below the agreed one.
func (q *Quote) Personalized(variant id.Variant, charged money.Amount) personalization.Use {
	if q.s.Item.Variant != variant || charged != q.s.FinalPrice {
		return personalization.Use{}
	}
	return q.s.Personal
}
