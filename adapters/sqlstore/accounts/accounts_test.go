package accounts_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

func TestKeys(t *testing.T)           { accountSuite(t, Keys) }
func TestAuthenticators(t *testing.T) { accountSuite(t, Authenticators) }
func TestTries(t *testing.T)          { accountSuite(t, Tries) }

func accountSuite(t *testing.T, contract func(*testing.T, OpenAccounts)) {
	t.Helper()
	t.Parallel()
	for name, open := range storetest.Engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contract(t, func(tb testing.TB) AccountStores {
				s := open(tb)
				return AccountStores{
					Stores:         storetest.Views(s),
					Keys:           s.Keys(),
					Roster:         s.Keys(),
					Authenticators: s.Authenticators(),
					Tries:          s.Tries(),
				}
			})
		})
	}
}
