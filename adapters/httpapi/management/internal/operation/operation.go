package operation

import (
	"context"
	"net/http"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/ports"
)

// API is the Management API: its services, and its operations, which Register and its variants add.
type API struct {
	Services
	mount *wire.Mount[Caller, *ports.Stores]
	lines map[string]Spec // by id
}

// New makes an API without operations, whose OpenAPI document is that of api.
func New(api huma.API, s Services) *API {
	a := &API{Services: s, lines: map[string]Spec{}}
	a.mount = &wire.Mount[Caller, *ports.Stores]{
		API:    api,
		Style:  wire.Plain,
		Steps:  []wire.Step[Caller]{a.authenticate, a.authorize, wire.Check[Caller]},
		Tenant: Caller.Tenant,
		Stores: s.Stores,
		Begin:  s.Begin,
		Keys:   s.Keys,
		Rules:  wire.KeyRules[Caller]{Owner: keyOwner},
		Audit:  a.event,
	}
	return a
}

// Document is the OpenAPI document that the operations are added to.
func (a *API) Document() *huma.OpenAPI { return a.mount.API.OpenAPI() }

// Spec describes an operation. It is on a project if its path names one, or if
// the header X-Project-ID does.
type Spec struct {
	ID      string
	Method  string
	Path    string
	Scope   string
	Status  int
	On      Subject
	Errors  []int // beyond those that every operation may answer
	Batch   bool  // of many things: the body may be larger
	Asks    bool  // a payment provider, which may take its time
	CSV     bool  // answers with a table: see Download
	Books   bool  // also on a project that is closing or closed, as every operation with the scope finance:read is
	Summary string
	// Again is the body of the answer 200, which is that nothing had to be made; nil: there is none.
	Again reflect.Type
	// Deprecated tells clients by when to move on; nil: it is not.
	Deprecated *wire.Deprecation
}

// Subject is what an operation is on.
type Subject int

const (
	TheAccount    Subject = iota // the caller's, as far as the key reaches
	WholeAccount                 // not for keys that are bound to projects
	PathProject                  // the project in the path
	HeaderProject                // the project of X-Project-ID
)

// Register adds an operation whose handler runs within the request's transaction, with its event in the audit log.
func Register[I, O any](a *API, tag string, o Spec, handle func(context.Context, Request, *I) (*O, error)) {
	wire.AddAtomic(a.mount, a.operation(tag, o), handle)
}

// RegisterRead adds an operation that changes nothing.
func RegisterRead[I, O any](a *API, tag string, o Spec, handle func(context.Context, Request, *I) (*O, error)) {
	wire.AddReadOnly(a.mount, a.operation(tag, o), handle)
}

// RegisterPhased adds an operation that calls third parties and is no change for the audit log.
func RegisterPhased[I, O any](a *API, tag string, o Spec, handle func(ports.Outbound, Request, *I) (*O, error)) {
	wire.AddPhased(a.mount, a.operation(tag, o), handle)
}

// Plan is what a handler has worked out for the request's transaction.
type Plan[O any] = wire.Plan[*ports.Stores, O]

// RegisterPrepared adds an operation that calls third parties before its transaction.
func RegisterPrepared[I, O any](a *API, tag string, o Spec, handle func(ports.Outbound, Request, *I) (Plan[O], error)) {
	wire.AddPrepared(a.mount, a.operation(tag, o), handle)
}

// RegisterClaimed adds an operation that calls third parties before its transaction and must not call them twice.
func RegisterClaimed[I, O any](a *API, tag string, o Spec, handle func(ports.Outbound, Request, *I) (Plan[O], error)) {
	wire.AddClaimed(a.mount, a.operation(tag, o), handle)
}

// Stage is what an operation does after its transaction. Its answer takes the place of the first one, unless it fails.
type Stage[O any] = wire.Second[Caller, *ports.Stores, O]

// RegisterStaged adds an operation of two stages. The first one runs within the transaction. Then the stage that it
// returns, if any, asks a payment provider, and answers with how things stand after that. A crash between the two leaves
// the first answer, such as a pending refund, which the background work goes on with.
func RegisterStaged[I, O any](a *API, tag string, o Spec, handle func(context.Context, Request, *I) (*O, Stage[O], error)) {
	o.Asks = true
	wire.AddStaged(a.mount, a.operation(tag, o), handle)
}

// operation makes the Huma operation of a Spec.
func (a *API) operation(tag string, o Spec) wire.Operation {
	a.lines[o.ID] = o
	op := huma.Operation{
		OperationID: o.ID, Method: o.Method, Path: o.Path, Summary: o.Summary, Tags: []string{tag},
		Description:   "Scope: `" + o.Scope + "`.",
		DefaultStatus: o.Status, Errors: o.Errors,
		Security: []map[string][]string{{wire.BearerScheme: {o.Scope}}},
	}
	if o.On == PathProject || o.On == HeaderProject {
		op.Errors = append(op.Errors, http.StatusNotFound)
	}
	if o.On == HeaderProject {
		op.Parameters = []*huma.Param{{
			Name: projectHeader, In: "header", Schema: &huma.Schema{Type: huma.TypeString},
			Description: "The project's id. May be left out with a key that is bound to exactly one project.",
		}}
	}
	if o.Batch {
		op.MaxBodyBytes = wire.BatchBody
	}
	if o.CSV {
		op.Responses = csvAnswer()
	}
	if o.Again != nil {
		op.Responses = map[string]*huma.Response{"200": {
			Description: "It was there already.",
			Content:     map[string]*huma.MediaType{"application/json": {Schema: a.Document().Components.Schemas.Schema(o.Again, true, "")}},
		}}
	}
	lane := a.Lane
	if o.Asks { // what waits for payment providers does so among payments
		lane = a.PaymentLane
	}
	return wire.Operation{Operation: op, Lane: lane, Deprecated: o.Deprecated}
}

// ReadScope is the scope to read what an operation is about.
func (a *API) ReadScope(id string) string {
	group, _, _ := strings.Cut(a.lines[id].Scope, ":")
	return group + ":read"
}
