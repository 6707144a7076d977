package pricepath_test

import (
	"regexp"
	"strconv"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/haggle-commerce/haggle/adapters/console/pricepath"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/negotiation/negotiationtest"
)

func TestRules_everyRuleHasWords(t *testing.T) {
	t.Parallel()
	for _, rule := range negotiation.Rules() {
		for _, limits := range []bool{true, false} {
			d := record(newHistory(negotiationtest.Patient(), plain).say(150_00, nil).entry)
			d.Rule = rule.String()
			row := pricepath.Steps(mustPath(t, []pricepath.Decision{d}, pricepath.Options{Limits: limits}))[0]
			if !row.Known || row.Why == "" || row.Name == rule.String() {
				t.Errorf("the rule %s has no words (limits %t): %+v", rule, limits, row)
			}
		}
	}
}

func TestRules_unknownRule(t *testing.T) {
	t.Parallel()
	d := record(newHistory(negotiationtest.Patient(), plain).say(150_00, nil).entry)
	d.Rule = "moon_phase"
	row := pricepath.Steps(mustPath(t, []pricepath.Decision{d}, pricepath.Options{Limits: true}))[0]
	if row.Known || row.Name != "moon_phase" || row.Why != "" {
		t.Errorf("an unknown rule gives %+v", row)
	}
}

// fact is the pattern of a sentence, with a function that reports whether it is true. Amounts are in the order of the sentence.
type fact struct {
	sentence string // a regular expression; # is an amount
	holds    func(t round, said []int64, text []string) bool
}

func (t round) offer() int64    { return t.table.Offer.Minor() }
func (t round) best() int64     { return t.table.Progress.BestOffer.Minor() }
func (t round) counter() int64  { return t.table.Progress.Counter.Minor() }
func (t round) floor() int64    { return t.table.Bounds.Floor().Minor() }
func (t round) list() int64     { return t.table.Bounds.List().Minor() }
func (t round) price() int64    { return t.entry.Price.Minor() }
func (t round) proposed() int64 { return t.entry.Proposal.Minor() }
func (t round) accepted() bool  { return t.entry.Outcome == negotiation.OutcomeAccepted }
func (t round) moved() bool     { return t.table.Bounds.Moves(t.table.Progress.BestOffer, t.offer()) }

func (t round) priceBefore() int64 {
	if t.counter() > 0 {
		return t.counter()
	}
	return t.table.Bounds.Opening().Minor()
}

func (t round) weighs() bool {
	s := t.entry.Signals
	return s.Claims.Tier.String()+s.Member.Tier.String() != "" || s.Claims.Purchases+s.Member.Purchases > 0 || s.Quantity > 1
}

func none(ok func(round) bool) func(round, []int64, []string) bool {
	return func(t round, _ []int64, _ []string) bool { return ok(t) }
}

func one(ok func(round, int64) bool) func(round, []int64, []string) bool {
	return func(t round, said []int64, _ []string) bool { return ok(t, said[0]) }
}

func two(ok func(t round, a, b int64) bool) func(round, []int64, []string) bool {
	return func(t round, said []int64, _ []string) bool { return ok(t, said[0], said[1]) }
}

const atPercent = `(?: \(1% of list\)| \(1% of list, rounded down\)| \(the smallest amount\))`

var facts = []fact{
	{`The shop stands by the # that it had named`, one(func(t round, a int64) bool { return t.price() == a && t.counter() == a })},
	{`The shop starts # under list`, one(func(t round, a int64) bool {
		return t.counter() == 0 && t.list()-t.price() == a && t.price() == t.table.Bounds.Opening().Minor()
	})},
	{`No loyalty or volume to weigh, so the shop starts at list`, none(func(t round) bool { return !t.weighs() && t.price() == t.list() && t.counter() == 0 })},
	{`The shop starts at list`, none(func(t round) bool { return t.price() == t.list() && t.counter() == 0 })},
	{`It had .* to weigh`, none(round.weighs)},
	{`This product sells at list price`, none(func(t round) bool { return t.table.Bounds.Fixed() && t.price() == t.list() })},
	{`This product sells at list price now, but the shop keeps the # that it had named`, one(func(t round, a int64) bool {
		return t.table.Bounds.Fixed() && t.price() == a && t.counter() == a
	})},
	{`# under list`, one(func(t round, a int64) bool { return t.list()-t.offer() == a })},
	{`The buyer took a price that the shop had named`, none(func(t round) bool { return t.accepted() && t.offer() == t.counter() && t.price() == t.offer() })},
	{`The buyer offered # more than the price that the shop had named`, one(func(t round, a int64) bool {
		return t.accepted() && t.offer()-t.counter() == a && t.price() == t.offer()
	})},
	{`The buyer offered # more than the price that the shop had named, and pays no more than #`, two(func(t round, a, b int64) bool {
		return t.accepted() && t.offer()-t.counter() == a && t.price() == b && b < t.offer()
	})},
	{`# above list, so it is sold at list`, one(func(t round, a int64) bool { return t.accepted() && t.offer()-t.list() == a && t.price() == t.list() })},
	{`The buyer offers the list price`, none(func(t round) bool { return t.accepted() && t.offer() == t.list() })},
	{`At or above the target of #, which the shop accepts at once`, one(func(t round, a int64) bool {
		return t.accepted() && t.table.Bounds.Target().Minor() == a && t.offer() >= a
	})},
	{`# under the price that the shop would have started at, which is close enough in this round`, one(func(t round, a int64) bool {
		return t.accepted() && t.counter() == 0 && t.priceBefore()-t.offer() == a
	})},
	{`# under the shop’s price, which is close enough in this round`, one(func(t round, a int64) bool { return t.accepted() && t.counter()-t.offer() == a })},
	{`The first offer that counts, so the shop came down #(?: from list| from its opening price)?`, one(func(t round, a int64) bool {
		return t.best() == 0 && t.priceBefore()-t.price() == a && a > 0
	})},
	{`The first offer that counts`, none(func(t round) bool { return t.best() == 0 && t.moved() })},
	{`The shop’s price is #`, one(func(t round, a int64) bool { return t.price() == a })},
	{`Up # since the last step that counted, so the shop came down #`, two(func(t round, a, b int64) bool {
		return t.moved() && t.best() > 0 && t.offer()-t.best() == a && t.priceBefore()-t.price() == b && b > 0
	})},
	{`Up # since the last step that counted`, one(func(t round, a int64) bool { return t.moved() && t.best() > 0 && t.offer()-t.best() == a })},
	{`The shop’s price stays as it was`, none(func(t round) bool { return t.price() == t.priceBefore() })},
	{`Up #`, one(func(t round, a int64) bool { return !t.moved() && t.offer()-t.best() == a && a > 0 })},
	{`Down #`, one(func(t round, a int64) bool { return !t.moved() && t.best()-t.offer() == a && a > 0 })},
	{`The same offer again`, none(func(t round) bool { return t.offer() == t.best() })},
	{`A step counts from #` + atPercent + `, so the price holds`, one(func(t round, a int64) bool {
		b, last := t.table.Bounds, t.table.Progress.BestOffer
		return t.price() == t.priceBefore() && b.Moves(last, t.best()+a) && !b.Moves(last, t.best()+a-1)
	})},
	{`(\d+) rounds? went before and no more are left, so the price is final`, func(t round, _ []int64, text []string) bool {
		return strconv.Itoa(t.table.Progress.Rounds) == text[0] && t.table.Progress.Rounds >= t.table.Terms.RoundCap && t.price() == t.priceBefore()
	}},
	{`Too many prices were tried out(?: \(.*\))?, so the price holds`, none(func(t round) bool { return t.table.Terms.Firm && t.price() == t.priceBefore() })},
	{`# under the floor, declined`, one(func(t round, a int64) bool {
		return t.entry.Outcome == negotiation.OutcomeRejected && t.floor()-t.offer() == a && a > 0
	})},
	{`The shop’s price holds`, none(func(t round) bool { return t.price() == t.counter() })},
	{`The shop names #`, one(func(t round, a int64) bool { return t.price() == a && t.counter() == 0 })},
	{`For this first offer the shop names ([\d.]+)% above it`, func(t round, _ []int64, text []string) bool {
		share, err := money.ParseDecimal(text[0], 1)
		up, _ := money.MulDiv(t.offer(), 1000+share, 1000, money.Up)
		return err == nil && up == t.price() && t.table.Progress.Rounds+t.table.Progress.Moves == 0
	}},
	{`For this first offer the shop came down #(?: from list| from its opening price)?`, one(func(t round, a int64) bool {
		return t.table.Progress.Rounds+t.table.Progress.Moves == 0 && t.priceBefore()-t.price() == a
	})},
	{`The shop came down #(?: from list| from its opening price)?`, one(func(t round, a int64) bool { return t.priceBefore()-t.price() == a && a > 0 })},
	{`The remote handler accepted the offer`, none(func(t round) bool { return t.accepted() && t.price() == t.offer() })},
	{`The remote handler accepted the offer, at #`, one(func(t round, a int64) bool { return t.accepted() && t.price() == a && a < t.offer() })},
	{`The remote handler proposed #, which the rules made #`, two(func(t round, a, b int64) bool { return t.proposed() == a && t.price() == b && a != b })},
	{`The remote handler named #, which the rules allow`, one(func(t round, a int64) bool { return t.proposed() == a && t.price() == a })},
	{`The remote handler had proposed #, and the rules decided`, one(func(t round, a int64) bool {
		return t.proposed() == a && t.price() != a && t.answer == negotiation.Decide(t.table)
	})},
}

var amount = regexp.MustCompile(`⟦(-?\d+)⟧`)

// compiled are the facts' expressions, with a group for each amount.
var compiled = func() []*regexp.Regexp {
	out := make([]*regexp.Regexp, len(facts))
	for i, f := range facts {
		out[i] = regexp.MustCompile("^" + strings.ReplaceAll(f.sentence, "#", `⟦-?\d+⟧`) + "$")
	}
	return out
}()

// check finds the fact that a sentence states. It returns the fact's index, or −1 if it is unknown, and whether it is true.
func check(of round, sentence string) (which int, so bool) {
	for i, e := range compiled {
		m := e.FindStringSubmatch(sentence)
		if m == nil {
			continue
		}
		var said []int64
		for _, a := range amount.FindAllStringSubmatch(sentence, -1) {
			n, _ := strconv.ParseInt(a[1], 10, 64)
			said = append(said, n)
		}
		return i, facts[i].holds(of, said, m[1:])
	}
	return -1, false
}

// judge checks every sentence about a history, and counts rules and facts.
func judge(t rapid.TB, h *history, seen map[string]int) {
	t.Helper()
	p, err := pricepath.New(h.decisions(), pricepath.Options{
		Currency: h.signals.List.Currency(),
		Limits:   true,
		Format:   pricepath.Format{Money: tagged},
	})
	if err != nil {
		t.Fatal(err)
	}
	for i, row := range pricepath.Steps(p) {
		seen[row.Rule]++
		for sentence := range strings.SplitSeq(strings.TrimSuffix(row.Why, "."), ". ") {
			which, so := check(h.rounds[i], sentence)
			if which < 0 {
				t.Fatalf("%s: no fact is known for %q", row.Rule, sentence)
			}
			if !so {
				t.Fatalf("%s: %q is not so: %+v", row.Rule, sentence, h.rounds[i].entry)
			}
			seen[facts[which].sentence]++
		}
	}
}

// Every sentence is true for the decision that it explains.
func TestSteps_sentencesAreTrue(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		for range 5 {
			judge(t, histories().Draw(t, "history"), map[string]int{})
		}
	})
}

// The random histories of TestSteps_sentencesAreTrue have every rule and every sentence.
func TestSteps_everyRuleAndSentenceOccurs(t *testing.T) {
	t.Parallel()
	seen := map[string]int{}
	for seed := range 3000 {
		judge(t, histories().Example(seed), seen)
	}
	for _, rule := range negotiation.Rules() {
		if seen[rule.String()] == 0 {
			t.Errorf("no history has the rule %s", rule)
		}
	}
	for _, f := range facts {
		if seen[f.sentence] == 0 {
			t.Errorf("no history has the sentence %s", f.sentence)
		}
	}
}
