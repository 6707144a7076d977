package porttest

import (
	"errors"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

// Accounts is the contract of ports.Accounts, but for its keys.
func Accounts(t *testing.T, open Open) {
	for name, test := range map[string]func(*testing.T, Stores){
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

func openAccount(t *testing.T, s Stores, at time.Time) *account.Account {
	t.Helper()
	return openAccountOn(t, s, account.Growth, at)
}

func openAccountOn(t *testing.T, s Stores, plan account.Plan, at time.Time) *account.Account {
	t.Helper()
	a := &account.Account{ID: random[id.Account](), Name: "Zoë's", Plan: plan, CreatedAt: at}
	if err := s.Accounts.Open(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	return a
}

func accountOldest(t *testing.T, s Stores) {
	oldest := func(plan account.Plan, want *account.Account) {
		t.Helper()
		got, err := s.Accounts.Oldest(t.Context(), plan)
		if want == nil {
			wantFault(t, err, fault.NotFound, "account_not_found")
			return
		}
		if err != nil {
			t.Fatal(err)
		}
		same(t, "oldest", got, want)
	}
	oldest(account.Plan{}, nil)
	openAccount(t, s, noon)
	first := openAccount(t, s, noon.Add(-time.Millisecond))
	openAccount(t, s, noon.Add(time.Millisecond))
	later := openAccountOn(t, s, account.Starter, noon.Add(time.Hour))
	openAccountOn(t, s, account.Starter, noon.Add(2*time.Hour))
	oldest(account.Plan{}, first)
	oldest(account.Growth, first)
	oldest(account.Starter, later)
	oldest(account.Enterprise, nil)
}

func accountUpdate(t *testing.T, s Stores) {
	a, other := openAccount(t, s, noon), openAccount(t, s, noon)
	changed, err := s.Accounts.Update(t.Context(), a.ID, func(loaded *account.Account) error {
		same(t, "loaded", loaded, a)
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
		same(t, "account", got, want)
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
	_, err = s.Accounts.ByID(t.Context(), random[id.Account]())
	wantFault(t, err, fault.NotFound, "account_not_found")
	_, err = s.Accounts.Update(t.Context(), random[id.Account](), func(*account.Account) error { return nil })
	wantFault(t, err, fault.NotFound, "account_not_found")
}

func accountUpdateRace(t *testing.T, s Stores) {
	a := openAccount(t, s, noon)
	if err := atOnce(racers, func(int) error {
		_, err := s.Accounts.Update(t.Context(), a.ID, func(loaded *account.Account) error {
			loaded.Name += "!"
			return nil
		})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if got, err := s.Accounts.ByID(t.Context(), a.ID); err != nil || len(got.Name) != len(a.Name)+racers {
		t.Errorf("%+v, %v", got, err)
	}
}
