package finance_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

func TestUnresolved(t *testing.T) { storetest.Suite(t, Unresolved) }

func TestReconciliations(t *testing.T) { storetest.Suite(t, Reconciliations) }

func TestPayments(t *testing.T) { storetest.Suite(t, Finance) }

func TestSandboxLedger(t *testing.T) { storetest.Suite(t, SandboxLedger) }
