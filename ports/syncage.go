package ports

import "time"

// SyncAge is how long ago the integrations of a type were synchronised, of all projects. One that never was counts from its
// connection.
type SyncAge struct {
	Type         string
	Integrations int           // that are connected
	Oldest       time.Duration // since the last sync of the one that waits the longest
}
