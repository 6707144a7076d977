package agents

import (
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/app/agents"
)

// handlers has the package's operations as methods, and its use cases on the stores of a request.
type handlers struct{ *operation.API }

func (h *handlers) agents(rq operation.Request) *agents.Service { return h.Agents.In(rq.Stores) }
