package syncing_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
	"github.com/haggle-commerce/haggle/ports/porttest"
)

func TestIntegrations(t *testing.T) { storetest.Suite(t, porttest.Integrations) }

func TestAuthorizations(t *testing.T) { storetest.Suite(t, porttest.Authorizations) }

func TestWebhooks(t *testing.T) { storetest.Suite(t, porttest.IntegrationWebhooks) }

func TestInbox(t *testing.T) { storetest.Suite(t, porttest.Inbox) }

func TestSyncRuns(t *testing.T) { storetest.Suite(t, porttest.SyncRuns) }

func TestCopies(t *testing.T) { storetest.Suite(t, porttest.Copies) }

func TestSyncUnit(t *testing.T) { storetest.Suite(t, porttest.SyncUnit) }
