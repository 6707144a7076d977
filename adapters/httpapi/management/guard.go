package management

import (
	"context"
	"net/http"
	"net/netip"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
)

const projectHeader = "X-Project-ID"

type visitKey struct{}

// visit is what the guard learned of a request.
type visit struct {
	caller  access.Caller
	project *project.Project // nil for operations on the account
	address netip.Addr
}

func visitOf(ctx context.Context) visit { return ctx.Value(visitKey{}).(visit) }

// projectOf is the project that the request is about.
func projectOf(ctx context.Context) *project.Project { return visitOf(ctx).project }

// guard lets a request through to its operation if its key has the scope and reaches the project, and
// if the project admits its address (decisions 3). Bodies are not read before.
func (h *handlers) guard(o operation) func(huma.Context, func(huma.Context)) {
	return func(ctx huma.Context, next func(huma.Context)) {
		r, w := humago.Unwrap(ctx)
		v, err := h.admit(r, o)
		if err != nil {
			wire.WriteError(w, r, err)
			return
		}
		next(huma.WithValue(ctx, visitKey{}, v))
	}
}

func (h *handlers) admit(r *http.Request, o operation) (visit, error) {
	caller, err := h.Access.Authenticate(r.Context(), bearer(r.Header))
	if err != nil {
		return visit{}, err
	}
	if err := caller.Require(o.scope); err != nil {
		return visit{}, err
	}
	v := visit{caller: caller, address: h.ClientAddress(r)}
	if o.on == account {
		return v, nil
	}
	wanted, err := projectID(r, o, caller)
	if err != nil {
		return visit{}, err
	}
	missing := fault.Missing("project")
	if !caller.Key.Reaches(wanted) {
		return visit{}, missing
	}
	v.project, err = h.ProjectStore.ByID(r.Context(), caller.Account.ID, wanted)
	switch {
	case fault.KindOf(err) == fault.NotFound:
		return visit{}, missing
	case err != nil:
		return visit{}, err
	case !projects.Admits(v.project.Settings, v.address):
		return visit{}, fault.New(fault.Forbidden, "ip_not_allowed", "This project does not admit your address.")
	}
	return v, nil
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

func bearer(h http.Header) string {
	scheme, secret, _ := strings.Cut(h.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}

// connected is the address of who opened the connection.
func connected(r *http.Request) netip.Addr {
	address, err := netip.ParseAddrPort(r.RemoteAddr)
	if err != nil {
		return netip.Addr{}
	}
	return address.Addr().Unmap()
}
