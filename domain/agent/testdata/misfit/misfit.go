// Package misfit does not compile: its handler answers another event than the one it is bound to.
package misfit

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/agent"
)

func consent(context.Context, agent.CheckoutInput) (agent.Verdict, error) {
	return agent.Consent(), nil
}

var Program = agent.MustProgram("misfit", agent.OnACPEvent(agent.Quote, consent))
