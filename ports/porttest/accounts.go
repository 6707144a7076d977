package porttest

import (
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/id"
)

func OpenAccount(t *testing.T, s Stores, at time.Time) *account.Account {
	t.Helper()
	return OpenAccountOn(t, s, account.Growth, at)
}

func OpenAccountOn(t *testing.T, s Stores, plan account.Plan, at time.Time) *account.Account {
	t.Helper()
	a := &account.Account{
		ID:        Random[id.Account](),
		Name:      "Zoë's",
		Plan:      plan,
		CreatedAt: at,
	}
	if err := s.Accounts.Open(t.Context(), a); err != nil {
		t.Fatal(err)
	}
	return a
}
