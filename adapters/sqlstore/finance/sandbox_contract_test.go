package finance_test

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// SandboxLedger is the contract of ports.SandboxLedger.
func SandboxLedger(t *testing.T, open porttest.Open) {
	stores := open(t)
	for name, test := range map[string]func(*porttest.Shop){
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
		"a charge is disputed once":           sandboxDisputed,
		"a dispute is decided once":           sandboxDecided,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(porttest.OpenShop(t, stores))
		})
	}
}

func sandboxCharge(key string) ports.SandboxCharge {
	return ports.SandboxCharge{
		Key:       key,
		Amount:    porttest.USD(12_34),
		Method:    project.SharedPaymentToken,
		TokenHash: porttest.Hash("token"),
		Result:    "paid",
		ID:        porttest.Random[id.Payment]().String(),
		At:        porttest.Noon.Add(5 * time.Millisecond),
	}
}

func once(s *porttest.Shop, c ports.SandboxCharge) ports.SandboxCharge {
	s.T.Helper()
	stored, err := s.Sandbox.Once(s.Ctx, s.Project.ID, c)
	s.Must(err)
	return stored
}

func sandboxOnce(s *porttest.Shop) {
	first := sandboxCharge("key")
	porttest.Same(s.T, "stored", once(s, first), first)
	second := sandboxCharge("key")
	second.Result, second.Amount = "void", porttest.USD(1)
	porttest.Same(s.T, "stored under the same key", once(s, second), first)
	second.Key = "other key"
	porttest.Same(s.T, "stored under another key", once(s, second), second)
}

func sandboxVoid(s *porttest.Shop) {
	void := ports.SandboxCharge{
		Key:    "key",
		Result: "void",
		At:     porttest.Noon,
	}
	porttest.Same(s.T, "stored", once(s, void), void)
	porttest.Same(s.T, "charged later", once(s, sandboxCharge("key")), void)
}

func sandboxRace(s *porttest.Shop) {
	var stored [porttest.Racers]ports.SandboxCharge
	s.Race("", func(i int) (err error) {
		stored[i], err = s.Sandbox.Once(s.Ctx, s.Project.ID, sandboxCharge("key"))
		return err
	})
	for _, c := range stored {
		porttest.Same(s.T, "charge", c, once(s, sandboxCharge("key")))
	}
}

func failure(s *porttest.Shop, key string) int {
	s.T.Helper()
	n, err := s.Sandbox.Failure(s.Ctx, s.Project.ID, key)
	s.Must(err)
	return n
}

func sandboxFailures(s *porttest.Shop) {
	got := []int{failure(s, "a"), failure(s, "a"), failure(s, "b"), failure(s, "a")}
	porttest.Same(s.T, "failures", got, []int{1, 2, 1, 3})
}

func sandboxFailureRace(s *porttest.Shop) {
	var mu sync.Mutex
	var counts, want []int
	s.Race("", func(i int) error {
		n, err := s.Sandbox.Failure(s.Ctx, s.Project.ID, "key")
		mu.Lock()
		defer mu.Unlock()
		counts, want = append(counts, n), append(want, len(want)+1)
		return err
	})
	slices.Sort(counts)
	porttest.Same(s.T, "counts", counts, want)
}

func sandboxForeign(s *porttest.Shop) {
	foreign := porttest.OpenShop(s.T, s.Stores)
	once(s, sandboxCharge("key"))
	failure(s, "key")
	theirs := sandboxCharge("key")
	porttest.Same(s.T, "charge", once(foreign, theirs), theirs)
	porttest.Same(s.T, "failures", failure(foreign, "key"), 1)
}

func sandboxApart(s *porttest.Shop) {
	failure(s, "key")
	c := sandboxCharge("key")
	porttest.Same(s.T, "charge after a failure", once(s, c), c)
	porttest.Same(s.T, "failures after a charge", failure(s, "key"), 2)
}

func sandboxRefund(key string, of ports.SandboxCharge, amount int64) ports.SandboxRefund {
	return ports.SandboxRefund{
		Key:    key,
		ID:     "re_" + key,
		Charge: of.ID,
		Amount: porttest.USD(amount),
		At:     porttest.Noon.Add(7 * time.Millisecond),
	}
}

func refund(s *porttest.Shop, r ports.SandboxRefund) (ports.SandboxRefund, bool) {
	s.T.Helper()
	stored, ok, err := s.Sandbox.Refund(s.Ctx, s.Project.ID, r)
	s.Must(err)
	return stored, ok
}

func refunded(s *porttest.Shop, r, want ports.SandboxRefund) {
	s.T.Helper()
	stored, ok := refund(s, r)
	porttest.Same(s.T, "stored", stored, want)
	porttest.Same(s.T, "is stored", ok, true)
}

func notRefunded(s *porttest.Shop, r ports.SandboxRefund) {
	s.T.Helper()
	if stored, ok := refund(s, r); ok {
		s.T.Errorf("refunded %v", stored)
	}
}

func sandboxRefundOnce(s *porttest.Shop) {
	c := once(s, sandboxCharge("key"))
	first := sandboxRefund("back", c, 10_00)
	refunded(s, first, first)
	again := first
	again.ID, again.Amount = "re_other", porttest.USD(1)
	refunded(s, again, first)
	rest := sandboxRefund("rest", c, 2_34)
	refunded(s, rest, rest)
	refunded(s, again, first) // also when nothing is left
}

func sandboxRefundBound(s *porttest.Shop) {
	c := once(s, sandboxCharge("key"))
	notRefunded(s, sandboxRefund("all and more", c, 12_35))
	part := sandboxRefund("part", c, 12_00)
	refunded(s, part, part)
	notRefunded(s, sandboxRefund("rest and more", c, 35))
	other := sandboxRefund("other money", c, 1)
	eur, err := money.ParseCurrency("EUR")
	s.Must(err)
	other.Amount = money.Of(1, eur)
	notRefunded(s, other)
}

func sandboxRefundRace(s *porttest.Shop) {
	c := once(s, sandboxCharge("key"))
	var given [porttest.Racers]bool
	s.Race("", func(i int) (err error) {
		_, given[i], err = s.Sandbox.Refund(s.Ctx, s.Project.ID, sandboxRefund(string(rune('a'+i)), c, 4_00))
		return err
	})
	times := 0
	for _, ok := range given {
		if ok {
			times++
		}
	}
	porttest.Same(s.T, "refunds of 4.00 of 12.34", times, 3)
}

func sandboxRefundUnpaid(s *porttest.Shop) {
	declined := sandboxCharge("declined")
	declined.Result = "insufficient_funds"
	notRefunded(s, sandboxRefund("of declined", once(s, declined), 1))
	notRefunded(s, sandboxRefund("of nothing", sandboxCharge("never stored"), 1))
	foreign := porttest.OpenShop(s.T, s.Stores)
	notRefunded(s, sandboxRefund("of theirs", once(foreign, sandboxCharge("key")), 1))
}

func sandboxMovements(s *porttest.Shop) {
	charge := func(key string, at time.Time) ports.SandboxCharge {
		c := sandboxCharge(key)
		c.At = at
		return once(s, c)
	}
	charge("early", porttest.Noon.Add(-time.Millisecond))
	first := charge("first", porttest.Noon)
	second := charge("second", porttest.Noon.Add(time.Second))
	charge("late", porttest.Noon.Add(time.Minute))
	declined := sandboxCharge("declined")
	declined.Result = "expired_card"
	once(s, declined)
	once(s, ports.SandboxCharge{
		Key:    "void",
		Result: "void",
		At:     porttest.Noon,
	})
	back := sandboxRefund("given", first, 3_00)
	refunded(s, back, back)
	once(porttest.OpenShop(s.T, s.Stores), sandboxCharge("foreign"))

	list := func(after string, limit int) []ports.Movement {
		found, err := s.Sandbox.Movements(s.Ctx, s.Project.ID, porttest.Noon, porttest.Noon.Add(time.Minute), after, limit)
		s.Must(err)
		return found
	}
	want := []ports.Movement{
		{Provider: first.ID, Key: "first", Amount: first.Amount, At: first.At},
		{Refund: true, Provider: back.ID, Key: "given", Amount: back.Amount, At: back.At},
		{Provider: second.ID, Key: "second", Amount: second.Amount, At: second.At},
	}
	porttest.Same(s.T, "all", list("", 100), want)
	porttest.Same(s.T, "the first two", list("", 2), want[:2])
	porttest.Same(s.T, "what follows them", list("given", 2), want[2:])
}
