package haggling

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// PreparedQuote is the answer to an offer before it is stored.
type PreparedQuote struct {
	Answer Answer

	service *Service
	project *project.Project
	request Request
	result  *ports.HaggleResult // nil: the quote has expired, and nothing is stored
}

// PrepareQuote asks the agent for the answer to an offer. It writes nothing.
func (s *Service) PrepareQuote(ctx ports.Outbound, p *project.Project, r Request) (*PreparedQuote, error) {
	if r.Ask.Quote.IsZero() && r.Ask.Quantity == 0 {
		r.Ask.Quantity = 1
	}
	if err := r.check(); err != nil {
		return nil, err
	}
	prepared := &PreparedQuote{
		service: s,
		project: p,
		request: r,
	}
	return prepared, prepared.answer(ctx)
}

// Commit stores the answer. If another answer in the session was stored meanwhile, Commit stores nothing and returns the
// error stale: prepare it again, with Request.Again. If the project has changed, it returns ports.ProjectChanged.
func (q *PreparedQuote) Commit(ctx context.Context, stores *ports.Stores) error {
	if q.result != nil {
		if err := stores.Haggling.Save(ctx, *q.result); err != nil {
			return err
		}
	}
	if q.service.Meter != nil {
		q.Answer.count(q.service.Meter)
	}
	return nil
}
