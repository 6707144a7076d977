package management

import (
	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/app/buyers"
	"github.com/haggle-commerce/haggle/app/projects"
)

// handlers has the package's operations as methods, and its use cases on the stores of a request.
type handlers struct{ *operation.API }

func (h *handlers) access(rq operation.Request) *access.Service { return h.Access.In(rq.Stores) }

func (h *handlers) projects(rq operation.Request) *projects.Service {
	return h.Projects.In(rq.Stores)
}

func (h *handlers) buyers(rq operation.Request) *buyers.Service { return h.Buyers.In(rq.Stores) }
