// Package checkpoint seals and verifies, with the installation's key, the checkpoints of decision chains and the time up to
// which records were removed. Package negotiation defines checkpoints.
package checkpoint

import (
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/ports"
)

// Seals implements ports.Seals for one project.
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

// Purpose returns the vault's purpose string for a project's checkpoints.
func Purpose(p id.Project) string { return negotiation.CheckpointPurpose + p.String() }
