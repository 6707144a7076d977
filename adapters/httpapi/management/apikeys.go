package management

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

func (h *handlers) registerKeys() {
	const tag, all, one = "API keys", "/v1/api-keys", "/v1/api-keys/{key_id}"
	register(h, tag, operation{id: "create-api-key", method: "POST", path: all, scope: "keys:write", status: 201,
		errors: []int{409, 429}, summary: "Create an API key; its secret is shown once"}, (*handlers).createKey)
	registerRead(h, tag, operation{id: "list-api-keys", method: "GET", path: all, scope: "keys:read",
		summary: "List the API keys that are not revoked"}, (*handlers).listKeys)
	registerRead(h, tag, operation{id: "get-api-key", method: "GET", path: one, scope: "keys:read",
		errors: []int{404}, summary: "Get an API key"}, (*handlers).getKey)
	register(h, tag, operation{id: "revoke-api-key", method: "DELETE", path: one, scope: "keys:write", status: 204,
		errors: []int{404}, summary: "Revoke an API key for good"}, (*handlers).revokeKey)
}

// WithMFA is the header that confirms an operation.
type WithMFA struct {
	MFACode string `header:"X-MFA-Code" doc:"The authenticator's current code, or a recovery code, where a second factor is required."`
}

// KeyView is an API key without its secret.
type KeyView struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Prefix     string     `json:"prefix" doc:"How the key begins, to recognise it by."`
	Status     string     `json:"status" enum:"active,expired"`
	Scopes     []string   `json:"scopes"`
	ProjectIDs []string   `json:"project_ids" doc:"The projects that the key is bound to; empty: all of the account's."`
	CreatedAt  wire.Time  `json:"created_at"`
	ExpiresAt  *wire.Time `json:"expires_at" nullable:"true" doc:"Null: never."`
	LastUsedAt *wire.Time `json:"last_used_at" nullable:"true" doc:"Up to a minute behind. Null: never."`
}

type newKey struct {
	Name       string                `json:"name,omitempty" doc:"1 to 200 characters: what the key is for."`
	Scopes     []string              `json:"scopes,omitempty" doc:"Such as catalog:write; \"*\" is all of them. Only what this key itself has."`
	ProjectIDs []string              `json:"project_ids,omitempty" doc:"Empty: all of the account's projects."`
	ExpiresAt  wire.Optional[string] `json:"expires_at,omitzero" doc:"RFC 3339. Null or left out: never."`
}

func (newKey) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return documentRequired(s, "name", "scopes")
}

type createKeyInput struct {
	WithMFA
	Body newKey
}

type createdKeyOutput struct{ Body createdKey }

type createdKey struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Key        string     `json:"key" doc:"The secret. It is shown here and never again."`
	Prefix     string     `json:"prefix"`
	Scopes     []string   `json:"scopes"`
	ProjectIDs []string   `json:"project_ids"`
	CreatedAt  wire.Time  `json:"created_at"`
	ExpiresAt  *wire.Time `json:"expires_at" nullable:"true"`
}

func (h *handlers) createKey(ctx context.Context, rq Request, in *createKeyInput) (*createdKeyOutput, error) {
	draft, err := fromAPIKey(in.Body)
	if err != nil {
		return nil, err
	}
	key, secret, err := h.access(rq).GiveKey(ctx, rq.Caller.Caller, draft, in.MFACode)
	if err != nil {
		return nil, err
	}
	v := h.toAPIKey(key)
	noteTarget(rq, v.ID)
	noteChange(rq, nil, v)
	return &createdKeyOutput{createdKey{
		ID: v.ID, Name: v.Name, Key: secret, Prefix: v.Prefix, Scopes: v.Scopes, ProjectIDs: v.ProjectIDs,
		CreatedAt: v.CreatedAt, ExpiresAt: v.ExpiresAt,
	}}, nil
}

type listKeysInput struct{ Paging }

func (h *handlers) listKeys(ctx context.Context, rq Request, in *listKeysInput) (*listOutput[KeyView], error) {
	found, total, err := h.access(rq).ListKeys(ctx, rq.Caller.Caller, in.page())
	if err != nil {
		return nil, err
	}
	return toAPIList(found, h.toAPIKey, in.Paging, total), nil
}

type OnKey struct {
	Key string `path:"key_id"`
}

type keyOutput struct{ Body KeyView }

func (h *handlers) getKey(ctx context.Context, rq Request, in *OnKey) (*keyOutput, error) {
	wanted, err := wire.ID[id.APIKey](in.Key, "api_key")
	if err != nil {
		return nil, err
	}
	key, err := h.access(rq).Key(ctx, rq.Caller.Caller, wanted)
	if err != nil {
		return nil, err
	}
	return &keyOutput{h.toAPIKey(key)}, nil
}

func (h *handlers) revokeKey(ctx context.Context, rq Request, in *OnKey) (*struct{}, error) {
	wanted, err := wire.ID[id.APIKey](in.Key, "api_key")
	if err != nil {
		return nil, err
	}
	noteTarget(rq, in.Key)
	return nil, h.access(rq).RevokeKey(ctx, rq.Caller.Caller, wanted)
}

// fromAPIKey lets what is no project's id at all through as no id: it is refused like an unknown one.
func fromAPIKey(in newKey) (account.KeyDraft, error) {
	draft := account.KeyDraft{Name: in.Name, Scopes: in.Scopes}
	for _, text := range in.ProjectIDs {
		p, _ := id.Parse[id.Project](text)
		draft.Projects = append(draft.Projects, p)
	}
	if text, given := in.ExpiresAt.Value(); given {
		at, err := time.Parse(time.RFC3339, text)
		if err != nil {
			return draft, fault.Field("expires_at", "must be a time such as 2030-01-31T12:00:00Z")
		}
		at = at.UTC().Truncate(time.Millisecond)
		draft.ExpiresAt = &at
	}
	return draft, nil
}

func (h *handlers) toAPIKey(k *account.Key) KeyView {
	return KeyView{
		ID: k.ID.String(), Name: k.Name, Prefix: k.Prefix, Status: k.Status(h.Clock.Now()).String(), Scopes: k.Scopes,
		ProjectIDs: each(k.Projects, id.Project.String), CreatedAt: wire.ToTime(k.CreatedAt),
		ExpiresAt: toOptionalTime(k.ExpiresAt), LastUsedAt: toOptionalTime(k.LastUsedAt),
	}
}

func toOptionalTime(t *time.Time) *wire.Time {
	if t == nil {
		return nil
	}
	at := wire.ToTime(*t)
	return &at
}
