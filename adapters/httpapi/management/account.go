package management

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/id"
)

// The account's own page needs projects:read, the least that a key for managing shops has.
func (h *handlers) registerAccount() {
	const path, mfa = "/v1/account", "/v1/account/mfa"
	g := h.Group("Account", "keys", operation.WholeAccount)
	operation.Register(g, "get-account", "GET "+path, "Get the account of the API key", h.getAccount,
		operation.Scope("projects:read"), operation.On(operation.TheAccount))
	operation.Register(g, "update-account", "PATCH "+path, "Change the account", h.updateAccount)
	operation.Register(g, "enrol-mfa", "POST "+mfa, "Enroll an authenticator for the account, or for yourself as a member; it is pending until you confirm it", h.enrolMFA, operation.Own, operation.Created, operation.Errors(429))
	operation.Register(g, "confirm-mfa", "POST "+mfa+"/confirm", "Confirm the pending authenticator with one of its codes", h.confirmMFA, operation.Own, operation.Errors(404, 429))
	operation.Register(g, "disable-mfa", "DELETE "+mfa, "Remove the authenticator", h.disableMFA, operation.Own, operation.Errors(404, 429))
}

type accountView struct {
	ID        string     `json:"id"`
	Name      string     `json:"name"`
	Email     *string    `json:"email" nullable:"true" doc:"Where alerts are sent. Null: to the address configured for the server, if any."`
	Plan      string     `json:"plan" enum:"starter,growth,enterprise"`
	Limits    planLimits `json:"limits"`
	MFA       mfaView    `json:"mfa" doc:"The account's second factor; for a member, the member's own."`
	CreatedAt wire.Time  `json:"created_at"`
	// ConsoleSessionMinutes is not security.session_timeout_minutes, which is about buyers.
	ConsoleSessionMinutes int `json:"console_session_minutes" doc:"Minutes without use after which members' sessions in the console end."`
}

type planLimits struct {
	RequestsPerMinute int `json:"requests_per_minute"`
	Burst             int `json:"burst"`
}

type mfaView struct {
	Enabled           bool `json:"enabled"`
	RecoveryCodesLeft int  `json:"recovery_codes_left"`
}

type accountOutput = wire.Output[accountView]

func (h *handlers) getAccount(ctx context.Context, rq operation.Request, _ *struct{}) (*accountOutput, error) {
	a, err := rq.Stores.Accounts.ByID(ctx, rq.Caller.Account.ID)
	if err != nil {
		return nil, err
	}
	return h.toAPIAccount(ctx, rq, a)
}

type updateAccountInput struct {
	Body struct {
		Name  wire.Optional[string] `json:"name,omitzero" doc:"1 to 200 characters."`
		Email wire.Optional[string] `json:"email,omitzero" doc:"An e-mail address. Null: none."`

		ConsoleSessionMinutes wire.Optional[int] `json:"console_session_minutes,omitzero" doc:"5 to 10080. Null: 480."`
	}
}

func (h *handlers) updateAccount(ctx context.Context, rq operation.Request, in *updateAccountInput) (*accountOutput, error) {
	owner := noteAccount(rq)
	before, after, err := h.Access.In(rq.Stores).ChangeAccount(ctx, owner, account.Change{
		Name:                  in.Body.Name.Field(),
		Email:                 in.Body.Email.Field(),
		ConsoleSessionMinutes: in.Body.ConsoleSessionMinutes.Field(),
	})
	if err != nil {
		return nil, err
	}
	operation.NoteChange(rq, notedAccount(before), notedAccount(after))
	return h.toAPIAccount(ctx, rq, after)
}

func notedAccount(a *account.Account) map[string]any {
	return map[string]any{"name": a.Name, "email": a.Email, "console_session_minutes": consoleMinutes(a)}
}

func consoleMinutes(a *account.Account) int { return int(a.ConsoleIdle() / time.Minute) }

type enrolMFAOutput struct {
	Body struct {
		Secret        string   `json:"secret" doc:"Base32. Shown only in this response."`
		Address       string   `json:"otpauth_url" doc:"The content of the QR code for authenticator apps."`
		RecoveryCodes []string `json:"recovery_codes" doc:"Each replaces a code once. Shown only in this response."`
	}
}

func (h *handlers) enrolMFA(ctx context.Context, rq operation.Request, in *operation.WithMFA) (*enrolMFAOutput, error) {
	made, err := h.Access.In(rq.Stores).Enrol(ctx, noteHolder(rq), in.MFACode)
	if err != nil {
		return nil, err
	}
	out := &enrolMFAOutput{}
	out.Body.Secret, out.Body.Address, out.Body.RecoveryCodes = made.Secret, made.Address, made.RecoveryCodes
	return out, nil
}

type confirmation struct {
	Code string `json:"code,omitempty" doc:"Six digits."`
}

func (confirmation) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return operation.DocumentRequired(s, "code")
}

func (h *handlers) confirmMFA(ctx context.Context, rq operation.Request, in *wire.Input[confirmation]) (*wire.Output[mfaView], error) {
	if err := h.Access.In(rq.Stores).Activate(ctx, noteHolder(rq), in.Body.Code); err != nil {
		return nil, err
	}
	view, err := h.toAPIMFA(ctx, rq)
	return &wire.Output[mfaView]{Body: view}, err
}

func (h *handlers) disableMFA(ctx context.Context, rq operation.Request, in *operation.WithMFA) (*struct{}, error) {
	return nil, h.Access.In(rq.Stores).Disable(ctx, noteHolder(rq), in.MFACode)
}

// noteAccount returns the caller's account, and notes it for the audit log as what is changed.
func noteAccount(rq operation.Request) id.Account {
	owner := rq.Caller.Account.ID
	operation.NoteTarget(rq, owner.String())
	return owner
}

// noteHolder returns the holder of the second factor that the caller manages, a member or else the account, and notes it for the
// audit log as what is changed.
func noteHolder(rq operation.Request) account.Holder {
	operation.NoteTarget(rq, rq.Caller.Account.ID.String())
	if m := rq.Caller.Member; m != nil {
		operation.NoteTarget(rq, m.ID.String())
	}
	return rq.Caller.Holder()
}

func (h *handlers) toAPIAccount(ctx context.Context, rq operation.Request, a *account.Account) (*accountOutput, error) {
	mfa, err := h.toAPIMFA(ctx, rq)
	if err != nil {
		return nil, err
	}
	rate := h.Rate(a.Plan)
	return &accountOutput{Body: accountView{
		ID:                    a.ID.String(),
		Name:                  a.Name,
		Email:                 wire.ToOptional(a.Email),
		Plan:                  a.Plan.String(),
		Limits:                planLimits{rate.PerMinute, rate.Burst},
		MFA:                   mfa,
		CreatedAt:             wire.ToTime(a.CreatedAt),
		ConsoleSessionMinutes: consoleMinutes(a),
	}}, nil
}

func (h *handlers) toAPIMFA(ctx context.Context, rq operation.Request) (mfaView, error) {
	enabled, left, err := h.Access.In(rq.Stores).MFA(ctx, rq.Caller.Holder())
	return mfaView{enabled, left}, err
}
