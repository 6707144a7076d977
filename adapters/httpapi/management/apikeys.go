package management

import (
	"context"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
)

func (h *handlers) registerKeys() {
	const all, one = "/v1/api-keys", "/v1/api-keys/{key_id}"
	g := h.Group("API keys", "keys", operation.TheAccount)
	operation.Register(g, "create-api-key", "POST "+all, "Create an API key; its secret is shown once", h.createKey,
		operation.Created, operation.Errors(409, 429))
	operation.Register(g, "list-api-keys", "GET "+all, "List API keys that are not revoked", operation.HandleList(h.listKeys, h.toAPIKey))
	operation.Register(g, "get-api-key", "GET "+one, "Get an API key", wire.HandleOne(h.getKey, h.toAPIKey), operation.Errors(404))
	operation.Register(g, "revoke-api-key", "DELETE "+one, "Revoke an API key", h.revokeKey, operation.Errors(404))
}

// KeyView is an API key without its secret.
type KeyView struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Prefix     string     `json:"prefix" doc:"The first characters of the key, to recognize it by."`
	Status     string     `json:"status" enum:"active,expired"`
	Scopes     []string   `json:"scopes"`
	ProjectIDs []string   `json:"project_ids" doc:"The projects that the key is bound to. Empty: all of the account's."`
	CreatedAt  wire.Time  `json:"created_at"`
	ExpiresAt  *wire.Time `json:"expires_at" nullable:"true" doc:"Null: never."`
	LastUsedAt *wire.Time `json:"last_used_at" nullable:"true" doc:"Accurate to a minute. Null: never."`
}

type newKey struct {
	Name       string                `json:"name,omitempty" doc:"1 to 200 characters: the purpose of the key."`
	Scopes     []string              `json:"scopes,omitempty" doc:"Such as catalog:write; \"*\" is all. Only scopes that the calling key has."`
	ProjectIDs []string              `json:"project_ids,omitempty" doc:"Empty: all of the account's projects."`
	ExpiresAt  wire.Optional[string] `json:"expires_at,omitzero" doc:"RFC 3339. Null or omitted: never."`
}

func (newKey) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return operation.DocumentRequired(s, "name", "scopes")
}

type createKeyInput struct {
	operation.WithMFA
	Body newKey
}

type createdKey struct {
	ID         string     `json:"id"`
	Name       string     `json:"name"`
	Key        string     `json:"key" doc:"The secret. Shown only in this response."`
	Prefix     string     `json:"prefix"`
	Scopes     []string   `json:"scopes"`
	ProjectIDs []string   `json:"project_ids"`
	CreatedAt  wire.Time  `json:"created_at"`
	ExpiresAt  *wire.Time `json:"expires_at" nullable:"true"`
}

func (h *handlers) createKey(ctx context.Context, rq operation.Request, in *createKeyInput) (*wire.Output[createdKey], error) {
	draft, err := fromAPIKey(in.Body)
	if err != nil {
		return nil, err
	}
	key, secret, err := h.Access.In(rq.Stores).GiveKey(ctx, rq.Caller.Caller, draft, in.MFACode)
	if err != nil {
		return nil, err
	}
	v := h.toAPIKey(key)
	operation.NoteCreated(rq, v.ID, v)
	return &wire.Output[createdKey]{Body: createdKey{
		ID:         v.ID,
		Name:       v.Name,
		Key:        secret,
		Prefix:     v.Prefix,
		Scopes:     v.Scopes,
		ProjectIDs: v.ProjectIDs,
		CreatedAt:  v.CreatedAt,
		ExpiresAt:  v.ExpiresAt,
	}}, nil
}

func (h *handlers) listKeys(ctx context.Context, rq operation.Request, in *operation.Paging) ([]*account.Key, int, error) {
	return rq.Stores.Keys.List(ctx, rq.Caller.Account.ID, rq.Caller.Key.Projects, in.Page())
}

type OnKey struct {
	Key wire.Ref[id.APIKey] `path:"key_id" thing:"api_key"`
}

func (h *handlers) getKey(ctx context.Context, rq operation.Request, in *OnKey) (*account.Key, error) {
	return h.Access.In(rq.Stores).Key(ctx, rq.Caller.Caller, in.Key.ID)
}

func (h *handlers) revokeKey(ctx context.Context, rq operation.Request, in *OnKey) (*struct{}, error) {
	return nil, h.Access.In(rq.Stores).RevokeKey(ctx, rq.Caller.Caller, in.Key.ID)
}

// fromAPIKey reads an API key. A malformed id of a project becomes the zero id, which is refused like an unknown one.
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
		ID:         k.ID.String(),
		Name:       k.Name,
		Prefix:     k.Prefix,
		Status:     k.Status(h.Clock.Now()).String(),
		Scopes:     k.Scopes,
		ProjectIDs: wire.Each(k.Projects, id.Project.String),
		CreatedAt:  wire.ToTime(k.CreatedAt),
		ExpiresAt:  wire.ToOptionalTime(k.ExpiresAt),
		LastUsedAt: wire.ToOptionalTime(k.LastUsedAt),
	}
}
