// Package management is the Management API: what merchants' servers call under /v1, with an API key.
// Each resource has a file that begins with the table of its operations. The package converts between
// the wire and the application, and decides nothing.
//
// Structs that others embed are exported, because Huma passes over embedded ones that are not.
package management

import (
	"context"
	"net/http"
	"net/netip"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/app/catalogs"
	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/ports"
)

// Services is what the operations work with.
type Services struct {
	Access   *access.Service
	Projects *projects.Service
	Catalogs *catalogs.Service

	// Queries that need no use case.
	ProjectStore ports.Projects
	Inventory    ports.Inventory
	Catalog      ports.CatalogReader

	ACPAddress func(slug string) string // of a project's ACP API
	APIAddress string                   // of this API

	// ClientAddress is where a request comes from, whatever proxies are between; nil: who connected.
	ClientAddress func(*http.Request) netip.Addr
}

// handlers hold the services; their methods are the operations.
type handlers struct {
	Services
	api huma.API
}

// Register adds every operation of the API.
func Register(api huma.API, s Services) {
	if s.ClientAddress == nil {
		s.ClientAddress = connected
	}
	h := &handlers{s, api}
	h.registerProjects()
	h.registerSettings()
	h.registerStorefront()
	h.registerProducts()
	h.registerCategories()
	h.registerInventory()
}

// operation is a line of a resource's table. An operation is on a project if its path names one, or if
// the header X-Project-ID does.
type operation struct {
	id      string
	method  string
	path    string
	scope   string
	status  int
	on      subject
	errors  []int // beyond those that every operation may answer
	batch   bool  // of many things: the body may be larger
	summary string
}

// subject is what an operation is on.
type subject int

const (
	account       subject = iota // the caller's account
	pathProject                  // the project in the path
	headerProject                // the project of X-Project-ID
)

// register adds an operation: its guard and its security in the OpenAPI document both come from its
// line in the table.
func register[I, O any](h *handlers, tag string, o operation, handler func(context.Context, *I) (*O, error)) {
	op := huma.Operation{
		OperationID: o.id, Method: o.method, Path: o.path, Summary: o.summary, Tags: []string{tag},
		Description:   "Scope: `" + o.scope + "`.",
		DefaultStatus: o.status, Errors: o.errors,
		Security:    []map[string][]string{{wire.BearerScheme: {o.scope}}},
		Middlewares: huma.Middlewares{h.guard(o)},
	}
	if o.on != account {
		op.Errors = append(op.Errors, http.StatusNotFound)
	}
	if o.on == headerProject {
		op.Parameters = []*huma.Param{{
			Name: projectHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "The project's id. May be left out with a key that is bound to exactly one project.",
		}}
	}
	if o.batch {
		op.MaxBodyBytes, op.BodyReadTimeout = wire.BatchBody, 15*time.Second
	}
	huma.Register(h.api, op, handler)
}
