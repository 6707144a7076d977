package accounts_test

import (
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Authenticators is the contract of ports.Authenticators.
func Authenticators(t *testing.T, open OpenAccounts) {
	for name, test := range map[string]func(*testing.T, AccountStores){
		"an authenticator comes back as it was stored": mfaRoundTrip,
		"enrolling replaces what is pending":           mfaPending,
		"activating replaces what is active":           mfaReplace,
		"one of sixteen activates":                     mfaActivateRace,
		"one of sixteen spends a step":                 mfaStepRace,
		"one of sixteen spends a recovery code":        mfaRecoveryRace,
		"older steps are spent with a newer one":       mfaOlderSteps,
		"what is not active has no codes":              mfaNotActive,
		"removing forgets all":                         mfaRemove,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

// enrol enrols an authenticator with two recovery codes, in the order that they are read in.
func (s AccountStores) enrol(t *testing.T, owner *account.Account) *account.Authenticator {
	t.Helper()
	a := &account.Authenticator{
		ID:        porttest.Random[id.Authenticator](),
		Holder:    account.Holder{Account: owner.ID},
		Secret:    []byte{1, 0, 255},
		CreatedAt: porttest.Noon,
		Recovery:  []account.RecoveryCode{{Hash: [32]byte{1}}, {Hash: [32]byte{2}}},
	}
	if err := s.Authenticators.Enrol(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	return a
}

func (s AccountStores) activate(t *testing.T, a *account.Authenticator, step int64) {
	t.Helper()
	if err := s.Authenticators.Activate(t.Context(), a, step, porttest.Noon.Add(time.Second)); err != nil {
		t.Fatal(err)
	}
	a.LastStep, a.ActivatedAt = step, porttest.Pointer(porttest.Noon.Add(time.Second))
}

func (s AccountStores) wantMFA(t *testing.T, owner *account.Account, active, pending *account.Authenticator) {
	t.Helper()
	gotActive, gotPending, err := s.Authenticators.Of(t.Context(), account.Holder{Account: owner.ID})
	if err != nil {
		t.Fatal(err)
	}
	porttest.Same(t, "active", gotActive, active)
	porttest.Same(t, "pending", gotPending, pending)
}

func mfaRoundTrip(t *testing.T, s AccountStores) {
	owner, other := porttest.OpenAccount(t, s.Stores, porttest.Noon), porttest.OpenAccount(t, s.Stores, porttest.Noon)
	s.wantMFA(t, owner, nil, nil)
	a := s.enrol(t, owner)
	s.wantMFA(t, owner, nil, a)
	s.activate(t, a, 77)
	s.wantMFA(t, owner, a, nil)
	s.wantMFA(t, other, nil, nil)
}

func mfaPending(t *testing.T, s AccountStores) {
	owner, other := porttest.OpenAccount(t, s.Stores, porttest.Noon), porttest.OpenAccount(t, s.Stores, porttest.Noon)
	theirs := s.enrol(t, other)
	first := s.enrol(t, owner)
	second := s.enrol(t, owner)
	s.wantMFA(t, owner, nil, second)
	s.wantMFA(t, other, nil, theirs)
	porttest.WantFault(t, s.Authenticators.Activate(t.Context(), first, 1, porttest.Noon), fault.NotFound, "mfa_not_found")
	s.wantMFA(t, owner, nil, second)
}

func mfaReplace(t *testing.T, s AccountStores) {
	owner := porttest.OpenAccount(t, s.Stores, porttest.Noon)
	first := s.enrol(t, owner)
	s.activate(t, first, 1)
	second := s.enrol(t, owner)
	s.wantMFA(t, owner, first, second)
	s.activate(t, second, 2)
	s.wantMFA(t, owner, second, nil)
	porttest.WantFault(t, s.Authenticators.Activate(t.Context(), second, 3, porttest.Noon), fault.NotFound, "mfa_not_found")
	porttest.WantFault(t, s.Authenticators.Activate(t.Context(), first, 3, porttest.Noon), fault.NotFound, "mfa_not_found")
	s.wantMFA(t, owner, second, nil)
}

func mfaActivateRace(t *testing.T, s AccountStores) {
	owner := porttest.OpenAccount(t, s.Stores, porttest.Noon)
	s.activate(t, s.enrol(t, owner), 1)
	a := s.enrol(t, owner)
	won := 0
	for _, err := range porttest.Together(porttest.Racers, func(int) error { return s.Authenticators.Activate(t.Context(), a, 5, porttest.Noon) }) {
		if err == nil {
			won++
			continue
		}
		porttest.WantFault(t, err, fault.NotFound, "mfa_not_found")
	}
	if won != 1 {
		t.Errorf("%d of sixteen activated", won)
	}
}

// spends counts how many of sixteen spend the code at once.
func (s AccountStores) spends(t *testing.T, a *account.Authenticator, c account.Code) int {
	t.Helper()
	spent := make([]bool, porttest.Racers)
	if err := porttest.AtOnce(porttest.Racers, func(i int) (err error) {
		spent[i], err = s.Authenticators.Spend(t.Context(), a.ID, c)
		return err
	}); err != nil {
		t.Fatal(err)
	}
	won := 0
	for _, ok := range spent {
		if ok {
			won++
		}
	}
	return won
}

func mfaStepRace(t *testing.T, s AccountStores) {
	a := s.enrol(t, porttest.OpenAccount(t, s.Stores, porttest.Noon))
	s.activate(t, a, 10)
	for step, want := range map[int64]int{9: 0, 10: 0, 11: 1} {
		if won := s.spends(t, a, account.Code{Step: step}); won != want {
			t.Errorf("%d of sixteen spent step %d, want %d", won, step, want)
		}
	}
}

func mfaRecoveryRace(t *testing.T, s AccountStores) {
	owner := porttest.OpenAccount(t, s.Stores, porttest.Noon)
	a := s.enrol(t, owner)
	s.activate(t, a, 10)
	if won := s.spends(t, a, account.Code{Recovery: &a.Recovery[1].Hash}); won != 1 {
		t.Errorf("%d of sixteen spent a recovery code", won)
	}
	if won := s.spends(t, a, account.Code{Recovery: porttest.Pointer(sha256.Sum256(nil))}); won != 0 {
		t.Errorf("%d of sixteen spent an unknown recovery code", won)
	}
	a.Recovery[1].Used = true
	s.wantMFA(t, owner, a, nil)
}

func mfaOlderSteps(t *testing.T, s AccountStores) {
	a := s.enrol(t, porttest.OpenAccount(t, s.Stores, porttest.Noon))
	s.activate(t, a, 10)
	for _, c := range []struct {
		step int64
		want bool
	}{{13, true}, {12, false}, {11, false}, {14, true}} {
		if spent, err := s.Authenticators.Spend(t.Context(), a.ID, account.Code{Step: c.step}); err != nil || spent != c.want {
			t.Errorf("step %d: %v, %v", c.step, spent, err)
		}
	}
}

func mfaNotActive(t *testing.T, s AccountStores) {
	pending := s.enrol(t, porttest.OpenAccount(t, s.Stores, porttest.Noon))
	for _, a := range []id.Authenticator{pending.ID, porttest.Random[id.Authenticator]()} {
		for _, c := range []account.Code{{Step: 99}, {Recovery: &pending.Recovery[0].Hash}} {
			if spent, err := s.Authenticators.Spend(t.Context(), a, c); err != nil || spent {
				t.Errorf("%v of %s: %v, %v", c, a, spent, err)
			}
		}
	}
}

func mfaRemove(t *testing.T, s AccountStores) {
	owner, other := porttest.OpenAccount(t, s.Stores, porttest.Noon), porttest.OpenAccount(t, s.Stores, porttest.Noon)
	s.activate(t, s.enrol(t, owner), 1)
	s.enrol(t, owner)
	theirs := s.enrol(t, other)
	if err := s.Authenticators.Remove(t.Context(), account.Holder{Account: owner.ID}); err != nil {
		t.Fatal(err)
	}
	s.wantMFA(t, owner, nil, nil)
	s.wantMFA(t, other, nil, theirs)
	porttest.WantFault(t, s.Authenticators.Remove(t.Context(), account.Holder{Account: owner.ID}), fault.NotFound, "mfa_not_found")
}

// Tries is the contract of ports.Tries.
func Tries(t *testing.T, open OpenAccounts) {
	for name, test := range map[string]func(*testing.T, AccountStores){
		"tries are stored though they fail":  triesStored,
		"five of sixteen wrong codes are it": triesRace,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func triesStored(t *testing.T, s AccountStores) {
	owner, other := porttest.OpenAccount(t, s.Stores, porttest.Noon), porttest.OpenAccount(t, s.Stores, porttest.Noon)
	wrong := errors.New("wrong")
	for n := range 3 {
		err := s.Tries.Try(t.Context(), account.Holder{Account: owner.ID}, func(tries *account.Tries) error {
			if len(tries.Wrong) != n {
				t.Errorf("after %d wrong codes there are %v", n, tries.Wrong)
			}
			tries.Add(porttest.Noon.Add(time.Duration(n) * time.Millisecond))
			return wrong
		})
		if !errors.Is(err, wrong) {
			t.Errorf("a wrong code: %v", err)
		}
	}
	if err := s.Tries.Try(t.Context(), account.Holder{Account: owner.ID}, func(tries *account.Tries) error {
		porttest.Same(t, "wrong", tries.Wrong, []time.Time{porttest.Noon, porttest.Noon.Add(time.Millisecond), porttest.Noon.Add(2 * time.Millisecond)})
		tries.Wrong = nil
		return nil
	}); err != nil {
		t.Error(err)
	}
	for _, a := range []*account.Account{owner, other} {
		if err := s.Tries.Try(t.Context(), account.Holder{Account: a.ID}, func(tries *account.Tries) error {
			porttest.Same(t, "wrong", len(tries.Wrong), 0)
			return nil
		}); err != nil {
			t.Error(err)
		}
	}
}

func triesRace(t *testing.T, s AccountStores) {
	owner := porttest.OpenAccount(t, s.Stores, porttest.Noon)
	wrong := errors.New("wrong")
	counted := 0
	for _, err := range porttest.Together(porttest.Racers, func(int) error {
		return s.Tries.Try(t.Context(), account.Holder{Account: owner.ID}, func(tries *account.Tries) error {
			if err := tries.Admit(porttest.Noon); err != nil {
				return err
			}
			tries.Add(porttest.Noon)
			return wrong
		})
	}) {
		if errors.Is(err, wrong) {
			counted++
			continue
		}
		porttest.WantFault(t, err, fault.Limited, "rate_limited")
	}
	if counted != account.MaxTries {
		t.Errorf("%d wrong codes were looked at", counted)
	}
}
