package merchant

import (
	"context"
	"net/url"
)

// Agent is the agent that answers a project's buyers, with the fields that the simulator needs.
type Agent struct {
	ID     string `json:"id"`
	Status string `json:"status"`
}

const agentsPath = "/v1/agents"

// Agents lists a project's agents, the active one first.
func (c *Client) Agents(ctx context.Context, page Page, options ...Option) (List[Agent], error) {
	return call[List[Agent]](ctx, c, "GET", agentsPath+page.query(nil), nil, options)
}

// PatchAgent changes an agent.
func (c *Client) PatchAgent(ctx context.Context, id string, patch Patch, options ...Option) (Agent, error) {
	return call[Agent](ctx, c, "PATCH", agentsPath+"/"+url.PathEscape(id), patch, options)
}
