package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// Taking is on whose behalf a platform's records are taken.
type Taking struct {
	Project     *project.Project
	Integration id.Integration
	Run         id.Sync            // zero: the platform has told of its own accord
	Full        bool               // what the platform says counts for every field
	Preview     bool               // the transaction is rolled back: what it would change is listed
	Want        []syncrun.Resource // what is to be read besides, when there is time
}

// Taken is what became of records. Each is counted once.
type Taken struct {
	syncrun.Counters
	Outcomes    []syncrun.Outcome // of each record
	Problems    []syncrun.Problem
	Changes     []syncrun.Change         // conflicts and, in a preview, what would become of each record
	High        time.Time                // the latest change among them
	Products    []id.Product             // whose fields or stock are others now
	Hidden      bool                     // some have no id that can be used: who they are nobody knows
	Integration *integration.Integration // as it is now
}

// Taker takes a platform's records within a transaction, and holds their integration from its start.
type Taker interface {
	// Take takes records. A disconnected integration: Conflict integration_disconnected. Any other error is one of the
	// stores': then the transaction is of no more use. A record that cannot be taken is no error.
	Take(ctx context.Context, stores SyncStores, on Taking, records []syncrun.Record) (Taken, error)
}
