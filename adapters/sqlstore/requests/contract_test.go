package requests_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestIdempotencyKeys(t *testing.T) { storetest.Suite(t, porttest.IdempotencyKeys) }

func TestAuditLog(t *testing.T) { storetest.Suite(t, porttest.AuditLog) }
