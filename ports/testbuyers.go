package ports

import "github.com/haggle-commerce/haggle/domain/fault"

// MostTestBuyers is how many buyers a run has at most.
const MostTestBuyers = 50

// TestBuyers sends simulated buyers to a shop of this server, in the sandbox.
type TestBuyers interface {
	// Send starts a run of buyers at the shop with the slug, and does not wait for its end. One runs at a time: while
	// another does, it fails with ErrBuyersRunning; if there is no program that sends buyers, with ErrNoBuyers.
	Send(slug string, buyers int) error
	// State reports whether buyers can be sent at all, and whether some are under way.
	State() (available, running bool)
	// Stop ends a run.
	Stop()
}

// Errors of Send.
var (
	ErrBuyersRunning = fault.New(fault.Conflict, "buyers_running", "Test buyers are running already. Wait until they have finished.")
	ErrNoBuyers      = fault.New(fault.Conflict, "buyers_unavailable", "haggle-sim is not beside the server. Build it with make build, or set HAGGLE_SIMULATOR to its path.")
)
