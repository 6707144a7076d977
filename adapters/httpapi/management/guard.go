package management

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/app/connecting"
	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

const projectHeader = "X-Project-ID"

type visitKey struct{}

// visit is what the guard learned of a request.
type visit struct {
	caller    access.Caller
	project   *project.Project // nil for operations on the account
	address   netip.Addr
	services  *Services             // of the request's transaction; nil: it has none
	note      *note                 // for the audit log
	confirmed *bool                 // whether the second factor was given, in whichever run of the request
	consented *connecting.Consented // what a state was redeemed for, in whichever run of the request
	next      any                   // the second stage of an operation, which this run is; nil: it is the first
}

// tenant is who shares the lanes with others.
func (v visit) tenant() string { return v.caller.Account.ID.String() }

func visitOf(ctx context.Context) visit { return ctx.Value(visitKey{}).(visit) }

// projectOf is the project that the request is about.
func projectOf(ctx context.Context) *project.Project { return visitOf(ctx).project }

// guard lets a request through to its operation if its account's rate allows it, if its key has the
// scope and reaches the project, and if the project admits its address (decisions 3). Bodies are not
// read before.
func (h *handlers) guard(o operation) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humago.Unwrap(ctx)
		v, err := h.admit(w, r, o)
		switch {
		case err == nil:
			next(huma.WithValue(ctx, visitKey{}, v))
		case o.method == http.MethodDelete && fault.KindOf(err) == fault.NotFound && h.Once.ReplayGone(w, r, keyOwner(v, r)):
			// The answer was that of the request that deleted the project.
		default:
			wire.WriteError(w, r, err)
		}
	}
}

func (h *handlers) admit(w http.ResponseWriter, r *http.Request, o operation) (visit, error) {
	v := visit{address: h.ClientAddress(r)}
	err := single(r.Header, "Authorization", projectHeader, wire.KeyHeader)
	if err != nil {
		return v, h.countStranger(w, r, v.address, err)
	}
	if v.caller, err = h.count(w, r, v.address); err != nil {
		return v, err
	}
	if err := v.caller.Require(o.scope); err != nil {
		return v, err
	}
	switch {
	case o.on == pathProject || o.on == headerProject:
		v.project, err = h.findProject(r, o, v)
	case o.on == wholeAccount && len(v.caller.Key.Projects) > 0:
		err = fault.New(fault.Forbidden, "insufficient_scope", "This API key is bound to its projects and does not act for the whole account.")
	}
	return v, err
}

// count asks who calls, and counts the request for the account or the stranger. A stranger who may send
// nothing more is refused before a key that is not known costs a lookup.
func (h *handlers) count(w http.ResponseWriter, r *http.Request, from netip.Addr) (access.Caller, error) {
	secret := bearer(r.Header)
	if !h.Access.Known(secret) {
		if v := h.Limiter.Look(r.Context(), wire.AddressKey(from), h.RateOfStrangers); !v.Allowed {
			return access.Caller{}, wire.Limit(w.Header(), v, h.RateOfStrangers)
		}
	}
	caller, err := h.Access.Authenticate(r.Context(), secret)
	switch {
	case err == nil:
		err = h.limit(w, r, caller.Account.ID.String(), h.Rate(caller.Account.Plan))
	case fault.KindOf(err) == fault.Unauthenticated:
		err = h.countStranger(w, r, from, err)
	}
	return caller, err
}

// countStranger counts a request that err refuses, and says so first if there were too many.
func (h *handlers) countStranger(w http.ResponseWriter, r *http.Request, from netip.Addr, err error) error {
	return cmp.Or(h.limit(w, r, wire.AddressKey(from), h.RateOfStrangers), err)
}

// Unrouted counts requests that no operation answers like those of operations, and leaves the answer to
// next. It needs no key.
func Unrouted(s Services, next http.Handler) http.Handler {
	h := &handlers{Services: s}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := h.count(w, r, h.ClientAddress(r)); fault.KindOf(err) == fault.Limited {
			wire.WriteError(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// limit counts a request against a rate, and tells the client what is left of it.
func (h *handlers) limit(w http.ResponseWriter, r *http.Request, key string, rate ports.Rate) error {
	return wire.Limit(w.Header(), h.Limiter.Take(r.Context(), key, rate), rate)
}

func (h *handlers) findProject(r *http.Request, o operation, v visit) (*project.Project, error) {
	wanted, err := projectID(r, o, v.caller)
	if err != nil {
		return nil, err
	}
	if !v.caller.Key.Reaches(wanted) {
		return nil, fault.Missing("project")
	}
	p, err := h.ProjectStore.ByID(r.Context(), v.caller.Account.ID, wanted)
	if fault.KindOf(err) == fault.NotFound {
		return nil, fault.Missing("project")
	}
	if err == nil && p.Status != project.Active && !o.books && o.scope != "finance:read" {
		return nil, fault.Missing("project")
	}
	if err == nil && !projects.Admits(p.Settings, v.address) {
		err = fault.New(fault.Forbidden, "ip_not_allowed", "This project does not admit your address.")
	}
	return p, err
}

// projectID is the project that a request names, or the only one that its key is bound to.
func projectID(r *http.Request, o operation, caller access.Caller) (id.Project, error) {
	if o.on == pathProject {
		return wire.ID[id.Project](r.PathValue("project_id"), "project")
	}
	if given := r.Header.Get(projectHeader); given != "" {
		return wire.ID[id.Project](given, "project")
	}
	if only, ok := caller.Bound(); ok {
		return only, nil
	}
	return id.Project{}, fault.New(fault.Malformed, "project_required", "The header "+projectHeader+" must name the project.")
}

// single refuses headers that are there twice: who reads the first one and who reads the last one would
// not agree on the caller.
func single(h http.Header, names ...string) error {
	for _, name := range names {
		if len(h.Values(name)) > 1 {
			return fault.New(fault.Malformed, "invalid_request", "The request's parameters are invalid.").With(name, "must not be repeated")
		}
	}
	return nil
}

func bearer(h http.Header) string {
	scheme, secret, _ := strings.Cut(h.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}
