package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// ImportScope identifies the project, integration and run that records are imported for.
type ImportScope struct {
	Project     *project.Project
	Integration id.Integration
	Run         id.Sync            // zero: the platform sent the records by itself
	Full        bool               // the platform's value wins for every field
	Preview     bool               // the transaction is rolled back: what it would change is listed
	Want        []syncrun.Resource // resources to read as well, when there is time
}

// ImportResult is the result of importing records. Each is counted once.
type ImportResult struct {
	syncrun.Counters
	Outcomes    []syncrun.Outcome // of each record
	Problems    []syncrun.Problem
	Changes     []syncrun.Change         // conflicts and, in a preview, what would become of each record
	High        time.Time                // the latest change among them
	Products    []id.Product             // whose fields or stock changed
	Hidden      bool                     // some have no usable id, so they cannot be identified
	Integration *integration.Integration // as it is now
}

// Importer imports a platform's records within a transaction, and locks their integration from its start.
type Importer interface {
	// Import imports records. A disconnected integration: Conflict integration_disconnected. Any other error is one of
	// the stores', after which the transaction cannot go on. A record that cannot be imported is no error.
	Import(ctx context.Context, stores SyncStores, on ImportScope, records []syncrun.Record) (ImportResult, error)
}
