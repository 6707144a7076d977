// Package checkpoint seals checkpoints of decision chains with the installation's key, and checks the seals. What a
// checkpoint is: domain/negotiation.
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

var _ ports.CheckpointSeals = Seals{}

// Seal implements ports.CheckpointSeals.
func (s Seals) Seal(c negotiation.Checkpoint) []byte {
	return s.Vault.Seal([]byte(c.Text()), Purpose(s.Project))
}

// Sound implements ports.CheckpointSeals.
func (s Seals) Sound(c negotiation.Checkpoint, seal []byte) bool {
	if c == (negotiation.Checkpoint{}) {
		return len(seal) == 0
	}
	text, err := s.Vault.Open(seal, Purpose(s.Project))
	return err == nil && string(text) == c.Text()
}

// Purpose is what the vault seals the checkpoints of a project for.
func Purpose(p id.Project) string { return negotiation.CheckpointPurpose + p.String() }
