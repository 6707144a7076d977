package accounts_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestAccounts(t *testing.T) { storetest.Suite(t, porttest.Accounts) }

func TestProjects(t *testing.T) { storetest.Suite(t, porttest.Projects) }
