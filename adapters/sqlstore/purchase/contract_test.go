package purchase_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestLabels(t *testing.T) { storetest.Suite(t, Labels) }

func TestPlatformOrders(t *testing.T) { storetest.Suite(t, PlatformOrders) }

func TestCRMDeals(t *testing.T) { storetest.Suite(t, CRMDeals) }

func TestOrphans(t *testing.T) { storetest.Suite(t, porttest.Orphans) }

func TestCarts(t *testing.T) { storetest.Suite(t, porttest.Carts) }

func TestCheckouts(t *testing.T) { storetest.Suite(t, porttest.Checkouts) }

func TestPurchase(t *testing.T) { storetest.Suite(t, porttest.Purchase) }

func TestOrders(t *testing.T) { storetest.Suite(t, porttest.Orders) }

func TestOrders_Change(t *testing.T) { storetest.Suite(t, porttest.Cases) }
