package analytics_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestSales(t *testing.T) { storetest.Suite(t, porttest.Sales) }

func TestAnalytics(t *testing.T) { storetest.Suite(t, porttest.Analytics) }
