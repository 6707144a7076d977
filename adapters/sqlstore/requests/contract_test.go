package requests_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

func TestIdempotencyKeys(t *testing.T) { storetest.Suite(t, IdempotencyKeys) }

func TestAuditLog(t *testing.T) { storetest.Suite(t, AuditLog) }
