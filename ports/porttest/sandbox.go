package porttest

import (
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
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
