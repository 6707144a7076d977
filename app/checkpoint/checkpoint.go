// Package checkpoint seals checkpoints of decision chains, and until when records were removed, with the installation's
// key, and checks the seals. What a checkpoint is: domain/negotiation.
package checkpoint

import (
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// Seals are of one project's checkpoints.
type Seals struct {
	Vault   ports.Vault
	Project id.Project
}

var (
	_ ports.CheckpointSeals = Seals{}
	_ ports.RemovedSeals    = Seals{}
)

// Seal implements ports.CheckpointSeals.
func (s Seals) Seal(c negotiation.Checkpoint) []byte {
	return s.Vault.Seal([]byte(c.Text()), Purpose(s.Project))
}

// Sound implements ports.CheckpointSeals.
func (s Seals) Sound(c negotiation.Checkpoint, seal []byte) bool {
	if c == (negotiation.Checkpoint{}) {
		return len(seal) == 0
	}
	return s.opens(seal, c.Text())
}

// SealRemoved implements ports.RemovedSeals.
func (s Seals) SealRemoved(r ports.Removed) []byte {
	return s.Vault.Seal([]byte(r.Text()), Purpose(s.Project))
}

// SoundRemoved implements ports.RemovedSeals.
func (s Seals) SoundRemoved(r ports.Removed, seal []byte) bool {
	if r == (ports.Removed{}) {
		return len(seal) == 0
	}
	return s.opens(seal, r.Text())
}

func (s Seals) opens(seal []byte, want string) bool {
	text, err := s.Vault.Open(seal, Purpose(s.Project))
	return err == nil && string(text) == want
}

// Purpose is what the vault seals the checkpoints of a project for.
func Purpose(p id.Project) string { return negotiation.CheckpointPurpose + p.String() }
