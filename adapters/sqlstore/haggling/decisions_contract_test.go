package haggling_test

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
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Decisions is the contract of ports.Decisions and ports.Sealer. Sealing is of all projects, so each test has a
// database of its own.
func Decisions(t *testing.T, open porttest.Open) {
	for name, test := range map[string]func(*porttest.Shop){
		"decisions are listed newest first":            decisionList,
		"a filter narrows":                             decisionFilter,
		"negotiations are whole, the newest first":     decisionTalks,
		"negotiations are counted by product":          decisionHaggled,
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
			test(porttest.OpenShop(t, open(t)))
		})
	}
}

// say stores an answer of an agent's at a time.
func say(s *porttest.Shop, r ports.HaggleResult, of id.Agent, at time.Time) negotiation.Entry {
	s.T.Helper()
	r.Entry.Agent, r.Entry.At, r.Entry.Handler = of, at, "haggle"
	s.Must(s.Haggling.Save(s.Ctx, r))
	return r.Entry
}

func decisions(s *porttest.Shop, f ports.DecisionFilter, page ports.Page) ([]negotiation.Entry, int) {
	s.T.Helper()
	list, total, err := s.Decisions.Decisions(s.Ctx, s.Project.ID, f, page)
	s.Must(err)
	entries := []negotiation.Entry{}
	for _, d := range list {
		entries = append(entries, d.Entry)
	}
	return entries, total
}

// record stores n decisions, in sessions of one and of two, and returns them in the order of the chain.
func record(s *porttest.Shop, n int) (entries []negotiation.Entry) {
	s.T.Helper()
	p := s.Product(5)
	var in *session.Session
	for i := range n {
		if i%3 != 1 {
			in = s.Session()
		}
		r := s.Answer(in, p, 1, porttest.Pointer(porttest.USD(int64(70_00+i))))
		entries = append(entries, say(s, r, s.ActiveAgent().ID, porttest.Noon.Add(time.Duration(i/4)*time.Second)))
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

func decisionList(s *porttest.Shop) {
	record(porttest.OpenShop(s.T, s.Stores), 3)
	want := reversed(record(s, 7))
	for _, page := range []ports.Page{{Limit: 10}, {Limit: 3}, {Limit: 3, Offset: 5}, {Limit: 3, Offset: 7}} {
		got, total := decisions(s, ports.DecisionFilter{}, page)
		porttest.Same(s.T, "page", got, porttest.Part(want, page))
		porttest.Same(s.T, "total", total, 7)
	}
	list, _, err := s.Decisions.Decisions(s.Ctx, s.Project.ID, ports.DecisionFilter{}, ports.Page{Limit: 1})
	s.Must(err)
	porttest.Same(s.T, "not sealed yet", list, []negotiation.Link{{Entry: want[0]}})
}

func decisionFilter(s *porttest.Shop) {
	p, other := s.Product(5), s.Product(5)
	one, two, sess := s.ActiveAgent().ID, s.Draft().ID, s.Session()
	first := s.Answer(sess, p, 1, porttest.Pointer(porttest.USD(1)))
	low := say(s, first, one, porttest.Noon)
	asked := say(s, s.Answer(s.Session(), other, 1, nil), one, porttest.Noon.Add(time.Second))
	deal := say(s, s.Answer(sess, p, 1, porttest.Pointer(porttest.USD(99_00))), two, porttest.Noon.Add(2*time.Second))
	all := []negotiation.Entry{deal, asked, low}
	for _, c := range []struct {
		f    ports.DecisionFilter
		want []negotiation.Entry
	}{
		{ports.DecisionFilter{}, all},
		{ports.DecisionFilter{Agent: one}, []negotiation.Entry{asked, low}},
		{ports.DecisionFilter{Agent: porttest.Random[id.Agent]()}, []negotiation.Entry{}},
		{ports.DecisionFilter{Session: sess.ID}, []negotiation.Entry{deal, low}},
		{ports.DecisionFilter{Quote: low.Quote}, []negotiation.Entry{low}},
		{ports.DecisionFilter{Quote: porttest.Random[id.Quote]()}, []negotiation.Entry{}},
		{ports.DecisionFilter{Product: other.ID}, []negotiation.Entry{asked}},
		{ports.DecisionFilter{Outcome: negotiation.OutcomeAccepted}, []negotiation.Entry{deal}},
		{ports.DecisionFilter{Rule: negotiation.BelowFloor}, []negotiation.Entry{low}},
		{ports.DecisionFilter{From: asked.At}, []negotiation.Entry{deal, asked}},
		{ports.DecisionFilter{From: asked.At, To: deal.At}, []negotiation.Entry{asked}},
		{ports.DecisionFilter{
			Agent:   one,
			Session: sess.ID,
			Product: p.ID,
			Quote:   low.Quote,
			To:      deal.At,
		}, []negotiation.Entry{low}},
	} {
		got, total := decisions(s, c.f, ports.Page{Limit: 10})
		porttest.Same(s.T, "filtered", got, c.want)
		porttest.Same(s.T, "total", total, len(c.want))
	}
	foreign := porttest.OpenShop(s.T, s.Stores)
	if got, total := decisions(foreign, ports.DecisionFilter{Session: sess.ID}, ports.Page{Limit: 1}); total != 0 || len(got) != 0 {
		s.T.Errorf("another project reads %v", got)
	}
}

// readNegotiations reads negotiations that began within an hour from noon.
func readNegotiations(s *porttest.Shop, of id.Agent, limit int, sessions ...id.Negotiation) (found []ports.Negotiation) {
	s.T.Helper()
	f := ports.NegotiationFilter{
		Agent:    of,
		From:     porttest.Noon,
		To:       porttest.Noon.Add(time.Hour),
		Sessions: sessions,
	}
	s.Must(s.Decisions.Negotiations(s.Ctx, s.Project.ID, f, limit, func(n ports.Negotiation) error {
		found = append(found, n)
		return nil
	}))
	return found
}

func decisionTalks(s *porttest.Shop) {
	foreign := porttest.OpenShop(s.T, s.Stores)
	say(foreign, foreign.Answer(foreign.Session(), foreign.Product(1), 1, nil), id.Agent{}, porttest.Noon)
	p, other, one, two := s.Product(5), s.Product(5), s.ActiveAgent().ID, s.Draft().ID
	at := func(seconds int) time.Time { return porttest.Noon.Add(time.Duration(seconds) * time.Second) }
	offer := func(minor int64) *money.Amount { return porttest.Pointer(porttest.USD(minor)) }
	mixed := s.Session()
	early := say(s, s.Answer(mixed, p, 1, offer(70_00)), one, at(0))
	aside := say(s, s.Answer(mixed, other, 1, offer(70_00)), one, at(1))
	more := say(s, s.Answer(mixed, p, 2, offer(70_00)), one, at(2))
	again := say(s, s.Answer(mixed, p, 1, offer(71_00)), two, at(4000))
	say(s, s.Answer(s.Session(), p, 1, nil), one, at(-1))
	say(s, s.Answer(s.Session(), p, 1, nil), one, at(3600))
	buyer := s.Session()
	deal := s.Answer(buyer, p, 1, offer(99_00))
	sold := say(s, deal, two, at(3))
	s.Pay(s.Checkout(buyer, porttest.AgreedLine(p, deal.Quote)))

	all := []ports.Negotiation{
		{Entries: []negotiation.Entry{sold}, Bought: true},
		{Entries: []negotiation.Entry{more}},
		{Entries: []negotiation.Entry{aside}},
		{Entries: []negotiation.Entry{early, again}},
	}
	porttest.Same(s.T, "negotiations", readNegotiations(s, id.Agent{}, 10), all)
	porttest.Same(s.T, "the newest two", readNegotiations(s, id.Agent{}, 2), all[:2])
	porttest.Same(s.T, "of one agent", readNegotiations(s, one, 10), all[1:])
	porttest.Same(s.T, "of the other", readNegotiations(s, two, 10), all[:1])
	porttest.Same(s.T, "none", readNegotiations(s, id.Agent{}, 0), []ports.Negotiation(nil))

	named, unknown := id.NegotiationOf(mixed.ID), porttest.Random[id.Negotiation]()
	porttest.Same(s.T, "of a session", readNegotiations(s, id.Agent{}, 10, named, unknown), all[1:])
	porttest.Same(s.T, "of a session, the newest", readNegotiations(s, id.Agent{}, 1, named), all[1:2])
	porttest.Same(s.T, "of two sessions", readNegotiations(s, id.Agent{}, 10, id.NegotiationOf(buyer.ID), named, named), all)
	porttest.Same(s.T, "of an unknown session", readNegotiations(s, id.Agent{}, 10, unknown), []ports.Negotiation(nil))
	porttest.Same(s.T, "of another project's", readNegotiations(foreign, id.Agent{}, 10, named), []ports.Negotiation(nil))
}

// Negotiations of a product are counted once for each session.
func decisionHaggled(s *porttest.Shop) {
	foreign := porttest.OpenShop(s.T, s.Stores)
	say(foreign, foreign.Answer(foreign.Session(), foreign.Product(1), 1, nil), id.Agent{}, porttest.Noon)
	most, some, none := s.Product(5), s.Product(5), s.Product(5)
	for n := range 3 {
		buyer := s.Session()
		for range 2 {
			say(s, s.Answer(buyer, most, 1, porttest.Pointer(porttest.USD(70_00))), id.Agent{}, porttest.Noon.Add(time.Duration(n)*time.Minute))
		}
		say(s, s.Answer(buyer, most, 2, nil), id.Agent{}, porttest.Noon)
	}
	say(s, s.Answer(s.Session(), some, 1, nil), id.Agent{}, porttest.Noon)
	say(s, s.Answer(s.Session(), some, 1, nil), id.Agent{}, porttest.Noon.Add(-time.Second))
	three, one := ports.HaggledProduct{Product: most.ID, Negotiations: 3}, ports.HaggledProduct{Product: some.ID, Negotiations: 1}
	for name, c := range map[string]struct {
		of    []id.Product
		limit int
		want  []ports.HaggledProduct
	}{
		"all":         {nil, 10, []ports.HaggledProduct{three, one}},
		"the first":   {nil, 1, []ports.HaggledProduct{three}},
		"some":        {[]id.Product{some.ID, none.ID}, 10, []ports.HaggledProduct{one}},
		"never asked": {[]id.Product{none.ID}, 10, []ports.HaggledProduct{}},
	} {
		got, err := s.Decisions.Haggled(s.Ctx, s.Project.ID, porttest.Noon, c.of, c.limit)
		s.Must(err)
		if len(got) != len(c.want) {
			s.T.Errorf("%s: %+v, want %+v", name, got, c.want)
			continue
		}
		for i := range got {
			porttest.Same(s.T, name, got[i], c.want[i])
		}
	}
}

func decisionTalksFail(s *porttest.Shop) {
	record(s, 3)
	calls := 0
	err := s.Decisions.Negotiations(s.Ctx, s.Project.ID, ports.NegotiationFilter{From: porttest.Noon, To: porttest.Noon.Add(time.Hour)}, 10, func(ports.Negotiation) error {
		calls++
		return porttest.ErrPlain
	})
	porttest.Same(s.T, "error", err, porttest.ErrPlain)
	porttest.Same(s.T, "calls", calls, 1)
}

func head(s *porttest.Shop) ports.ChainHead {
	s.T.Helper()
	head, err := s.Decisions.Head(s.Ctx, s.Project.ID)
	s.Must(err)
	return head
}

// chain checks that the project's chain holds the entries, in order, and nothing else.
func chain(s *porttest.Shop, want []negotiation.Entry) []negotiation.Link {
	s.T.Helper()
	sealed, err := s.Decisions.Sealed(s.Ctx, s.Project.ID, 1, len(want)+1)
	s.Must(err)
	if len(sealed) != len(want) {
		s.T.Fatalf("%d are sealed, want %d", len(sealed), len(want))
	}
	links := make([]negotiation.Link, len(sealed))
	for i, d := range sealed {
		porttest.Same(s.T, "sealed", d.Entry, want[i])
		links[i] = d
	}
	end, broken := negotiation.VerifyChain(negotiation.ChainEnd{}, links)
	head := head(s)
	if broken != 0 || end != (negotiation.ChainEnd{Position: head.Position, Hash: head.Hash}) {
		s.T.Errorf("the chain breaks at %d, ends at %v, and its head is %v", broken, end, head)
	}
	return sealed
}

func decisionNone(s *porttest.Shop) {
	porttest.Same(s.T, "head", head(s), ports.ChainHead{})
	chain(s, nil)
	n, err := s.Sealer.Seal(s.Ctx, 10)
	s.Must(err)
	porttest.Same(s.T, "sealed", n, 0)
	_, err = s.Decisions.Head(s.Ctx, porttest.Random[id.Project]())
	porttest.WantFault(s.T, err, fault.NotFound, "project_not_found")
}

func decisionSeal(s *porttest.Shop) {
	first := record(s, 7)
	porttest.Same(s.T, "head", head(s), ports.ChainHead{Unsealed: 7})
	for _, want := range []int{7, 0} {
		n, err := s.Sealer.Seal(s.Ctx, 100)
		s.Must(err)
		porttest.Same(s.T, "sealed", n, want)
	}
	sealed := chain(s, first)
	second := record(s, 4) // they come later, though they may be of the same time
	n, err := s.Sealer.Seal(s.Ctx, 100)
	s.Must(err)
	porttest.Same(s.T, "sealed", n, 4)
	all := chain(s, slices.Concat(first, second))
	porttest.Same(s.T, "links of the first", all[:7], sealed)
	from, err := s.Decisions.Sealed(s.Ctx, s.Project.ID, 4, 3)
	s.Must(err)
	porttest.Same(s.T, "from the fourth", from, all[3:6])
	from, err = s.Decisions.Sealed(s.Ctx, s.Project.ID, 12, 3)
	s.Must(err)
	porttest.Same(s.T, "after the last", len(from), 0)
	chain(porttest.OpenShop(s.T, s.Stores), nil)
}

func decisionSealLimit(s *porttest.Shop) {
	other := porttest.OpenShop(s.T, s.Stores)
	mine, theirs := record(s, 5), record(other, 3)
	for _, want := range []int{3, 3, 2} {
		n, err := s.Sealer.Seal(s.Ctx, 3)
		s.Must(err)
		porttest.Same(s.T, "sealed", n, want)
	}
	chain(s, mine)
	chain(other, theirs)
}

func decisionSealRace(s *porttest.Shop) {
	other := porttest.OpenShop(s.T, s.Stores)
	mine, theirs := record(s, 40), record(other, 9)
	s.Must(porttest.AtOnce(porttest.Racers, func(int) error {
		for head(s).Unsealed > 0 || head(other).Unsealed > 0 {
			if _, err := s.Sealer.Seal(s.Ctx, 7); err != nil {
				return err
			}
		}
		return nil
	}))
	chain(s, mine)
	chain(other, theirs)
}

func decisionProjectDelete(s *porttest.Shop) {
	record(s, 3)
	_, err := s.Sealer.Seal(s.Ctx, 2)
	s.Must(err)
	s.DeleteProject()
	s.Must(s.Projects.Create(s.Ctx, s.Project))
	porttest.Same(s.T, "head", head(s), ports.ChainHead{})
	_, total := decisions(s, ports.DecisionFilter{}, ports.Page{Limit: 1})
	porttest.Same(s.T, "decisions", total, 0)
}

func decisionLinks(s *porttest.Shop) {
	want := record(s, 3)
	_, err := s.Sealer.Seal(s.Ctx, 100)
	s.Must(err)
	sealed := chain(s, want)
	slices.Reverse(sealed)
	list, _, err := s.Decisions.Decisions(s.Ctx, s.Project.ID, ports.DecisionFilter{}, ports.Page{Limit: 10})
	s.Must(err)
	porttest.Same(s.T, "listed", list, sealed)
}
