package haggling

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// maxAttempts bounds how often Quote works out an answer when others in the session are stored first. An attempt only fails
// because another answer was stored.
const maxAttempts = 32

// PreparedQuote is an answer to an offer that is not stored yet.
type PreparedQuote struct {
	Answer Answer

	service *Service
	project *project.Project
	request Request
	result  *ports.HaggleResult // nil: the quote has expired, and nothing is stored
}

// Quote answers an offer, and works the answer out anew while others in the session come first.
func (s *Service) Quote(ctx ports.Outbound, p *project.Project, r Request) (Answer, error) {
	for attempt := 1; ; attempt++ {
		prepared, err := s.PrepareQuote(ctx, p, r)
		if err == nil {
			err = prepared.Commit(ctx, s.Stores)
		}
		switch {
		case err == nil:
			return prepared.Answer, nil
		case !fault.Is(err, "stale") || attempt == maxAttempts:
			return Answer{}, err
		}
		r.Again = true
	}
}

// PrepareQuote works out the answer to an offer, and asks the agent for it. It writes nothing.
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

// Commit stores the answer. If another answer in the session was stored since it was prepared, nothing is stored, and
// the error is stale: prepare it again, with Request.Again.
func (q *PreparedQuote) Commit(ctx context.Context, stores Stores) error {
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
