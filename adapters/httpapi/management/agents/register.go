// Package agents serves negotiator agents: their policies, decisions, trials and tuning.
package agents

import "github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"

// handlers has the operations as methods.
type handlers struct{ *operation.API }

// Register adds the operations on negotiator agents.
func Register(a *operation.API) {
	h := &handlers{a}
	h.registerAgents()
}
