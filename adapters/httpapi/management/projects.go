package management

import (
	"cmp"
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/projects"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/project"
)

func (h *handlers) registerProjects() {
	const all, one = "/v1/projects", "/v1/projects/{project_id}"
	g := h.Group("Projects", "projects", operation.TheAccount)
	operation.Register(g, "create-project", "POST "+all, "Create a project", h.createProject,
		operation.Created, operation.Errors(409), operation.On(operation.WholeAccount))
	operation.Register(g, "list-projects", "GET "+all, "List projects", operation.HandleList(h.listProjects, toAPIProjectItem))
	operation.Register(g, "get-project", "GET "+one, "Get a project with its statistics", wire.HandleOne(h.getProject, h.toAPIDetail), operation.Books)
	operation.Register(g, "update-project", "PATCH "+one, "Change a project", h.updateProject, operation.Errors(409))
	operation.Register(g, "delete-project", "DELETE "+one, "Delete a project, or close it if it took real money", h.deleteProject,
		operation.Errors(409))
}

// ProjectItem is a project in a list (features/MANAGEMENT.md#projects).
type ProjectItem struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Slug      string    `json:"slug"`
	Status    string    `json:"status" enum:"active,closing,closed" doc:"A deleted project that took real money is closing while its personal data is erased, and then closed. Its orders, payments and finance can still be read; all other requests return 404."`
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
	ACP string `json:"acp" format:"uri" doc:"The address of the project's ACP API."`
	API string `json:"api" format:"uri" doc:"The address of this API."`
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

// flatSettings has some of a project's settings without groups (features/MANAGEMENT.md#projects). All of them are in the grouped
// ones.
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
	Slug        string                   `json:"slug,omitempty" doc:"Unique; it is part of the project's ACP address."`
	Description string                   `json:"description,omitempty" doc:"At most 5,000 characters."`
	Settings    wire.Optional[flatPatch] `json:"settings,omitzero"`
}

func (newProject) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return operation.DocumentRequired(s, "name", "slug")
}

func (h *handlers) createProject(ctx context.Context, rq operation.Request, in *wire.Input[newProject]) (*wire.Output[ProjectView], error) {
	caller := rq.Caller.Caller
	check := fault.NewCheck()
	settings := fromAPIFlat(in.Body.Settings, check.In("settings"))
	if err := check.Err(); err != nil {
		return nil, err
	}
	p, err := h.Projects.In(rq.Stores).Open(ctx, caller.Account.ID, project.Draft{
		Name:        in.Body.Name,
		Slug:        in.Body.Slug,
		Description: in.Body.Description,
		Settings:    settings,
	})
	if err != nil {
		return nil, err
	}
	operation.NoteProject(rq, p.ID)
	out := &wire.Output[ProjectView]{Body: h.toAPIProject(p)}
	operation.NoteChange(rq, nil, out.Body)
	return out, nil
}

type listProjectsInput struct {
	operation.Paging
	Status string `query:"status" enum:"active,closed" default:"active" doc:"closed includes projects that are closing."`
}

func (h *handlers) listProjects(ctx context.Context, rq operation.Request, in *listProjectsInput) ([]*project.Project, int, error) {
	caller := rq.Caller.Caller
	return h.Projects.In(rq.Stores).List(ctx, caller.Account.ID, caller.Key.Projects, in.Status == "closed", in.Page())
}

type OnProject struct {
	Project string `path:"project_id"`
}

func (h *handlers) getProject(ctx context.Context, rq operation.Request, _ *OnProject) (projects.Overview, error) {
	return h.Projects.In(rq.Stores).Overview(ctx, rq.Caller.Project)
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

func (h *handlers) updateProject(ctx context.Context, rq operation.Request, in *updateProjectInput) (*updatedProjectOutput, error) {
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

func (h *handlers) changeProject(ctx context.Context, rq operation.Request, c project.Change) (*project.Project, error) {
	v := rq.Caller
	changed, err := h.Projects.In(rq.Stores).Change(ctx, v.Project.Account, v.Project.ID, c, v.Address)
	if err != nil {
		return nil, placed(err, c)
	}
	operation.NoteChange(rq, loggedSettings(changed.Before), loggedSettings(changed.After))
	return changed.After, nil
}

// placed renames the fields of a conflict to those of the request.
func placed(err error, c project.Change) error {
	if fault.KindOf(err) != fault.Conflict {
		return err
	}
	places := map[string]string{"default_currency": "settings.default_currency"}
	if c.Grouped {
		places = map[string]string{"slug": "general.slug", "default_currency": "general.default_currency"}
	}
	return operation.RenameFields(err, func(field string) string { return cmp.Or(places[field], field) })
}

type deleteProjectInput struct {
	OnProject
	operation.WithMFA
	Confirmation string `header:"X-Confirm-Delete" doc:"The project's id."`
}

func (h *handlers) deleteProject(ctx context.Context, rq operation.Request, in *deleteProjectInput) (*struct{}, error) {
	p := rq.Caller.Project
	if p.Settings.MFARequired && in.Confirmation == p.ID.String() {
		if err := h.Access.In(rq.Stores).Confirm(ctx, rq.Caller.Holder(), in.MFACode); err != nil {
			return nil, err
		}
	}
	operation.NoteChange(rq, h.toAPIProject(p), nil)
	return nil, h.Projects.In(rq.Stores).Delete(ctx, p.Account, p.ID, in.Confirmation)
}

func fromAPIFlat(o wire.Optional[flatPatch], check fault.Check) project.SettingsPatch {
	flat := o.Group()
	return project.SettingsPatch{
		Currency:           flat.Currency.Field(),
		Timezone:           flat.Timezone.Field(),
		Locale:             flat.Locale.Field(),
		NegotiationEnabled: flat.NegotiationEnabled.Field(),
		MaxDiscount:        operation.FromAPIPercent(flat.MaxDiscount, "max_discount_percent", check),
	}
}

func toAPIFlat(s project.Settings) flatSettings {
	return flatSettings{
		Currency:           s.Currency.Code(),
		Timezone:           s.Timezone,
		Locale:             s.Locale,
		NegotiationEnabled: s.NegotiationEnabled,
		MaxDiscount:        wire.ToPercent(s.MaxDiscount),
	}
}

func toAPIProjectItem(p *project.Project) ProjectItem {
	return ProjectItem{
		ID:        p.ID.String(),
		Name:      p.Name,
		Slug:      p.Slug,
		Status:    p.Status.String(),
		CreatedAt: wire.ToTime(p.CreatedAt),
	}
}

func (h *handlers) toAPIProject(p *project.Project) ProjectView {
	return ProjectView{
		ProjectItem: toAPIProjectItem(p),
		Description: p.Description,
		Settings:    toAPIFlat(p.Settings),
		UpdatedAt:   wire.ToTime(p.UpdatedAt),
		Endpoints:   endpoints{ACP: h.ACPAddress(p.Slug), API: h.APIAddress},
	}
}

// toAPIDetail shows a project with its integrations and statistics.
func (h *handlers) toAPIDetail(o projects.Overview) projectDetail {
	return projectDetail{
		ProjectView: h.toAPIProject(o.Project), Integrations: wire.Each(o.Integrations, toAPIConnection),
		Statistics: statistics{
			Products: o.Statistics.Products, Agents: o.Statistics.Agents,
			Orders: o.Statistics.Orders, Revenue: wire.ToMoney(o.Statistics.Revenue),
		},
	}
}

func toAPIConnection(i *integration.Integration) connection {
	return connection{i.Type.String(), i.Status.String()}
}
