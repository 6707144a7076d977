package agents_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

func TestAgents(t *testing.T) { storetest.Suite(t, Agents) }
