package storetest

import (
	"testing"

	"github.com/haggle-commerce/haggle/ports/porttest"
)

// Suite runs a contract on both engines.
func Suite(t *testing.T, contract func(*testing.T, porttest.Open)) {
	t.Helper()
	t.Parallel()
	for name, open := range Engines {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			contract(t, func(tb testing.TB) porttest.Stores { return Views(open(tb)) })
		})
	}
}

func Views(s *Store) porttest.Stores {
	return porttest.Stores{
		Accounts:            s.Accounts(),
		Projects:            s.Projects(),
		Closings:            s.Projects(),
		Storefronts:         s.Storefronts(),
		Statistics:          s.Projects(),
		Products:            s.Products(),
		Bulk:                s.Catalog(),
		Catalog:             s.Catalog(),
		Inventory:           s.Inventory(),
		Synonyms:            s.Synonyms(),
		Sessions:            s.Sessions(),
		Haggling:            s.Haggling(),
		Carts:               s.Carts(),
		Agents:              s.Agents(),
		Active:              s.Agents(),
		Policies:            s.Agents(),
		Decisions:           s.Decisions(),
		Sealer:              s.Decisions(),
		Threads:             s.Negotiations(),
		Checkouts:           s.Checkouts(),
		Undecided:           s.Checkouts(),
		Lapsed:              s.LapsedCheckouts(),
		DueRefunds:          s.DueRefunds(),
		SetClock:            s.SetClock,
		Orphans:             s.Orphans(),
		DueOrphans:          s.DueOrphans(),
		Orders:              s.Orders(),
		OrderLists:          s.Orders(),
		Refunds:             s.Orders(),
		Disputes:            s.Orders(),
		Labels:              s.Labels(),
		Platform:            s.Orders(),
		Deals:               s.Orders(),
		Notes:               s.OrderNotes(),
		Payments:            s.Payments(),
		Ledger:              s.Ledger(),
		Sandbox:             s.SandboxLedger(),
		Keys:                s.Requests(),
		Records:             s.Requests(),
		Audit:               s.Requests(),
		Authorizations:      s.Authorizations(),
		Webhooks:            s.Webhooks(),
		Sealed:              s.Webhooks(),
		Inbox:               s.Inbox(),
		InboxQueue:          s.InboxQueue(),
		Integrations:        s.Integrations(),
		InUse:               s.Integrations(),
		Figures:             s.Integrations(),
		SyncRuns:            s.SyncRuns(),
		SyncChanges:         s.SyncChanges(),
		SyncQueue:           s.SyncQueue(),
		Copies:              s.ExternalRecords(),
		CopyReader:          s.ExternalRecords(),
		StockAdjuster:       s.StockAdjuster(),
		SyncUnit:            s.SyncUnit(),
		Log:                 s.Events(),
		Sales:               s.Sales(),
		AvailabilityChanges: s.AvailabilityChanges(),
		Analytics:           s.Analytics(),
		Late:                s.LateAnnouncements(),
		Unresolved:          s.Unresolved(),
		Reconciliations:     s.Reconciliations(),
		Vectors:             s.Embeddings(),
		Embeddings:          s.Embeddings(),
	}
}
