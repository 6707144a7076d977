package operation

import (
	"cmp"
	"context"
	"net/http"
	"net/netip"
	"strings"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/access"
	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

const projectHeader = "X-Project-ID"

// Caller is the sender of a request, with the project that the request is about.
type Caller struct {
	access.Caller
	Project   *project.Project // nil for operations on the account
	Address   netip.Addr
	confirmed *bool // whether the second factor was confirmed, also in an earlier run of the transaction
}

// Tenant returns the tenant under which lanes count the request.
func (c Caller) Tenant() string { return c.Account.ID.String() }

type entry = wire.Entry[Caller]

// authenticate finds the account, and counts the request against its rate, before the body is read.
func (a *API) authenticate(e *entry) (err error) {
	w, r := e.Writer, e.Request
	e.Caller = Caller{Address: a.ClientAddress(r), confirmed: new(bool)}
	if err := wire.Single(r.Header, "Authorization", projectHeader, wire.KeyHeader); err != nil {
		return a.countStranger(w, r, e.Caller.Address, err)
	}
	if e.Caller.Caller, err = a.count(w, r, e.Caller.Address); err == nil {
		wire.NoteCaller(r.Context(), e.Caller.Actor())
	}
	return err
}

// authorize lets a request through to its operation if its key has the scope and reaches the project, and if the project
// admits its address (features/MANAGEMENT.md#keys).
func (a *API) authorize(e *entry) (err error) {
	o := a.specs[e.Operation.OperationID]
	if o.own && e.Caller.Member != nil {
		return nil
	}
	if err := e.Caller.Require(o.scope); err != nil && (o.or == "" || !e.Caller.Key.Allows(o.or)) {
		return err
	}
	switch {
	case o.on == PathProject || o.on == HeaderProject:
		if e.Caller.Project, err = a.findProject(e.Request, o, e.Caller); err == nil {
			wire.NoteProject(e.Request.Context(), e.Caller.Project.ID.String())
		}
	case o.on == WholeAccount && len(e.Caller.Key.Projects) > 0:
		err = fault.New(fault.Forbidden, "insufficient_scope", "This API key or role is limited to its projects. Use one that has access to the whole account.")
	}
	return err
}

// count finds the caller, and counts the request for the account, or for the address if the key is invalid. An address over its
// limit is refused before the lookup of a key that is not in the cache.
func (a *API) count(w http.ResponseWriter, r *http.Request, from netip.Addr) (access.Caller, error) {
	if caller, ok := access.From(r.Context()); ok {
		return caller, nil // the console has counted its page
	}
	secret := bearer(r.Header)
	if !a.Access.Known(secret) {
		if v := a.Limiter.Peek(r.Context(), wire.AddressKey(from), a.RateOfStrangers); !v.Allowed {
			return access.Caller{}, wire.Limit(w.Header(), v, a.RateOfStrangers)
		}
	}
	caller, err := a.Access.Authenticate(r.Context(), secret)
	switch {
	case err == nil:
		err = a.limit(w, r, caller.Account.ID.String(), a.Rate(caller.Account.Plan))
	case fault.KindOf(err) == fault.Unauthenticated:
		err = a.countStranger(w, r, from, err)
	}
	return caller, err
}

// countStranger counts a request that is refused with err. If the address has sent too many, it returns that error instead of
// err.
func (a *API) countStranger(w http.ResponseWriter, r *http.Request, from netip.Addr, err error) error {
	return cmp.Or(a.limit(w, r, wire.AddressKey(from), a.RateOfStrangers), err)
}

// Unrouted counts requests to unknown routes like those to operations, and lets next answer them. It requires no key.
func Unrouted(s Services, next http.Handler) http.Handler {
	a := &API{Services: s}
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if _, err := a.count(w, r, a.ClientAddress(r)); fault.KindOf(err) == fault.Limited {
			wire.WriteError(w, r, err)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// limit counts a request against a rate, and sets the headers that say what is left of it.
func (a *API) limit(w http.ResponseWriter, r *http.Request, key string, rate ports.Rate) error {
	return wire.Limit(w.Header(), a.Limiter.Allow(r.Context(), key, rate), rate)
}

func (a *API) findProject(r *http.Request, o spec, c Caller) (*project.Project, error) {
	wanted, err := a.projectID(r, o, c.Caller)
	if err != nil {
		return nil, err
	}
	if !c.Key.Reaches(wanted) {
		return nil, fault.Missing("project")
	}
	p, err := a.Stores.Projects.ByID(r.Context(), c.Account.ID, wanted)
	if fault.KindOf(err) == fault.NotFound {
		return nil, fault.Missing("project")
	}
	if err == nil && p.Status != project.Active && !o.books && o.scope != "finance:read" {
		return nil, fault.Missing("project")
	}
	if err == nil && !projects.Admits(p.Settings, c.Address) {
		err = fault.New(fault.Forbidden, "ip_not_allowed", "The project's ip_allowlist does not contain your address.")
	}
	return p, err
}

// projectID returns the project that a request names by its id or, in the header, by its slug, or else the only project that its
// key is bound to. The slug of another account's project counts as unknown.
func (a *API) projectID(r *http.Request, o spec, caller access.Caller) (id.Project, error) {
	if o.on == PathProject {
		return wire.ID[id.Project](r.PathValue("project_id"), "project")
	}
	switch given := r.Header.Get(projectHeader); {
	case project.IsSlug(given):
		p, err := a.Stores.Storefronts.BySlug(r.Context(), given)
		if err != nil {
			return id.Project{}, err
		}
		if p.Account != caller.Account.ID {
			return id.Project{}, fault.Missing("project")
		}
		return p.ID, nil
	case given != "":
		return wire.ID[id.Project](given, "project")
	}
	if only, ok := caller.Bound(); ok {
		return only, nil
	}
	return id.Project{}, fault.New(fault.Malformed, "project_required", "The header "+projectHeader+" must have the id or slug of the project.")
}

func bearer(h http.Header) string {
	scheme, secret, _ := strings.Cut(h.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return ""
	}
	return strings.TrimSpace(secret)
}

// WithMFA is the header that confirms an operation.
type WithMFA struct {
	MFACode string `header:"X-MFA-Code" doc:"The authenticator's current code, or a recovery code, if a second factor is required."`
}

// ConfirmIfRequired asks for the second factor before money is given back or personal data leaves, where the project requires one
// (features/MANAGEMENT.md#keys). Its code is spent once, however often the request's transaction is run.
func (a *API) ConfirmIfRequired(ctx context.Context, rq Request, code string) error {
	if !rq.Caller.Project.Settings.MFARequired {
		return nil
	}
	return a.ConfirmAlways(ctx, rq, code)
}

// ConfirmAlways asks for the second factor, whatever the project's settings say. Its code is spent once, however
// often the request's transaction is run.
func (a *API) ConfirmAlways(ctx context.Context, rq Request, code string) error {
	v := rq.Caller
	if *v.confirmed {
		return nil
	}
	err := a.Access.In(rq.Stores).Confirm(ctx, v.Holder(), code)
	*v.confirmed = err == nil
	return err
}
