// Package agentkeys creates and revokes API keys for agents that do not sign their requests. Package identity decides what a
// key proves.
package agentkeys

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/agentkey"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// Service manages the agent keys of projects.
type Service struct {
	*ports.Stores

	Clock       ports.Clock
	Entropy     ports.Entropy
	Environment account.Environment
	Rules       agentid.Rules
}

// In returns the service on stores, such as those of a request's transaction.
func (s *Service) In(stores *ports.Stores) *Service {
	bound := *s
	bound.Stores = stores
	return &bound
}

// Create adds a key to a project. The secret is returned here and never again.
func (s *Service) Create(ctx context.Context, project id.Project, d agentkey.Draft) (k *agentkey.Key, secret string, err error) {
	c := fault.NewCheck()
	d.Check(c, s.Rules)
	if err := c.Err(); err != nil {
		return nil, "", err
	}
	secret = s.Environment.AgentKeyMark() + s.Entropy.Secret(agentkey.SecretBytes)
	k = agentkey.New(id.New[id.AgentKey](s.Entropy.IDBits()), project, d, secret, s.Clock.Now())
	return k, secret, s.AgentKeys.Add(ctx, k)
}

// Revoke revokes a key, which cannot be undone. Requests that have begun are still served.
func (s *Service) Revoke(ctx context.Context, project id.Project, key id.AgentKey) error {
	return s.AgentKeys.Revoke(ctx, project, key, s.Clock.Now())
}
