package management

import (
	"context"

	"github.com/danielgtaylor/huma/v2"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/agentkey"
	"github.com/haggle-commerce/haggle/domain/id"
)

func (h *handlers) registerAgentKeys() {
	const all = "/v1/agent-keys"
	g := h.Group("Agent keys", "keys", operation.HeaderProject)
	operation.Register(g, "create-agent-key", "POST "+all, "Create a key that counts as an agent's signature; the secret is shown once",
		h.createAgentKey, operation.Created, operation.Errors(409))
	operation.Register(g, "list-agent-keys", "GET "+all, "List agent keys that are not revoked", operation.HandleList(h.listAgentKeys, toAPIAgentKey))
	operation.Register(g, "revoke-agent-key", "DELETE "+all+"/{key_id}", "Revoke an agent key", h.revokeAgentKey)
}

// AgentKeyView is an agent key without its secret.
type AgentKeyView struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Profile   string    `json:"profile" doc:"The URL of the profile of the agent that uses the key."`
	Prefix    string    `json:"prefix" doc:"The first characters of the key, to recognize it by."`
	CreatedAt wire.Time `json:"created_at"`
}

type newAgentKey struct {
	Name    string `json:"name,omitempty" doc:"1 to 200 characters: the purpose of the key."`
	Profile string `json:"profile,omitempty" doc:"The https URL of the agent's profile, as in UCP-Agent. A request with the key counts as signed by that agent." example:"https://agent.example/profile.json"`
}

// TransformSchema documents the required fields. The domain reports missing ones.
func (newAgentKey) TransformSchema(_ huma.Registry, s *huma.Schema) *huma.Schema {
	return operation.DocumentRequired(s, "name", "profile")
}

type createAgentKeyInput struct{ Body newAgentKey }

type createdAgentKey struct {
	ID        string    `json:"id"`
	Name      string    `json:"name"`
	Profile   string    `json:"profile"`
	Key       string    `json:"key" doc:"The secret, for Authorization: Bearer. Shown only in this response."`
	Prefix    string    `json:"prefix"`
	CreatedAt wire.Time `json:"created_at"`
}

func (h *handlers) createAgentKey(ctx context.Context, rq operation.Request, in *createAgentKeyInput) (*wire.Output[createdAgentKey], error) {
	draft := agentkey.Draft{Name: in.Body.Name, Profile: in.Body.Profile}
	key, secret, err := h.AgentKeys.In(rq.Stores).Create(ctx, rq.Caller.Project.ID, draft)
	if err != nil {
		return nil, err
	}
	v := toAPIAgentKey(key)
	operation.NoteCreated(rq, v.ID, v)
	return &wire.Output[createdAgentKey]{Body: createdAgentKey{
		ID:        v.ID,
		Name:      v.Name,
		Profile:   v.Profile,
		Key:       secret,
		Prefix:    v.Prefix,
		CreatedAt: v.CreatedAt,
	}}, nil
}

func (h *handlers) listAgentKeys(ctx context.Context, rq operation.Request, in *operation.Paging) ([]*agentkey.Key, int, error) {
	return rq.Stores.AgentKeys.List(ctx, rq.Caller.Project.ID, in.Page())
}

type onAgentKey struct {
	Key wire.Ref[id.AgentKey] `path:"key_id" thing:"agent_key"`
}

func (h *handlers) revokeAgentKey(ctx context.Context, rq operation.Request, in *onAgentKey) (*struct{}, error) {
	return nil, h.AgentKeys.In(rq.Stores).Revoke(ctx, rq.Caller.Project.ID, in.Key.ID)
}

func toAPIAgentKey(k *agentkey.Key) AgentKeyView {
	return AgentKeyView{
		ID:        k.ID.String(),
		Name:      k.Name,
		Profile:   k.Profile,
		Prefix:    k.Prefix,
		CreatedAt: wire.ToTime(k.CreatedAt),
	}
}
