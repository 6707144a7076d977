package porttest

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/ports"
)

// SandboxLedger is the contract of ports.SandboxLedger.
func SandboxLedger(t *testing.T, open Open) {
	stores := open(t)
	for name, test := range map[string]func(*shop){
		"the first charge of a key stays":     sandboxOnce,
		"a void key has no amount":            sandboxVoid,
		"of racing charges one is stored":     sandboxRace,
		"failures are counted by key":         sandboxFailures,
		"racing failures are all counted":     sandboxFailureRace,
		"projects share no keys":              sandboxForeign,
		"failures are no charge of their key": sandboxApart,
		"a refund is given once":              sandboxRefundOnce,
		"no more is given back than was paid": sandboxRefundBound,
		"racing refunds stay within a charge": sandboxRefundRace,
		"only what was paid is given back":    sandboxRefundUnpaid,
		"movements are listed by key":         sandboxMovements,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(openShop(t, stores))
		})
	}
}

func sandboxCharge(key string) ports.SandboxCharge {
	return ports.SandboxCharge{
		Key: key, Amount: usd(12_34), Method: "psp_spt", TokenHash: hash("token"), Result: "paid",
		ID: random[id.Payment]().String(), At: noon.Add(5 * time.Millisecond),
	}
}

func (s *shop) once(c ports.SandboxCharge) ports.SandboxCharge {
	s.t.Helper()
	stored, err := s.Sandbox.Once(s.ctx, s.project.ID, c)
	s.must(err)
	return stored
}

func sandboxOnce(s *shop) {
	first := sandboxCharge("key")
	same(s.t, "stored", s.once(first), first)
	second := sandboxCharge("key")
	second.Result, second.Amount = "void", usd(1)
	same(s.t, "stored under the same key", s.once(second), first)
	second.Key = "other key"
	same(s.t, "stored under another key", s.once(second), second)
}

func sandboxVoid(s *shop) {
	void := ports.SandboxCharge{Key: "key", Result: "void", At: noon}
	same(s.t, "stored", s.once(void), void)
	same(s.t, "charged later", s.once(sandboxCharge("key")), void)
}

func sandboxRace(s *shop) {
	var stored [racers]ports.SandboxCharge
	s.race("", func(i int) (err error) {
		stored[i], err = s.Sandbox.Once(s.ctx, s.project.ID, sandboxCharge("key"))
		return err
	})
	for _, c := range stored {
		same(s.t, "charge", c, s.once(sandboxCharge("key")))
	}
}

func (s *shop) failure(key string) int {
	s.t.Helper()
	n, err := s.Sandbox.Failure(s.ctx, s.project.ID, key)
	s.must(err)
	return n
}

func sandboxFailures(s *shop) {
	got := []int{s.failure("a"), s.failure("a"), s.failure("b"), s.failure("a")}
	same(s.t, "failures", got, []int{1, 2, 1, 3})
}

func sandboxFailureRace(s *shop) {
	var mu sync.Mutex
	var counts, want []int
	s.race("", func(i int) error {
		n, err := s.Sandbox.Failure(s.ctx, s.project.ID, "key")
		mu.Lock()
		defer mu.Unlock()
		counts, want = append(counts, n), append(want, len(want)+1)
		return err
	})
	slices.Sort(counts)
	same(s.t, "counts", counts, want)
}

func sandboxForeign(s *shop) {
	foreign := openShop(s.t, s.Stores)
	s.once(sandboxCharge("key"))
	s.failure("key")
	theirs := sandboxCharge("key")
	same(s.t, "charge", foreign.once(theirs), theirs)
	same(s.t, "failures", foreign.failure("key"), 1)
}

func sandboxApart(s *shop) {
	s.failure("key")
	c := sandboxCharge("key")
	same(s.t, "charge after a failure", s.once(c), c)
	same(s.t, "failures after a charge", s.failure("key"), 2)
}

func sandboxRefund(key string, of ports.SandboxCharge, amount int64) ports.SandboxRefund {
	return ports.SandboxRefund{
		Key: key, ID: "re_" + key, Charge: of.ID, Amount: usd(amount), At: noon.Add(7 * time.Millisecond),
	}
}

func (s *shop) refund(r ports.SandboxRefund) (ports.SandboxRefund, bool) {
	s.t.Helper()
	stored, ok, err := s.Sandbox.Refund(s.ctx, s.project.ID, r)
	s.must(err)
	return stored, ok
}

func (s *shop) refunded(r, want ports.SandboxRefund) {
	s.t.Helper()
	stored, ok := s.refund(r)
	same(s.t, "stored", stored, want)
	same(s.t, "is stored", ok, true)
}

func (s *shop) notRefunded(r ports.SandboxRefund) {
	s.t.Helper()
	if stored, ok := s.refund(r); ok {
		s.t.Errorf("refunded %v", stored)
	}
}

func sandboxRefundOnce(s *shop) {
	c := s.once(sandboxCharge("key"))
	first := sandboxRefund("back", c, 10_00)
	s.refunded(first, first)
	again := first
	again.ID, again.Amount = "re_other", usd(1)
	s.refunded(again, first)
	rest := sandboxRefund("rest", c, 2_34)
	s.refunded(rest, rest)
	s.refunded(again, first) // also when nothing is left
}

func sandboxRefundBound(s *shop) {
	c := s.once(sandboxCharge("key"))
	s.notRefunded(sandboxRefund("all and more", c, 12_35))
	part := sandboxRefund("part", c, 12_00)
	s.refunded(part, part)
	s.notRefunded(sandboxRefund("rest and more", c, 35))
	other := sandboxRefund("other money", c, 1)
	eur, err := money.ParseCurrency("EUR")
	s.must(err)
	other.Amount = money.Of(1, eur)
	s.notRefunded(other)
}

func sandboxRefundRace(s *shop) {
	c := s.once(sandboxCharge("key"))
	var given [racers]bool
	s.race("", func(i int) (err error) {
		_, given[i], err = s.Sandbox.Refund(s.ctx, s.project.ID, sandboxRefund(string(rune('a'+i)), c, 4_00))
		return err
	})
	times := 0
	for _, ok := range given {
		if ok {
			times++
		}
	}
	same(s.t, "refunds of 4.00 of 12.34", times, 3)
}

func sandboxRefundUnpaid(s *shop) {
	declined := sandboxCharge("declined")
	declined.Result = "insufficient_funds"
	s.notRefunded(sandboxRefund("of declined", s.once(declined), 1))
	s.notRefunded(sandboxRefund("of nothing", sandboxCharge("never stored"), 1))
	foreign := openShop(s.t, s.Stores)
	s.notRefunded(sandboxRefund("of theirs", foreign.once(sandboxCharge("key")), 1))
}

func sandboxMovements(s *shop) {
	charge := func(key string, at time.Time) ports.SandboxCharge {
		c := sandboxCharge(key)
		c.At = at
		return s.once(c)
	}
	charge("early", noon.Add(-time.Millisecond))
	first := charge("first", noon)
	second := charge("second", noon.Add(time.Second))
	charge("late", noon.Add(time.Minute))
	declined := sandboxCharge("declined")
	declined.Result = "expired_card"
	s.once(declined)
	s.once(ports.SandboxCharge{Key: "void", Result: "void", At: noon})
	back := sandboxRefund("given", first, 3_00)
	s.refunded(back, back)
	openShop(s.t, s.Stores).once(sandboxCharge("foreign"))

	list := func(after string, limit int) []ports.Movement {
		found, err := s.Sandbox.Movements(s.ctx, s.project.ID, noon, noon.Add(time.Minute), after, limit)
		s.must(err)
		return found
	}
	want := []ports.Movement{
		{Provider: first.ID, Key: "first", Amount: first.Amount, At: first.At},
		{Refund: true, Provider: back.ID, Key: "given", Amount: back.Amount, At: back.At},
		{Provider: second.ID, Key: "second", Amount: second.Amount, At: second.At},
	}
	same(s.t, "all", list("", 100), want)
	same(s.t, "the first two", list("", 2), want[:2])
	same(s.t, "what follows them", list("given", 2), want[2:])
}
