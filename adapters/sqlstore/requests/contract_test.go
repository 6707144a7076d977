package requests_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

func TestRequests_idempotencyKeys(t *testing.T) { storetest.Suite(t, IdempotencyKeys) }

func TestRequests_auditLog(t *testing.T) { storetest.Suite(t, AuditLog) }
