// Package checkpoint seals checkpoints of decision chains, and until when records were removed, with the installation's
// key, and checks the seals. What a checkpoint is: domain/negotiation.
package checkpoint

import (
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// Seals are of one project's checkpoints, and of what was removed of it.
type Seals struct {
	Vault   ports.Vault
	Project id.Project
}

var _ ports.Seals = Seals{}

// Seal implements ports.Seals.
func (s Seals) Seal(text string) []byte { return s.Vault.Seal([]byte(text), Purpose(s.Project)) }

// Sound implements ports.Seals.
func (s Seals) Sound(text string, seal []byte) bool {
	if text == "" {
		return len(seal) == 0
	}
	opened, err := s.Vault.Open(seal, Purpose(s.Project))
	return err == nil && string(opened) == text
}

// Purpose is what the vault seals the checkpoints of a project for.
func Purpose(p id.Project) string { return negotiation.CheckpointPurpose + p.String() }
