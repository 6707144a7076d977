package sqlstore

import (
	"testing"

	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestAPIKeys(t *testing.T)        { accountSuite(t, porttest.Keys) }
func TestAuthenticators(t *testing.T) { accountSuite(t, porttest.Authenticators) }
func TestTries(t *testing.T)          { accountSuite(t, porttest.Tries) }

func accountSuite(t *testing.T, contract func(*testing.T, porttest.OpenAccounts)) {
	t.Helper()
	t.Parallel()
	for name, open := range engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contract(t, func(tb testing.TB) porttest.AccountStores {
				s := open(tb)
				return porttest.AccountStores{
					Stores: views(s), Keys: s.Keys(), Roster: s.Keys(), Reach: s.Keys(),
					Authenticators: s.Authenticators(), Tries: s.Tries(),
				}
			})
		})
	}
}
