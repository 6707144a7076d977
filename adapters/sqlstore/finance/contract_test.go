package finance_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestUnresolved(t *testing.T) { storetest.Suite(t, porttest.Unresolved) }

func TestReconciliations(t *testing.T) { storetest.Suite(t, porttest.Reconciliations) }

func TestFinance(t *testing.T) { storetest.Suite(t, porttest.Finance) }

func TestSandboxLedger(t *testing.T) { storetest.Suite(t, porttest.SandboxLedger) }
