package accounts_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

func TestAccounts(t *testing.T) { storetest.Suite(t, Accounts) }

func TestProjects(t *testing.T) { storetest.Suite(t, Projects) }
