package haggling

import (
	"github.com/haggle-commerce/haggle/domain/agent"
	"github.com/haggle-commerce/haggle/domain/negotiation"
	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/domain/session"
)

// movedBy returns the personal signals that moved a decision.
func movedBy(t *thread, table negotiation.Table, by agent.Answered) personalization.Signals {
	if by.Handler == agent.HouseHandler || table.Settled() {
		return negotiation.MovedAnswer(t.mandate.Policy, t.signals, table)
	}
	return negotiation.MovedByAgent(t.signals, table)
}

// asGiven returns the session as an agent sees it: without the buyer's claims and membership if they do not count in its region.
func (t *thread) asGiven() *session.Session {
	claims := t.session.Claims
	if t.signals.Claims == negotiation.ClaimsOf(claims) && t.signals.Member == negotiation.MemberOf(claims.Member) {
		return t.session
	}
	given := *t.session
	given.Claims = session.Claims{Location: claims.Location}
	return &given
}

// notice returns the notice to a buyer about a quote that personal signals moved. Checkouts have the text of their address.
func notice(p *project.Project, use personalization.Use) *personalization.Notice {
	return p.Storefront.Personalization.Notice(use.Signals, use.Region)
}
