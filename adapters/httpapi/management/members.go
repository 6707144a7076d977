package management

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/people"
	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/ports"
)

func (h *handlers) registerMembers() {
	const all, one, invitations = "/v1/members", "/v1/members/{member_id}", "/v1/members/invitations"
	g := h.Group("Members", "keys", operation.TheAccount)
	operation.Register(g, "list-members", "GET "+all, "List members", operation.HandleList(h.listMembers, toAPIMember))
	operation.RegisterFollowed(g, "create-invitation", "POST "+invitations, "Invite a member; the link is shown once", h.createInvitation,
		operation.Created, operation.Errors(409, 429))
	operation.Register(g, "list-invitations", "GET "+invitations, "List open invitations", operation.HandleList(h.listInvitations, toAPIInvitation))
	operation.Register(g, "revoke-invitation", "DELETE "+invitations+"/{invitation_id}", "Revoke an invitation", h.revokeInvitation, operation.Errors(404))
	operation.Register(g, "get-member", "GET "+one, "Get a member", wire.HandleOne(h.getMember, toAPIMember), operation.Errors(404))
	operation.Register(g, "update-member", "PATCH "+one, "Change a member; changes take effect at once", operation.HandleUpdate(h.updateMember, toAPIMember),
		operation.Errors(404, 429))
	operation.Register(g, "remove-member", "DELETE "+one, "Remove a member and end the member's sessions", h.removeMember, operation.Errors(404, 409))
	operation.Register(g, "create-password-link", "POST "+one+"/password-link", "Create a link by which a member sets a new password, once",
		h.createPasswordLink, operation.Created, operation.Errors(404, 429), operation.On(operation.WholeAccount))
	operation.Register(g, audit.ResetFactor, "POST "+one+"/reset-mfa", "Remove the lost authenticator of another member and end the member's sessions",
		h.resetMemberMFA, operation.NoContent, operation.Errors(404, 409, 429), operation.On(operation.WholeAccount))
	h.registerConsoleSessions(g)
}

// membersTag has the roles.
func membersTag() *huma.Tag {
	text := "People who work for the account, and their sessions in the console. A role has scopes:\n\n| role | scopes |\n| --- | --- |\n"
	for _, r := range member.Roles {
		text += "| `" + r.String() + "` |"
		for _, scope := range r.Scopes() {
			text += " `" + scope + "`"
		}
		text += " |\n"
	}
	return &huma.Tag{Name: "Members", Description: text + "\n" +
		"A member can grant only scopes that they have, and cannot change a member with more. At least one owner remains."}
}

// MemberView is a member without a password.
type MemberView struct {
	ID         string    `json:"id"`
	Email      string    `json:"email"`
	Name       string    `json:"name"`
	Role       string    `json:"role" enum:"owner,manager,support,analyst"`
	ProjectIDs []string  `json:"project_ids" doc:"The projects that the member is bound to. Empty: all of the account's."`
	CreatedAt  wire.Time `json:"created_at"`
}

func toAPIMember(m *member.Member) MemberView {
	return MemberView{
		ID:         m.ID.String(),
		Email:      m.Email,
		Name:       m.Name,
		Role:       m.Role.String(),
		ProjectIDs: wire.Each(m.Projects, id.Project.String),
		CreatedAt:  wire.ToTime(m.CreatedAt),
	}
}

// InvitationView is an invitation without its link.
type InvitationView struct {
	ID         string    `json:"id"`
	Email      string    `json:"email"`
	Role       string    `json:"role" enum:"owner,manager,support,analyst"`
	ProjectIDs []string  `json:"project_ids"`
	InvitedBy  string    `json:"invited_by" doc:"The id of the member or API key that created it."`
	CreatedAt  wire.Time `json:"created_at"`
	ExpiresAt  wire.Time `json:"expires_at"`
}

func toAPIInvitation(l *member.Link) InvitationView {
	return InvitationView{
		ID:         l.ID.String(),
		Email:      l.Email,
		Role:       l.Grant.Role.String(),
		ProjectIDs: wire.Each(l.Grant.Projects, id.Project.String),
		InvitedBy:  l.By,
		CreatedAt:  wire.ToTime(l.CreatedAt),
		ExpiresAt:  wire.ToTime(l.ExpiresAt),
	}
}

type newInvitation struct {
	Email      string   `json:"email,omitempty" doc:"The e-mail address with which the member will sign in."`
	Role       string   `json:"role,omitempty" doc:"owner, manager, support or analyst: one with no more scopes than you have."`
	ProjectIDs []string `json:"project_ids,omitempty" doc:"Empty: all of the account's projects. An owner has all."`
}

func (newInvitation) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return operation.DocumentRequired(s, "email", "role")
}

type createInvitationInput struct {
	operation.WithMFA
	Body newInvitation
}

type createdInvitation struct {
	InvitationView
	Link   string `json:"link" doc:"The page where the invited person chooses a name and a password. It works once, and is shown only in this response."`
	Mailed bool   `json:"mailed" doc:"Whether the link was mailed. False: send it to the person yourself."`
}

func (h *handlers) createInvitation(ctx context.Context, rq operation.Request, in *createInvitationInput) (*wire.Output[createdInvitation], operation.Stage[wire.Output[createdInvitation]], error) {
	role, _ := member.ParseRole(in.Body.Role) // an unknown role is reported with the other problems
	draft := people.Draft{Email: in.Body.Email, Grant: member.Grant{Role: role, Projects: fromAPIProjects(in.Body.ProjectIDs)}}
	made, err := h.People.In(rq.Stores).Invite(ctx, actor(rq), draft, in.MFACode)
	if err != nil {
		return nil, nil, err
	}
	v := toAPIInvitation(made.Link)
	operation.NoteCreated(rq, v.ID, v)
	out := &wire.Output[createdInvitation]{Body: createdInvitation{InvitationView: v, Link: made.Address}}
	return out, func(ctx ports.Outbound, rq operation.Request) (*wire.Output[createdInvitation], error) {
		sent := *out
		sent.Body.Mailed = h.People.MailInvitation(ctx, rq.Caller.Account.Name, made)
		return &sent, nil
	}, nil
}

// fromAPIProjects parses ids of projects. A malformed id becomes the zero id, which is refused like an unknown one.
func fromAPIProjects(names []string) (projects []id.Project) {
	for _, text := range names {
		p, _ := id.Parse[id.Project](text)
		projects = append(projects, p)
	}
	return projects
}

// actor is who manages members.
func actor(rq operation.Request) people.Actor {
	c := rq.Caller.Caller
	return people.Actor{
		ID:     c.Actor(),
		Key:    c.Key,
		Holder: c.Holder(),
	}
}

func (h *handlers) listMembers(ctx context.Context, rq operation.Request, in *operation.Paging) ([]*member.Member, int, error) {
	return rq.Stores.Members.List(ctx, rq.Caller.Account.ID, rq.Caller.Key.Projects, in.Page())
}

func (h *handlers) listInvitations(ctx context.Context, rq operation.Request, in *operation.Paging) ([]*member.Link, int, error) {
	return rq.Stores.Members.Invitations(ctx, rq.Caller.Account.ID, rq.Caller.Key.Projects, h.Clock.Now(), in.Page())
}

type OnInvitation struct {
	Invitation wire.Ref[id.MemberLink] `path:"invitation_id" thing:"invitation"`
}

func (h *handlers) revokeInvitation(ctx context.Context, rq operation.Request, in *OnInvitation) (*struct{}, error) {
	l, err := h.People.In(rq.Stores).RevokeInvitation(ctx, actor(rq), in.Invitation.ID)
	if err == nil {
		operation.NoteChange(rq, toAPIInvitation(l), nil)
	}
	return nil, err
}

type OnMember struct {
	Member wire.Ref[id.Member] `path:"member_id" thing:"member"`
}

func (h *handlers) getMember(ctx context.Context, rq operation.Request, in *OnMember) (*member.Member, error) {
	return h.People.In(rq.Stores).Get(ctx, actor(rq), in.Member.ID)
}

type updateMemberInput struct {
	OnMember
	operation.WithMFA
	Body struct {
		Name       wire.Optional[string]   `json:"name,omitzero" doc:"1 to 100 characters."`
		Role       wire.Optional[string]   `json:"role,omitzero" doc:"owner, manager, support or analyst."`
		ProjectIDs wire.Optional[[]string] `json:"project_ids,omitzero" doc:"Empty or null: all of the account's."`
	}
}

func (h *handlers) updateMember(ctx context.Context, rq operation.Request, in *updateMemberInput) (before, after *member.Member, err error) {
	change := member.Change{
		Name:     in.Body.Name.Field(),
		Projects: wire.MapField(in.Body.ProjectIDs, fromAPIProjects),
	}
	if text, given := in.Body.Role.Value(); given {
		role, err := member.ParseRole(text)
		if err != nil {
			return nil, nil, err
		}
		change.Role = patch.To(role)
	} else if in.Body.Role.Null() {
		return nil, nil, fault.Field("role", "must not be null")
	}
	return h.People.In(rq.Stores).Change(ctx, actor(rq), in.Member.ID, change, in.MFACode)
}

func (h *handlers) removeMember(ctx context.Context, rq operation.Request, in *OnMember) (*struct{}, error) {
	removed, err := h.People.In(rq.Stores).Remove(ctx, actor(rq), in.Member.ID)
	if err == nil {
		operation.NoteChange(rq, toAPIMember(removed), nil)
	}
	return nil, err
}

type createPasswordLinkInput struct {
	OnMember
	operation.WithMFA
}

type passwordLink struct {
	Link      string    `json:"link" doc:"The page where the member sets a new password. It works once, and is shown only in this response."`
	ExpiresAt wire.Time `json:"expires_at"`
}

func (h *handlers) createPasswordLink(ctx context.Context, rq operation.Request, in *createPasswordLinkInput) (*wire.Output[passwordLink], error) {
	made, err := h.People.In(rq.Stores).PasswordLink(ctx, actor(rq), in.Member.ID, in.MFACode)
	if err != nil {
		return nil, err
	}
	return &wire.Output[passwordLink]{Body: passwordLink{Link: made.Address, ExpiresAt: wire.ToTime(made.ExpiresAt)}}, nil
}

type resetMemberMFAInput struct {
	OnMember
	operation.WithMFA
}

func (h *handlers) resetMemberMFA(ctx context.Context, rq operation.Request, in *resetMemberMFAInput) (*struct{}, error) {
	_, err := h.People.In(rq.Stores).ResetFactor(ctx, actor(rq), in.Member.ID, in.MFACode)
	return nil, err
}
