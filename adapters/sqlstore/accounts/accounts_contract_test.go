package accounts_test

import (
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Accounts is the contract of ports.Accounts, but for its keys.
func Accounts(t *testing.T, open porttest.Open) {
	for name, test := range map[string]func(*testing.T, porttest.Stores){
		"the oldest account":               accountOldest,
		"an account comes back as renamed": accountUpdate,
		"sixteen changes are all kept":     accountUpdateRace,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

func accountOldest(t *testing.T, s porttest.Stores) {
	oldest := func(plan account.Plan, want *account.Account) {
		t.Helper()
		got, err := s.Accounts.Oldest(t.Context(), plan)
		if want == nil {
			porttest.WantFault(t, err, fault.NotFound, "account_not_found")
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		porttest.Same(t, "oldest", got, want)
	}
	oldest(account.Plan{}, nil)
	porttest.OpenAccount(t, s, porttest.Noon)
	first := porttest.OpenAccount(t, s, porttest.Noon.Add(-time.Millisecond))
	porttest.OpenAccount(t, s, porttest.Noon.Add(time.Millisecond))
	later := porttest.OpenAccountOn(t, s, account.Starter, porttest.Noon.Add(time.Hour))
	porttest.OpenAccountOn(t, s, account.Starter, porttest.Noon.Add(2*time.Hour))
	oldest(account.Plan{}, first)
	oldest(account.Growth, first)
	oldest(account.Starter, later)
	oldest(account.Enterprise, nil)
}

func accountUpdate(t *testing.T, s porttest.Stores) {
	a, other := porttest.OpenAccount(t, s, porttest.Noon), porttest.OpenAccount(t, s, porttest.Noon)
	changed, err := s.Accounts.Update(t.Context(), a.ID, func(loaded *account.Account) error {
		porttest.Same(t, "loaded", loaded, a)
		loaded.Name, loaded.Plan = "Another name", account.Enterprise
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []*account.Account{changed, other} {
		got, err := s.Accounts.ByID(t.Context(), want.ID)
		if err != nil {
			t.Fatal(err)
		}
		porttest.Same(t, "account", got, want)
	}
	if changed.Name != "Another name" || changed.Plan != account.Enterprise {
		t.Errorf("the change came back as %+v", changed)
	}
	failed := errors.New("changed my mind")
	if _, err := s.Accounts.Update(t.Context(), a.ID, func(loaded *account.Account) error {
		loaded.Name = "Nobody"
		return failed
	}); !errors.Is(err, failed) {
		t.Errorf("a failed change: %v", err)
	}
	if got, err := s.Accounts.ByID(t.Context(), a.ID); err != nil || got.Name != "Another name" {
		t.Errorf("after a failed change: %+v, %v", got, err)
	}
	_, err = s.Accounts.ByID(t.Context(), porttest.Random[id.Account]())
	porttest.WantFault(t, err, fault.NotFound, "account_not_found")
	_, err = s.Accounts.Update(t.Context(), porttest.Random[id.Account](), func(*account.Account) error { return nil })
	porttest.WantFault(t, err, fault.NotFound, "account_not_found")
}

func accountUpdateRace(t *testing.T, s porttest.Stores) {
	a := porttest.OpenAccount(t, s, porttest.Noon)
	if err := porttest.AtOnce(porttest.Racers, func(int) error {
		_, err := s.Accounts.Update(t.Context(), a.ID, func(loaded *account.Account) error {
			loaded.Name += "!"
			return nil
		})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Accounts.ByID(t.Context(), a.ID); err != nil || len(got.Name) != len(a.Name)+porttest.Racers {
		t.Errorf("%+v, %v", got, err)
	}
}
