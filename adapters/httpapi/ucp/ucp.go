// Package ucp is the Universal Commerce Protocol over HTTP (REST), in its versions 2026-08-25 and 2026-04-08 side by side: it
// turns requests into calls of the use cases and their answers into the protocol's JSON, and decides nothing itself.
//
// # Choices
//
// One set of types serves both versions; what differs follows from the version of the request's address. A business outcome, a
// refusal included, is an answer with status 200: the resource with messages, or the envelope of an error where there is no
// resource. Only transport errors are HTTP errors: an unreadable body, a missing profile, a reused idempotency key, a rate limit,
// an internal error.
//
// These operations are in a document of their own (OpenAPI 3.1), not in Haggle's: ucp.dev documents them.
package ucp

import (
	"errors"
	"net/http"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/identity"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

type (
	// Request is what a handler gets in addition to its input.
	Request = commerce.Request
	entry   = wire.Entry[commerce.Buyer]
)

// plan is what a handler has prepared for the request's transaction.
type plan[O any] = wire.Plan[*ports.Stores, O]

// Version is a served version of the protocol.
type Version struct {
	release capability.Version
	date    string // the version's name in the protocol
	prefix  string // of its addresses, below the shop's
}

var (
	// August is the current version.
	August = Version{release: capability.V20260825, date: "2026-08-25"}
	// April is the previous version. It has no request constraints, and other forms of profile, destination and option.
	April = Version{
		release: capability.V20260408,
		date:    "2026-04-08",
		prefix:  "/2026-04-08",
	}
)

// Versions lists all versions, the current one first.
var Versions = []Version{August, April}

func (v Version) String() string { return v.date }

// Config is the server's configuration of the protocol.
type Config struct {
	// Authority is the prefix of the names of the server's own extensions: the reversed host of its public URL.
	Authority string
	// Negotiation is the name of our own capability.
	Negotiation capability.Name
	// SchemaURL is the folder in which the schemas of these are published.
	SchemaURL string
}

// Register adds the operations of every project, in all versions. api is not Haggle's own.
func Register(api huma.API, s *commerce.Services, c Config) {
	all := map[capability.Version]*handlers{}
	for _, v := range Versions {
		h := &handlers{
			Services: s,
			config:   c,
			version:  v,
			all:      all,
		}
		all[v.release] = h
		open := s.Mount(api, h.style(), h.keyRules())
		open.Steps = append(open.Steps, commerce.UCP.Spoken, func(e *entry) error { return commerce.Vouch(e, h.identify) })
		h.mount = open
		h.registerProfile()
		h.mount = s.Mount(api, h.style(), h.keyRules(), cancelCheckoutID+"-"+v.date)
		h.mount.Steps = append(h.mount.Steps, commerce.UCP.Spoken, h.identify)
		h.registerCatalog()
		h.registerCarts()
		h.registerCheckouts()
		h.registerNegotiations()
		h.registerOrders()
	}
}

// RegisterUnrouted answers requests to unknown paths below the REST endpoints with errors in the protocol's form.
func RegisterUnrouted(mux *http.ServeMux) {
	for _, v := range Versions {
		style := (&handlers{version: v}).style()
		answer := wire.UnroutedBut(mux, style, func(*http.Request) string { return "The operations are those of " + profilePath + "." })
		endpoint := "/p/{slug}" + v.prefix + restPath
		mux.HandleFunc(endpoint, answer)
		mux.HandleFunc(endpoint+"/", answer)
	}
}

// handlers are those of one version.
type handlers struct {
	*commerce.Services
	config  Config
	version Version
	mount   *commerce.Mount
	all     map[capability.Version]*handlers
	tools   bool // the operations are those of the tools
}

// as returns the handlers of the version that was agreed on with the agent. Its request may have come to the current version's
// address.
func (h *handlers) as(rq Request) *handlers {
	if agreed := h.all[rq.Caller.Platform.Active.Release()]; agreed != nil {
		return agreed
	}
	return h
}

// needs is the key, in an operation's metadata, of the capability that the operation belongs to.
const needs = "ucp capability"

// identify identifies the agent of a request, and negotiates the capabilities. The address of the current version serves agents
// of all versions, that of an older version only its own.
func (h *handlers) identify(e *entry) error {
	caller, err := h.Identify(e, func(r *identity.Request) error {
		for _, v := range Versions {
			if v == h.version || h.version == August {
				r.Business = append(r.Business, capability.Served(v.release, h.config.Negotiation))
			}
		}
		r.Anonymous = h.tools // plain MCP clients do not identify themselves
		r.Needs, _ = e.Operation.Metadata[needs].(capability.Name)
		r.MustSign = r.Needs == capability.Order && e.Caller.Shop.Settings.AgentsSign(h.Sandbox)
		return nil
	})
	e.Caller.Platform = caller
	var refused *fault.Error
	if errors.As(err, &refused) && refused.Code == capability.Incompatible {
		return refused.Because(handoff{h.Address(e.Caller.Shop.Slug)})
	}
	return err
}

// Serves reports whether a path below the address of a shop belongs to the protocol: a profile, an operation or an endpoint of
// tools.
func Serves(path string) bool {
	for _, v := range Versions {
		rest, ok := strings.CutPrefix(path, v.prefix)
		if ok && (rest == profilePath || rest == mcpPath || strings.HasPrefix(rest, restPath+"/")) {
			return true
		}
	}
	return false
}

// restPath is the path of the REST endpoint below the address of a shop and version.
const restPath = "/ucp"

// mcpPath is the path of the MCP endpoint, and toolsPath that of the operations behind its tools, below the same address.
const (
	mcpPath   = "/mcp"
	toolsPath = mcpPath + "/tools"
)

// These are the names of the operations, and of the MCP tools.
const (
	profileID          = "ucp_profile"
	createCartID       = "create_cart"
	createCheckoutID   = "create_checkout"
	cancelCheckoutID   = "cancel_checkout"
	completeCheckoutID = "complete_checkout"
)

// of has an operation need a capability.
func (h *handlers) of(name capability.Name, op huma.Operation) wire.Operation {
	made := h.operation(op)
	made.Metadata = map[string]any{needs: name}
	commerce.Costs(&made.Operation, costOf(op))
	return made
}

// costOf returns how many requests an operation counts as. Writing a checkout computes shipping and tax, and a payment calls a
// provider.
func costOf(op huma.Operation) int {
	switch {
	case op.Method == http.MethodGet || !strings.HasPrefix(op.Path, checkoutsPath):
		return 1
	case op.OperationID == completeCheckoutID:
		return 5
	}
	return 2
}

// operation returns the operation with its path below the address of the shop, or of the shop's REST endpoint.
func (h *handlers) operation(op huma.Operation) wire.Operation {
	if h.tools {
		op.Path = toolsPath + strings.TrimPrefix(op.Path, restPath)
	}
	op.Path = "/p/{slug}" + h.version.prefix + op.Path
	op.OperationID += "-" + h.version.date
	op.Parameters = []*huma.Param{{
		Name:        "slug",
		In:          "path",
		Required:    true,
		Description: "The shop's slug.",
		Schema:      &huma.Schema{Type: huma.TypeString},
		Example:     "demo",
	}}
	op.Errors = append(op.Errors, http.StatusNotFound)
	return wire.Operation{Operation: op, Lane: h.Lane}
}

// address returns the base URL of the shop's endpoints in the version.
func (h *handlers) address(rq Request) string {
	return h.Address(rq.Caller.Shop.Slug) + h.version.prefix
}
