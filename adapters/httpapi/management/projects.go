package management

import (
	"cmp"
	"context"
	"errors"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
)

func (h *handlers) registerProjects() {
	const tag, all, one = "Projects", "/v1/projects", "/v1/projects/{project_id}"
	register(h, tag, operation{id: "create-project", method: "POST", path: all, scope: "projects:write", on: wholeAccount, status: 201,
		errors: []int{409}, summary: "Open a project"}, (*handlers).createProject)
	registerRead(h, tag, operation{id: "list-projects", method: "GET", path: all, scope: "projects:read",
		summary: "List projects"}, (*handlers).listProjects)
	registerRead(h, tag, operation{id: "get-project", method: "GET", path: one, scope: "projects:read", on: pathProject, books: true,
		summary: "Get a project with its statistics"}, (*handlers).getProject)
	register(h, tag, operation{id: "update-project", method: "PATCH", path: one, scope: "projects:write", on: pathProject,
		errors: []int{409}, summary: "Change a project"}, (*handlers).updateProject)
	register(h, tag, operation{id: "delete-project", method: "DELETE", path: one, scope: "projects:write", on: pathProject,
		errors: []int{409}, status: 204, summary: "Delete a project, or close it if it took real money"}, (*handlers).deleteProject)
}

// ProjectItem is a project in a list (spec 2.1).
type ProjectItem struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Slug      string    `json:"slug"`
	Status    string    `json:"status" enum:"active,closing,closed" doc:"A deleted project that took real money is closing while its personal data is erased, and then closed. Its orders, payments and finance can still be read; everything else answers 404."`
	CreatedAt wire.Time `json:"created_at"`
}

type ProjectView struct {
	ProjectItem
	Description string       `json:"description"`
	Settings    flatSettings `json:"settings"`
	UpdatedAt   wire.Time    `json:"updated_at"`
	Endpoints   endpoints    `json:"endpoints"`
}

type endpoints struct {
	ACP string `json:"acp" format:"uri" doc:"Address of the project's ACP API."`
	API string `json:"api" format:"uri" doc:"Address of this API."`
}

type projectDetail struct {
	ProjectView
	Statistics   statistics   `json:"statistics"`
	Integrations []connection `json:"integrations"`
}

type statistics struct {
	Products int        `json:"products"`
	Agents   int        `json:"agents"`
	Orders   int        `json:"orders_30d"`
	Revenue  wire.Money `json:"revenue_30d"`
}

// connection is an integration, in short.
type connection struct {
	Type   string `json:"type"`
	Status string `json:"status"`
}

// flatSettings are a project's own settings (decisions 5). All of them are in the grouped ones.
type flatSettings struct {
	Currency           string       `json:"default_currency" doc:"ISO 4217." example:"USD"`
	Timezone           string       `json:"timezone" doc:"IANA." example:"UTC"`
	Locale             string       `json:"locale" doc:"BCP 47." example:"en-US"`
	NegotiationEnabled bool         `json:"negotiation_enabled"`
	MaxDiscount        wire.Decimal `json:"max_discount_percent"`
}

type flatPatch struct {
	Currency           wire.Optional[string]       `json:"default_currency,omitzero"`
	Timezone           wire.Optional[string]       `json:"timezone,omitzero"`
	Locale             wire.Optional[string]       `json:"locale,omitzero"`
	NegotiationEnabled wire.Optional[bool]         `json:"negotiation_enabled,omitzero"`
	MaxDiscount        wire.Optional[wire.Decimal] `json:"max_discount_percent,omitzero" doc:"0 to 90, at most one decimal."`
}

type newProject struct {
	Name        string                   `json:"name,omitempty" doc:"1 to 200 characters."`
	Slug        string                   `json:"slug,omitempty" doc:"Unique; a part of the project's ACP address."`
	Description string                   `json:"description,omitempty" doc:"At most 5,000 characters."`
	Settings    wire.Optional[flatPatch] `json:"settings,omitzero"`
}

func (newProject) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return documentRequired(s, "name", "slug")
}

type createProjectInput struct{ Body newProject }

type projectOutput struct{ Body ProjectView }

func (h *handlers) createProject(ctx context.Context, rq Request, in *createProjectInput) (*projectOutput, error) {
	caller := rq.Caller.Caller
	check := fault.NewCheck()
	settings := fromAPIFlat(in.Body.Settings, check.In("settings"))
	if err := check.Err(); err != nil {
		return nil, err
	}
	p, err := h.projects(rq).Open(ctx, caller.Account.ID, project.Draft{
		Name: in.Body.Name, Slug: in.Body.Slug, Description: in.Body.Description, Settings: settings,
	})
	if err != nil {
		return nil, err
	}
	noteProject(rq, p.ID)
	out := &projectOutput{h.toAPIProject(p)}
	noteChange(rq, nil, out.Body)
	return out, nil
}

type listProjectsInput struct {
	Paging
	Status string `query:"status" enum:"active,closed" default:"active" doc:"closed: those that are closing, too."`
}

func (h *handlers) listProjects(ctx context.Context, rq Request, in *listProjectsInput) (*listOutput[ProjectItem], error) {
	caller := rq.Caller.Caller
	found, total, err := h.projects(rq).List(ctx, caller.Account.ID, caller.Key.Projects, in.Status == "closed", in.page())
	if err != nil {
		return nil, err
	}
	return toAPIList(found, toAPIProjectItem, in.Paging, total), nil
}

type OnProject struct {
	Project string `path:"project_id"`
}

type projectDetailOutput struct{ Body projectDetail }

func (h *handlers) getProject(ctx context.Context, rq Request, _ *OnProject) (*projectDetailOutput, error) {
	overview, err := h.projects(rq).Overview(ctx, rq.Caller.project)
	if err != nil {
		return nil, err
	}
	return &projectDetailOutput{h.toAPIDetail(overview)}, nil
}

type updateProjectInput struct {
	OnProject
	Body struct {
		Name        wire.Optional[string]    `json:"name,omitzero"`
		Description wire.Optional[string]    `json:"description,omitzero"`
		Settings    wire.Optional[flatPatch] `json:"settings,omitzero"`
	}
}

type updatedProjectOutput struct {
	Body struct {
		ID        string       `json:"id"`
		Name      string       `json:"name"`
		Settings  flatSettings `json:"settings"`
		UpdatedAt wire.Time    `json:"updated_at"`
	}
}

func (h *handlers) updateProject(ctx context.Context, rq Request, in *updateProjectInput) (*updatedProjectOutput, error) {
	check := fault.NewCheck()
	change := project.Change{
		Name: in.Body.Name.Field(), Description: in.Body.Description.Field(),
		Settings: fromAPIFlat(in.Body.Settings, check.In("settings")),
	}
	if err := check.Err(); err != nil {
		return nil, err
	}
	p, err := h.changeProject(ctx, rq, change)
	if err != nil {
		return nil, err
	}
	out := &updatedProjectOutput{}
	out.Body.ID, out.Body.Name = p.ID.String(), p.Name
	out.Body.Settings, out.Body.UpdatedAt = toAPIFlat(p.Settings), wire.ToTime(p.UpdatedAt)
	return out, nil
}

func (h *handlers) changeProject(ctx context.Context, rq Request, c project.Change) (*project.Project, error) {
	v := rq.Caller
	changed, err := h.projects(rq).Change(ctx, v.project.Account, v.project.ID, c, v.address)
	if err != nil {
		return nil, placed(err, c)
	}
	noteChange(rq, loggedSettings(changed.Before), loggedSettings(changed.After))
	return changed.After, nil
}

// placed names the fields of a conflict as the request does.
func placed(err error, c project.Change) error {
	var known *fault.Error
	if !errors.As(err, &known) || known.Kind != fault.Conflict {
		return err
	}
	places := map[string]string{"default_currency": "settings.default_currency"}
	if c.Grouped {
		places = map[string]string{"slug": "general.slug", "default_currency": "general.default_currency"}
	}
	named := *known
	named.Details = each(known.Details, func(d fault.Detail) fault.Detail {
		return fault.Detail{Field: cmp.Or(places[d.Field], d.Field), Message: d.Message}
	})
	return &named
}

type deleteProjectInput struct {
	OnProject
	WithMFA
	Confirmation string `header:"X-Confirm-Delete" doc:"The project's id."`
}

func (h *handlers) deleteProject(ctx context.Context, rq Request, in *deleteProjectInput) (*struct{}, error) {
	p := rq.Caller.project
	if p.Settings.MFARequired && in.Confirmation == p.ID.String() {
		if err := h.access(rq).Confirm(ctx, p.Account, in.MFACode); err != nil {
			return nil, err
		}
	}
	noteChange(rq, h.toAPIProject(p), nil)
	return nil, h.projects(rq).Delete(ctx, p.Account, p.ID, in.Confirmation)
}

func fromAPIFlat(o wire.Optional[flatPatch], check fault.Check) project.SettingsPatch {
	if o.Null() {
		return project.SettingsPatch{
			Currency: patch.Null[string](), Timezone: patch.Null[string](), Locale: patch.Null[string](),
			NegotiationEnabled: patch.Null[bool](), MaxDiscount: patch.Null[money.Percent](),
		}
	}
	flat, _ := o.Value()
	return project.SettingsPatch{
		Currency: flat.Currency.Field(), Timezone: flat.Timezone.Field(), Locale: flat.Locale.Field(),
		NegotiationEnabled: flat.NegotiationEnabled.Field(),
		MaxDiscount:        fromAPIPercent(flat.MaxDiscount, "max_discount_percent", check),
	}
}

func fromAPIPercent(o wire.Optional[wire.Decimal], field string, check fault.Check) patch.Field[money.Percent] {
	return wire.MapField(o, func(d wire.Decimal) money.Percent { return d.Percent(field, check) })
}

func toAPIFlat(s project.Settings) flatSettings {
	return flatSettings{
		Currency: s.Currency.Code(), Timezone: s.Timezone, Locale: s.Locale,
		NegotiationEnabled: s.NegotiationEnabled, MaxDiscount: wire.ToPercent(s.MaxDiscount),
	}
}

func toAPIProjectItem(p *project.Project) ProjectItem {
	return ProjectItem{
		ID: p.ID.String(), Name: p.Name, Slug: p.Slug, Status: p.Status.String(), CreatedAt: wire.ToTime(p.CreatedAt),
	}
}

func (h *handlers) toAPIProject(p *project.Project) ProjectView {
	return ProjectView{
		ProjectItem: toAPIProjectItem(p), Description: p.Description, Settings: toAPIFlat(p.Settings),
		UpdatedAt: wire.ToTime(p.UpdatedAt), Endpoints: endpoints{ACP: h.ACPAddress(p.Slug), API: h.APIAddress},
	}
}

// toAPIDetail counts one agent, the built-in negotiator: a project has no others yet.
func (h *handlers) toAPIDetail(o projects.Overview) projectDetail {
	return projectDetail{
		ProjectView: h.toAPIProject(o.Project), Integrations: each(o.Integrations, toAPIConnection),
		Statistics: statistics{
			Products: o.Statistics.Products, Agents: o.Statistics.Agents,
			Orders: o.Statistics.Orders, Revenue: wire.ToMoney(o.Statistics.Revenue),
		},
	}
}
