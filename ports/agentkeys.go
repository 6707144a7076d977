package ports

import (
	"context"
	"time"

	"github.com/haggle-commerce/haggle/domain/agentkey"
	"github.com/haggle-commerce/haggle/domain/id"
)

// AgentKeys keeps the keys that projects give to agents. Another project's keys are unknown.
type AgentKeys interface {
	// Add stores a key. A project with agentkey.Max that are not revoked, however many are added at once: Conflict
	// too_many_agent_keys. Unknown project: NotFound.
	Add(ctx context.Context, k *agentkey.Key) error
	// List is the keys that are not revoked, newest first.
	List(ctx context.Context, project id.Project, page Page) ([]*agentkey.Key, int, error)
	// ByHash is the key of a secret, also if it is revoked: NotFound agent_key_not_found.
	ByHash(ctx context.Context, project id.Project, hash [32]byte) (*agentkey.Key, error)
	// Revoke ends a key permanently. Of several concurrent calls one succeeds: NotFound to the others, and for an
	// unknown key.
	Revoke(ctx context.Context, project id.Project, key id.AgentKey, at time.Time) error
}
