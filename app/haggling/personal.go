package haggling

import (
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
)

// movedBy returns the personal signals that moved a decision. given is the session as the agent saw it.
func movedBy(t *thread, given *session.Session, table negotiation.Table, by agent.Answered) personalization.Signals {
	if by.Handler == agent.HouseHandler || table.Settled() {
		return negotiation.MovedAnswer(t.mandate.Policy, t.signals, table)
	}
	return negotiation.MovedByAgent(given.Claims, table)
}

// notice returns the notice to a buyer about a quote that personal signals moved. Checkouts have the text of their address.
func notice(p *project.Project, use personalization.Use) *personalization.Notice {
	return p.Storefront.Personalization.Notice(use.Signals, use.Region)
}
