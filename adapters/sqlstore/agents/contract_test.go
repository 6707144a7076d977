package agents_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestAgents(t *testing.T) { storetest.Suite(t, porttest.Agents) }
