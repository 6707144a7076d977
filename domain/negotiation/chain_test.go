package negotiation_test

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/session"
)

var euro = func() money.Currency {
	c, err := money.ParseCurrency("EUR")
	if err != nil {
		panic(err)
	}
	return c
}()

func euros(minor int64) money.Amount { return money.Of(minor, euro) }

func someEuros(minor int64) *money.Amount {
	a := euros(minor)
	return &a
}

// recorded returns an entry with a value in every field but Fallback and CartAtList.
func recorded(seq int) negotiation.Entry {
	return negotiation.Entry{
		ID:      id.Stored[id.Decision](fmt.Sprint("dec_", seq)),
		Project: id.Stored[id.Project]("proj_1"),
		Session: id.Stored[id.Session]("sess_1"),
		Seq:     seq,
		Quote:   id.Stored[id.Quote]("quote_1"),
		Item: negotiation.Item{
			Session:  id.Stored[id.Session]("sess_1"),
			Product:  id.Stored[id.Product]("prod_1"),
			Variant:  id.Stored[id.Variant]("var_1"),
			Quantity: 2,
		},
		At:            time.UnixMilli(1_700_000_000_123).UTC(),
		Offer:         someEuros(80_00),
		Outcome:       negotiation.OutcomeCountered,
		Price:         someEuros(91_00),
		Rule:          negotiation.Concession,
		PolicyVersion: 3,
		Bounds:        negotiation.RehydrateBounds(euros(100_00), euros(99_00), euros(95_00), euros(85_00)),
		Before: negotiation.Progress{
			Rounds:    1,
			Moves:     2,
			BestOffer: euros(79_00),
			Counter:   euros(92_00),
		},
		Signals: negotiation.Signals{
			List:       euros(100_00),
			Cost:       someEuros(50_00),
			Competitor: someEuros(97_00),
			Negotiable: true,
			Quantity:   2,
			CartValue:  euros(12_00),
			Stock:      9,
			Claims: negotiation.ClaimsOf(session.Claims{
				LoyaltyTier:     "gold",
				PurchaseHistory: 4,
				Urgency:         "flexible",
			}),
			Member:   negotiation.MemberOf(session.Member{Tier: "silver", Purchases: 3}),
			Category: "outdoor/tents",
			Probed: negotiation.Probed{
				Session: 1,
				Client:  5,
				Product: 6,
			},
		},
		Message:  "bitte, Ægir",
		Agent:    id.Stored[id.Agent]("agent_1"),
		Handler:  "haggle",
		Proposal: someEuros(90_00),
		Client:   "abc",
	}
}

// alterations change one field each. There is one for every field.
var alterations = []func(*negotiation.Entry){
	func(e *negotiation.Entry) { e.ID = id.Stored[id.Decision]("dec_x") },
	func(e *negotiation.Entry) { e.Project = id.Stored[id.Project]("proj_x") },
	func(e *negotiation.Entry) { e.Session = id.Stored[id.Session]("sess_x") },
	func(e *negotiation.Entry) { e.Seq++ },
	func(e *negotiation.Entry) { e.Quote = id.Stored[id.Quote]("quote_x") },
	func(e *negotiation.Entry) { e.Item.Session = id.Stored[id.Session]("sess_x") },
	func(e *negotiation.Entry) { e.Item.Product = id.Stored[id.Product]("prod_x") },
	func(e *negotiation.Entry) { e.Item.Variant = id.Stored[id.Variant]("var_x") },
	func(e *negotiation.Entry) { e.Item.Quantity++ },
	func(e *negotiation.Entry) { e.At = e.At.Add(time.Millisecond) },
	func(e *negotiation.Entry) { e.Offer = nil },
	func(e *negotiation.Entry) { e.Outcome = negotiation.OutcomeAccepted },
	func(e *negotiation.Entry) { e.Price = someEuros(90_99) },
	func(e *negotiation.Entry) { e.Rule = negotiation.AtAsk },
	func(e *negotiation.Entry) { e.PolicyVersion++ },
	func(e *negotiation.Entry) { e.Bounds = altered(e, func(b []money.Amount) { b[0] = euros(100_01) }) },
	func(e *negotiation.Entry) { e.Bounds = altered(e, func(b []money.Amount) { b[1] = euros(99_01) }) },
	func(e *negotiation.Entry) { e.Bounds = altered(e, func(b []money.Amount) { b[2] = euros(95_01) }) },
	func(e *negotiation.Entry) { e.Bounds = altered(e, func(b []money.Amount) { b[3] = euros(85_01) }) },
	func(e *negotiation.Entry) { e.Before.Rounds++ },
	func(e *negotiation.Entry) { e.Before.Moves++ },
	func(e *negotiation.Entry) { e.Before.BestOffer = money.Amount{} },
	func(e *negotiation.Entry) { e.Before.Counter = money.Of(92_00, money.USD) },
	func(e *negotiation.Entry) { e.Signals.List = euros(1) },
	func(e *negotiation.Entry) { e.Signals.Cost = nil },
	func(e *negotiation.Entry) { e.Signals.Competitor = someEuros(0) },
	func(e *negotiation.Entry) { e.Signals.Negotiable = false },
	func(e *negotiation.Entry) { e.Signals.Quantity++ },
	func(e *negotiation.Entry) { e.Signals.CartValue = euros(0) },
	func(e *negotiation.Entry) { e.Signals.CartAtList = euros(7_00) },
	func(e *negotiation.Entry) { e.Signals.Stock = -9 },
	func(e *negotiation.Entry) {
		e.Signals.Claims.Tier = negotiation.ClaimsOf(session.Claims{LoyaltyTier: "bronze"}).Tier
	},
	func(e *negotiation.Entry) { e.Signals.Claims.Purchases++ },
	func(e *negotiation.Entry) {
		e.Signals.Claims.Urgency = negotiation.ClaimsOf(session.Claims{Urgency: "urgent"}).Urgency
	},
	func(e *negotiation.Entry) {
		e.Signals.Member.Tier = negotiation.MemberOf(session.Member{Tier: "platinum"}).Tier
	},
	func(e *negotiation.Entry) { e.Signals.Member.Purchases++ },
	func(e *negotiation.Entry) { e.Signals.Category = "outdoor" },
	func(e *negotiation.Entry) { e.Signals.Probed.Session++ },
	func(e *negotiation.Entry) { e.Signals.Probed.Client++ },
	func(e *negotiation.Entry) { e.Signals.Probed.Product++ },
	func(e *negotiation.Entry) { e.Message += "\x00" },
	func(e *negotiation.Entry) { e.Agent = id.Agent{} },
	func(e *negotiation.Entry) { e.Handler = "remote" },
	func(e *negotiation.Entry) { e.Fallback = "agent_timeout" },
	func(e *negotiation.Entry) { e.Proposal = nil },
	func(e *negotiation.Entry) { e.Client = "" },
}

func altered(e *negotiation.Entry, change func([]money.Amount)) negotiation.Bounds {
	b := []money.Amount{e.Bounds.List(), e.Bounds.Opening(), e.Bounds.Target(), e.Bounds.Floor()}
	change(b)
	return negotiation.RehydrateBounds(b[0], b[1], b[2], b[3])
}

// fields returns the number of values in a type, counting an amount, an ID or a time as one.
func fields(t reflect.Type) (n int) {
	if t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	known := t == reflect.TypeFor[money.Amount]() || t == reflect.TypeFor[time.Time]() || t.NumMethod() > 0 && t.PkgPath() == reflect.TypeFor[id.Quote]().PkgPath()
	if t.Kind() != reflect.Struct || known {
		return 1
	}
	for i := range t.NumField() {
		n += fields(t.Field(i).Type)
	}
	return n
}

func TestAppendCanonical_everyField(t *testing.T) {
	t.Parallel()
	if n := fields(reflect.TypeFor[negotiation.Entry]()); n != len(alterations) {
		t.Errorf("an entry has %d fields, and %d are altered here: a field that is new belongs into the canonical form", n, len(alterations))
	}
	forms := map[string]int{canonical(recorded(1)): -1}
	for i, alter := range alterations {
		e := recorded(1)
		alter(&e)
		form := canonical(e)
		if other, same := forms[form]; same {
			t.Errorf("alterations %d and %d have one canonical form", i, other)
		}
		forms[form] = i
	}
}

// canonical returns an entry's canonical form in version 2, including its personal data.
func canonical(e negotiation.Entry) string {
	return string(e.AppendCanonical(nil, negotiation.ChainEnd{}.Seal(e, "salt").Personal))
}

// The hashes of version 1 were computed by another program from the description of the form.
func TestAppendCanonical_neverChanges(t *testing.T) {
	t.Parallel()
	prior := ""
	for i, want := range []string{"2c7399208f8e2e9b5751a1e01a536937165e2a843572407ebfa15be626b34fa2", "85955474947605f6d57f0b57a14de33c50063a7144a9c9a5022fbb75044e2ddb"} {
		sum := sha256.Sum256(recorded(i+1).AppendCanonical(append(binary.BigEndian.AppendUint64(nil, uint64(len(prior))), prior...), ""))
		if prior = hex.EncodeToString(sum[:]); prior != want {
			t.Errorf("link %d of the first form has hash %s", i+1, prior)
		}
	}
	links, _ := sealed(2)
	for i, want := range []string{"fbc0b191bf6356a4e0bb52b40a9859227a2e60319460186a3e2fe7ad39d2c19e", "414e748eb417de8b8fc6d5a978c91a75294bbaca87d2bf8bd89370d4aec1b57d"} {
		if got := links[i]; got.Hash != want || got.Position != int64(i+1) {
			t.Errorf("link %d has position %d and hash %s", i+1, got.Position, got.Hash)
		}
	}
}

func sealed(n int) (links []negotiation.Link, end negotiation.ChainEnd) {
	for i := range n {
		l := end.Seal(recorded(i+1), "salt")
		links, end = append(links, l), negotiation.ChainEnd{Position: l.Position, Hash: l.Hash}
	}
	return links, end
}

// erase removes the personal data from a link.
func erase(l *negotiation.Link) { l.Message, l.Client, l.Salt, l.Erased = "", "", "", true }

func TestVerifyChain(t *testing.T) {
	t.Parallel()
	whole, end := sealed(9)
	for name, c := range map[string]struct {
		tamper func([]negotiation.Link) []negotiation.Link
		broken int64
	}{
		"nothing": {func(l []negotiation.Link) []negotiation.Link { return l }, 0},
		"a field": {func(l []negotiation.Link) []negotiation.Link { l[4].Message = "no"; return l }, 5},
		"a field, and resealed": {func(l []negotiation.Link) []negotiation.Link {
			l[4].Message = "no"
			l[4] = negotiation.ChainEnd{Position: 4, Hash: l[3].Hash}.Seal(l[4].Entry, "salt")
			return l
		}, 6},
		"a hash":     {func(l []negotiation.Link) []negotiation.Link { l[0].Hash = l[1].Hash; return l }, 1},
		"a prior":    {func(l []negotiation.Link) []negotiation.Link { l[8].Prior = ""; return l }, 9},
		"a position": {func(l []negotiation.Link) []negotiation.Link { l[8].Position = 12; return l }, 9},
		"one gone":   {func(l []negotiation.Link) []negotiation.Link { return slices.Delete(l, 3, 4) }, 4},
		"two entries swapped": {func(l []negotiation.Link) []negotiation.Link {
			l[2].Entry, l[6].Entry = l[6].Entry, l[2].Entry
			return l
		}, 3},
		"two links swapped":  {func(l []negotiation.Link) []negotiation.Link { l[2], l[6] = l[6], l[2]; return l }, 3},
		"one more between":   {func(l []negotiation.Link) []negotiation.Link { return slices.Insert(l, 5, l[4]) }, 6},
		"the first one gone": {func(l []negotiation.Link) []negotiation.Link { return l[1:] }, 1},
		"erased":             {func(l []negotiation.Link) []negotiation.Link { erase(&l[4]); return l }, 0},
		"erased, and changed": {func(l []negotiation.Link) []negotiation.Link {
			erase(&l[4])
			l[4].Price = someEuros(1)
			return l
		}, 5},
		"erased, with a pseudonym": {func(l []negotiation.Link) []negotiation.Link {
			erase(&l[4])
			l[4].Client = negotiation.Pseudonym(nil, "c")
			return l
		}, 0},
		"erased, and a client":          {func(l []negotiation.Link) []negotiation.Link { erase(&l[4]); l[4].Client = "c"; return l }, 5},
		"erased, and another message":   {func(l []negotiation.Link) []negotiation.Link { erase(&l[4]); l[4].Message = "no"; return l }, 5},
		"erased, and of the first form": {func(l []negotiation.Link) []negotiation.Link { erase(&l[4]); l[4].Personal = ""; return l }, 5},
		"a salt":                        {func(l []negotiation.Link) []negotiation.Link { l[4].Salt = "pepper"; return l }, 5},
	} {
		to, broken := negotiation.VerifyChain(negotiation.ChainEnd{}, c.tamper(slices.Clone(whole)))
		if broken != c.broken || broken == 0 && to != end || broken > 0 && to.Position != broken-1 {
			t.Errorf("%s: the chain leads to %v and breaks at %d, want %d", name, to, broken, c.broken)
		}
	}
	to, broken := negotiation.VerifyChain(negotiation.ChainEnd{}, whole[:8])
	if broken != 0 || to == end {
		t.Errorf("a chain without its last link leads to %v, breaks at %d", to, broken)
	}
	middle, _ := negotiation.VerifyChain(negotiation.ChainEnd{}, whole[:4])
	if to, broken := negotiation.VerifyChain(middle, whole[4:]); broken != 0 || to != end {
		t.Errorf("in two parts, it leads to %v and breaks at %d", to, broken)
	}
}
