package haggling_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestSessions(t *testing.T) { storetest.Suite(t, porttest.Sessions) }

func TestHaggling(t *testing.T) { storetest.Suite(t, Haggling) }

func TestDecisions(t *testing.T) { storetest.Suite(t, Decisions) }
