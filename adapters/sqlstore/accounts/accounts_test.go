package accounts_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestAPIKeys(t *testing.T)        { accountSuite(t, porttest.Keys) }
func TestAuthenticators(t *testing.T) { accountSuite(t, porttest.Authenticators) }
func TestTries(t *testing.T)          { accountSuite(t, porttest.Tries) }

func accountSuite(t *testing.T, contract func(*testing.T, porttest.OpenAccounts)) {
	t.Helper()
	t.Parallel()
	for name, open := range storetest.Engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contract(t, func(tb testing.TB) porttest.AccountStores {
				s := open(tb)
				return porttest.AccountStores{
					Stores: storetest.Views(s), Keys: s.Keys(), Roster: s.Keys(), Reach: s.Keys(),
					Authenticators: s.Authenticators(), Tries: s.Tries(),
				}
			})
		})
	}
}
