package syncing_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/adapters/sqlstore/internal/storetest"
)

func TestIntegrations(t *testing.T) { storetest.Suite(t, Integrations) }

func TestAuthorizations(t *testing.T) { storetest.Suite(t, Authorizations) }

func TestWebhooks(t *testing.T) { storetest.Suite(t, IntegrationWebhooks) }

func TestInbox(t *testing.T) { storetest.Suite(t, Inbox) }

func TestSyncRuns(t *testing.T) { storetest.Suite(t, SyncRuns) }

func TestSyncChanges(t *testing.T) { storetest.Suite(t, SyncChanges) }

func TestExternalRecords(t *testing.T) { storetest.Suite(t, ExternalRecords) }

func TestSyncUnit(t *testing.T) { storetest.Suite(t, SyncUnit) }
