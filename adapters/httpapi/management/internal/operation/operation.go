package operation

import (
	"context"
	"net/http"
	"reflect"
	"regexp"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/ports"
)

// API is the Management API: its services and its operations. Register and its variants add operations.
type API struct {
	Services
	mount *wire.Mount[Caller, *ports.Stores]
	specs map[string]spec // by id
}

// New returns an API without operations that uses the OpenAPI document of api.
func New(api huma.API, s Services) *API {
	a := &API{Services: s, specs: map[string]spec{}}
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

// Group is a group of operations with one tag in the documentation. The subject of an operation is that of the group, or the
// project in its path. Its scope is the group's with :read for a GET, and with :write otherwise.
type Group struct {
	*API
	tag   string
	scope string
	on    Subject
}

// Group begins a group of operations.
func (a *API) Group(tag, scope string, on Subject) Group {
	return Group{
		API:   a,
		tag:   tag,
		scope: scope,
		on:    on,
	}
}

// Subject is what an operation is on.
type Subject int

const (
	TheAccount    Subject = iota // the caller's, as far as the key reaches
	WholeAccount                 // not for keys that are bound to projects
	PathProject                  // the project in the path
	HeaderProject                // the project of X-Project-ID
)

// spec is a Huma operation with what the API adds to it.
type spec struct {
	wire.Operation
	scope string
	or    string // another scope that suffices; "": none
	on    Subject
	books bool
	own   bool
	// target is the path parameter with the id of the changed object, unless the handler notes another one.
	target string
}

// Option changes an operation from the default.
type Option func(*API, *spec)

var (
	// Created and Accepted are the statuses of the answer, in the place of 200, or of 204 for a DELETE.
	Created, Accepted = status(http.StatusCreated), status(http.StatusAccepted)
	// NoContent is the status of an answer without a body to a request that is no DELETE.
	NoContent = status(http.StatusNoContent)
	// Batch operations change many objects, so their bodies may be larger.
	Batch Option = func(_ *API, o *spec) { o.MaxBodyBytes = wire.BatchBody }
	// OneProduct operations write a product with all of its variants.
	OneProduct Option = func(_ *API, o *spec) { o.MaxBodyBytes = wire.ProductBody }
	// CSV operations answer with a table (see Download).
	CSV Option = func(_ *API, o *spec) { o.Responses = csvAnswer() }
	// Books operations also work on a closing or closed project, as all with the scope finance:read do.
	Books Option = func(_ *API, o *spec) { o.books = true }
	// Own operations let members manage what is their own, in any role.
	Own Option = func(_ *API, o *spec) { o.own = true }
	// AsksProvider marks operations that wait for payment providers. They run in the payment lane.
	AsksProvider Option = func(a *API, o *spec) { o.Lane = a.PaymentLane }
)

func status(code int) Option { return func(_ *API, o *spec) { o.DefaultStatus = code } }

// Errors are statuses of errors beyond those that every operation may answer.
func Errors(codes ...int) Option {
	return func(_ *API, o *spec) { o.Errors = append(o.Errors, codes...) }
}

// Scope is another scope than the group's.
func Scope(scope string) Option { return func(_ *API, o *spec) { o.scope = scope } }

// OrScope is another scope that is enough, too.
func OrScope(scope string) Option { return func(_ *API, o *spec) { o.or = scope } }

// On is another subject than the group's.
func On(subject Subject) Option { return func(_ *API, o *spec) { o.on = subject } }

// Again documents the body of the answer 200, which means that nothing had to be created.
func Again[T any]() Option {
	return func(a *API, o *spec) {
		o.Responses = map[string]*huma.Response{"200": {
			Description: "It existed already.",
			Content: map[string]*huma.MediaType{
				"application/json": {Schema: a.Document().Components.Schemas.Schema(reflect.TypeFor[T](), true, "")},
			},
		}}
	}
}

// Register adds an operation. A GET changes nothing. The handler of any other method runs within the request's transaction, with
// its event in the audit log.
func Register[I, O any](g Group, id, route, summary string, handle func(context.Context, Request, *I) (*O, error), options ...Option) {
	op := g.operation(id, route, summary, options)
	if op.Method == http.MethodGet {
		wire.AddReadOnly(g.mount, op, handle)
	} else {
		wire.AddAtomic(g.mount, op, handle)
	}
}

// RegisterPhased adds an operation that calls third parties and has no audit event.
func RegisterPhased[I, O any](g Group, id, route, summary string, handle func(ports.Outbound, Request, *I) (*O, error), options ...Option) {
	wire.AddPhased(g.mount, g.operation(id, route, summary, options), handle)
}

// Plan is what a handler has prepared for the request's transaction.
type Plan[O any] = wire.Plan[*ports.Stores, O]

// RegisterPrepared adds an operation that calls third parties before its transaction.
func RegisterPrepared[I, O any](g Group, id, route, summary string, handle func(ports.Outbound, Request, *I) (Plan[O], error), options ...Option) {
	wire.AddPrepared(g.mount, g.operation(id, route, summary, options), handle)
}

// RegisterClaimed adds an operation that calls third parties before its transaction and must not call them twice.
func RegisterClaimed[I, O any](g Group, id, route, summary string, handle func(ports.Outbound, Request, *I) (Plan[O], error), options ...Option) {
	wire.AddClaimed(g.mount, g.operation(id, route, summary, options), handle)
}

// Stage is what an operation does after its transaction. Its answer replaces the first one, unless it fails.
type Stage[O any] = wire.Second[Caller, *ports.Stores, O]

// RegisterStaged adds an operation of two stages. The first one runs within the transaction. Then the stage that it returns, if
// any, calls a payment provider, and answers with the resulting state. After a crash between the two the first answer stands,
// such as a pending refund, and background work continues it.
func RegisterStaged[I, O any](g Group, id, route, summary string, handle func(context.Context, Request, *I) (*O, Stage[O], error), options ...Option) {
	wire.AddStaged(g.mount, g.operation(id, route, summary, append(options, AsksProvider)), handle)
}

// RegisterFollowed is RegisterStaged for an operation whose second stage calls no payment provider.
func RegisterFollowed[I, O any](g Group, id, route, summary string, handle func(context.Context, Request, *I) (*O, Stage[O], error), options ...Option) {
	wire.AddStaged(g.mount, g.operation(id, route, summary, options), handle)
}

// RegisterStored adds an operation whose body, of at most limit bytes, is stored as it arrives, before its transaction begins.
// Its handler gets the value that store returns.
func RegisterStored[I, O any](g Group, id, route, summary string, media []string, limit int64, store wire.Store[Caller, *ports.Stores],
	handle func(context.Context, Request, *I, any) (*O, error), options ...Option) {
	wire.AddStored(g.mount, g.operation(id, route, summary, options), media, limit, store, handle)
}

// operation returns an operation of the group. Its route is a method and a path.
func (g Group) operation(id, route, summary string, options []Option) wire.Operation {
	method, path, _ := strings.Cut(route, " ")
	o := spec{
		Operation: wire.Operation{Lane: g.Lane},
		on:        g.on,
		scope:     g.scope + ":write",
		target:    lastID(path),
	}
	o.OperationID, o.Method, o.Path, o.Summary, o.Tags = id, method, path, summary, []string{g.tag}
	switch method {
	case http.MethodGet:
		o.scope = g.scope + ":read"
	case http.MethodDelete:
		o.DefaultStatus = http.StatusNoContent
	}
	if strings.Contains(path, "{project_id}") {
		o.on = PathProject
	}
	for _, option := range options {
		option(g.API, &o)
	}
	if o.on == PathProject || o.on == HeaderProject {
		o.Errors = append(o.Errors, http.StatusNotFound)
	}
	if o.on == HeaderProject {
		o.Parameters = []*huma.Param{{
			Name:        projectHeader,
			In:          "header",
			Schema:      &huma.Schema{Type: huma.TypeString},
			Description: "The project's id or slug. Optional for a key that is bound to exactly one project.",
		}}
	}
	o.Description = "Scope: `" + o.scope + "`."
	if o.own {
		o.Description += " Members need none for their own data."
	}
	o.Security = []map[string][]string{{wire.BearerScheme: {o.scope}}}
	if o.or != "" {
		o.Description = "Scope: `" + o.scope + "` or `" + o.or + "`."
		o.Security = append(o.Security, map[string][]string{wire.BearerScheme: {o.or}})
	}
	if said := prose[id]; said != "" {
		o.Description = said + " " + o.Description
	}
	g.specs[id] = o
	return o.Operation
}

var pathID = regexp.MustCompile(`.*\{(\w+_id)\}`)

// lastID is the name of the last id in a path, or "".
func lastID(path string) string {
	if found := pathID.FindStringSubmatch(path); found != nil {
		return found[1]
	}
	return ""
}

// ReadScope returns the scope for reading the object of an action in the audit log, which is an operation or a sign-in.
func (a *API) ReadScope(id string) string {
	if audit.OfSignIn(id) {
		return "keys:read"
	}
	group, _, _ := strings.Cut(a.specs[id].scope, ":")
	return group + ":read"
}
