package analytics_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

func TestSales(t *testing.T) { storetest.Suite(t, Sales) }

func TestAnalytics(t *testing.T) { storetest.Suite(t, Analytics) }
