package porttest

import (
	"cmp"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
	"github.com/haggle-commerce/haggle/ports"
)

// Decisions is the contract of ports.Decisions and ports.Sealer. Sealing is of all projects, so each test has a
// database of its own.
func Decisions(t *testing.T, open Open) {
	for name, test := range map[string]func(*shop){
		"decisions are listed newest first":            decisionList,
		"a filter narrows":                             decisionFilter,
		"negotiations are whole, the newest first":     decisionTalks,
		"a reader that fails ends the reading":         decisionTalksFail,
		"a chain begins empty":                         decisionNone,
		"decisions are sealed in order, once":          decisionSeal,
		"a limit is kept, and no project left behind":  decisionSealLimit,
		"sixteen sealers make one chain":               decisionSealRace,
		"decisions of a deleted project go with it":    decisionProjectDelete,
		"a sealed decision tells its link when listed": decisionLinks,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, open(t)))
		})
	}
}

// say stores an answer of an agent's at a time.
func (s *shop) say(r ports.HaggleResult, of id.Agent, at time.Time) negotiation.Entry {
	s.t.Helper()
	r.Entry.Agent, r.Entry.At, r.Entry.Handler = of, at, "haggle"
	s.must(s.Haggling.Save(s.ctx, r))
	return r.Entry
}

func (s *shop) decisions(f ports.DecisionFilter, page ports.Page) ([]negotiation.Entry, int) {
	s.t.Helper()
	list, total, err := s.Decisions.Decisions(s.ctx, s.project.ID, f, page)
	s.must(err)
	entries := []negotiation.Entry{}
	for _, d := range list {
		entries = append(entries, d.Entry)
	}
	return entries, total
}

// record stores n decisions, in sessions of one and of two, and returns them in the order of the chain.
func (s *shop) record(n int) (entries []negotiation.Entry) {
	s.t.Helper()
	p := s.product(5)
	var in *session.Session
	for i := range n {
		if i%3 != 1 {
			in = s.session()
		}
		r := s.answer(in, p, 1, pointer(usd(int64(70_00+i))))
		entries = append(entries, s.say(r, s.active().ID, noon.Add(time.Duration(i/4)*time.Second)))
	}
	slices.SortFunc(entries, inChain)
	return entries
}

func inChain(a, b negotiation.Entry) int {
	return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.Session.String(), b.Session.String()), cmp.Compare(a.Seq, b.Seq))
}

func reversed(entries []negotiation.Entry) []negotiation.Entry {
	list := slices.Clone(entries)
	slices.Reverse(list)
	return list
}

func decisionList(s *shop) {
	openShop(s.t, s.Stores).record(3)
	want := reversed(s.record(7))
	for _, page := range []ports.Page{{Limit: 10}, {Limit: 3}, {Limit: 3, Offset: 5}, {Limit: 3, Offset: 7}} {
		got, total := s.decisions(ports.DecisionFilter{}, page)
		same(s.t, "page", got, part(want, page))
		same(s.t, "total", total, 7)
	}
	list, _, err := s.Decisions.Decisions(s.ctx, s.project.ID, ports.DecisionFilter{}, ports.Page{Limit: 1})
	s.must(err)
	same(s.t, "not sealed yet", list, []ports.Decided{{Entry: want[0]}})
}

func decisionFilter(s *shop) {
	p, other := s.product(5), s.product(5)
	one, two, sess := s.active().ID, s.draft().ID, s.session()
	first := s.answer(sess, p, 1, pointer(usd(1)))
	low := s.say(first, one, noon)
	asked := s.say(s.answer(s.session(), other, 1, nil), one, noon.Add(time.Second))
	deal := s.say(s.answer(sess, p, 1, pointer(usd(99_00))), two, noon.Add(2*time.Second))
	all := []negotiation.Entry{deal, asked, low}
	for _, c := range []struct {
		f    ports.DecisionFilter
		want []negotiation.Entry
	}{
		{ports.DecisionFilter{}, all},
		{ports.DecisionFilter{Agent: one}, []negotiation.Entry{asked, low}},
		{ports.DecisionFilter{Agent: random[id.Agent]()}, []negotiation.Entry{}},
		{ports.DecisionFilter{Session: sess.ID}, []negotiation.Entry{deal, low}},
		{ports.DecisionFilter{Quote: low.Quote}, []negotiation.Entry{low}},
		{ports.DecisionFilter{Quote: random[id.Quote]()}, []negotiation.Entry{}},
		{ports.DecisionFilter{Product: other.ID}, []negotiation.Entry{asked}},
		{ports.DecisionFilter{Response: "accept"}, []negotiation.Entry{deal}},
		{ports.DecisionFilter{Rule: "below_floor"}, []negotiation.Entry{low}},
		{ports.DecisionFilter{From: asked.At}, []negotiation.Entry{deal, asked}},
		{ports.DecisionFilter{From: asked.At, To: deal.At}, []negotiation.Entry{asked}},
		{ports.DecisionFilter{Agent: one, Session: sess.ID, Product: p.ID, Quote: low.Quote, To: deal.At}, []negotiation.Entry{low}},
	} {
		got, total := s.decisions(c.f, ports.Page{Limit: 10})
		same(s.t, "filtered", got, c.want)
		same(s.t, "total", total, len(c.want))
	}
	foreign := openShop(s.t, s.Stores)
	if got, total := foreign.decisions(ports.DecisionFilter{Session: sess.ID}, ports.Page{Limit: 1}); total != 0 || len(got) != 0 {
		s.t.Errorf("another project reads %v", got)
	}
}

// talks reads negotiations that began within an hour from noon.
func (s *shop) talks(of id.Agent, limit int) (talks []ports.Negotiation) {
	s.t.Helper()
	s.must(s.Decisions.Negotiations(s.ctx, s.project.ID, of, noon, noon.Add(time.Hour), limit, func(n ports.Negotiation) error {
		talks = append(talks, n)
		return nil
	}))
	return talks
}

func decisionTalks(s *shop) {
	foreign := openShop(s.t, s.Stores)
	foreign.say(foreign.answer(foreign.session(), foreign.product(1), 1, nil), id.Agent{}, noon)
	p, other, one, two := s.product(5), s.product(5), s.active().ID, s.draft().ID
	at := func(seconds int) time.Time { return noon.Add(time.Duration(seconds) * time.Second) }
	offer := func(minor int64) *money.Amount { return pointer(usd(minor)) }
	mixed := s.session()
	early := s.say(s.answer(mixed, p, 1, offer(70_00)), one, at(0))
	aside := s.say(s.answer(mixed, other, 1, offer(70_00)), one, at(1))
	more := s.say(s.answer(mixed, p, 2, offer(70_00)), one, at(2))
	again := s.say(s.answer(mixed, p, 1, offer(71_00)), two, at(4000))
	s.say(s.answer(s.session(), p, 1, nil), one, at(-1))
	s.say(s.answer(s.session(), p, 1, nil), one, at(3600))
	buyer := s.session()
	deal := s.answer(buyer, p, 1, offer(99_00))
	sold := s.say(deal, two, at(3))
	s.pay(s.checkout(buyer, agreedLine(p, deal.Quote)))

	all := []ports.Negotiation{
		{Entries: []negotiation.Entry{sold}, Bought: true},
		{Entries: []negotiation.Entry{more}},
		{Entries: []negotiation.Entry{aside}},
		{Entries: []negotiation.Entry{early, again}},
	}
	same(s.t, "negotiations", s.talks(id.Agent{}, 10), all)
	same(s.t, "the newest two", s.talks(id.Agent{}, 2), all[:2])
	same(s.t, "of one agent", s.talks(one, 10), all[1:])
	same(s.t, "of the other", s.talks(two, 10), all[:1])
	same(s.t, "none", s.talks(id.Agent{}, 0), []ports.Negotiation(nil))
}

func decisionTalksFail(s *shop) {
	s.record(3)
	calls := 0
	err := s.Decisions.Negotiations(s.ctx, s.project.ID, id.Agent{}, noon, noon.Add(time.Hour), 10, func(ports.Negotiation) error {
		calls++
		return errPlain
	})
	same(s.t, "error", err, errPlain)
	same(s.t, "calls", calls, 1)
}

func (s *shop) head() ports.ChainHead {
	s.t.Helper()
	head, err := s.Decisions.Head(s.ctx, s.project.ID)
	s.must(err)
	return head
}

// chain checks that the project's chain holds the entries, in order, and nothing else.
func (s *shop) chain(want []negotiation.Entry) []ports.Decided {
	s.t.Helper()
	sealed, err := s.Decisions.Sealed(s.ctx, s.project.ID, 1, len(want)+1)
	s.must(err)
	if len(sealed) != len(want) {
		s.t.Fatalf("%d are sealed, want %d", len(sealed), len(want))
	}
	links := make([]negotiation.Link, len(sealed))
	for i, d := range sealed {
		same(s.t, "sealed", d.Entry, want[i])
		links[i] = negotiation.Link(d)
	}
	end, broken := negotiation.VerifyChain(negotiation.ChainEnd{}, links)
	head := s.head()
	if broken != 0 || end != (negotiation.ChainEnd{Position: head.Position, Hash: head.Hash}) {
		s.t.Errorf("the chain breaks at %d, ends at %v, and its head is %v", broken, end, head)
	}
	return sealed
}

func decisionNone(s *shop) {
	same(s.t, "head", s.head(), ports.ChainHead{})
	s.chain(nil)
	n, err := s.Sealer.Seal(s.ctx, 10)
	s.must(err)
	same(s.t, "sealed", n, 0)
	_, err = s.Decisions.Head(s.ctx, random[id.Project]())
	wantFault(s.t, err, fault.NotFound, "project_not_found")
}

func decisionSeal(s *shop) {
	first := s.record(7)
	same(s.t, "head", s.head(), ports.ChainHead{Unsealed: 7})
	for _, want := range []int{7, 0} {
		n, err := s.Sealer.Seal(s.ctx, 100)
		s.must(err)
		same(s.t, "sealed", n, want)
	}
	sealed := s.chain(first)
	second := s.record(4) // they come later, though they may be of the same time
	n, err := s.Sealer.Seal(s.ctx, 100)
	s.must(err)
	same(s.t, "sealed", n, 4)
	all := s.chain(slices.Concat(first, second))
	same(s.t, "links of the first", all[:7], sealed)
	from, err := s.Decisions.Sealed(s.ctx, s.project.ID, 4, 3)
	s.must(err)
	same(s.t, "from the fourth", from, all[3:6])
	from, err = s.Decisions.Sealed(s.ctx, s.project.ID, 12, 3)
	s.must(err)
	same(s.t, "after the last", len(from), 0)
	openShop(s.t, s.Stores).chain(nil)
}

func decisionSealLimit(s *shop) {
	other := openShop(s.t, s.Stores)
	mine, theirs := s.record(5), other.record(3)
	for _, want := range []int{3, 3, 2} {
		n, err := s.Sealer.Seal(s.ctx, 3)
		s.must(err)
		same(s.t, "sealed", n, want)
	}
	s.chain(mine)
	other.chain(theirs)
}

func decisionSealRace(s *shop) {
	other := openShop(s.t, s.Stores)
	mine, theirs := s.record(40), other.record(9)
	s.must(atOnce(racers, func(int) error {
		for s.head().Unsealed > 0 || other.head().Unsealed > 0 {
			if _, err := s.Sealer.Seal(s.ctx, 7); err != nil {
				return err
			}
		}
		return nil
	}))
	s.chain(mine)
	other.chain(theirs)
}

func decisionProjectDelete(s *shop) {
	s.record(3)
	_, err := s.Sealer.Seal(s.ctx, 2)
	s.must(err)
	s.deleteProject()
	s.must(s.Projects.Create(s.ctx, s.project))
	same(s.t, "head", s.head(), ports.ChainHead{})
	_, total := s.decisions(ports.DecisionFilter{}, ports.Page{Limit: 1})
	same(s.t, "decisions", total, 0)
}

func decisionLinks(s *shop) {
	want := s.record(3)
	_, err := s.Sealer.Seal(s.ctx, 100)
	s.must(err)
	sealed := s.chain(want)
	slices.Reverse(sealed)
	list, _, err := s.Decisions.Decisions(s.ctx, s.project.ID, ports.DecisionFilter{}, ports.Page{Limit: 10})
	s.must(err)
	same(s.t, "listed", list, sealed)
}
