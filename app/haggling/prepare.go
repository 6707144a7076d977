package haggling

import (
	"context"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// tries is how often an answer is worked out anew when another one in the same session came first. As a
// try only fails because another answer was stored, so many requests of one session at once are all
// answered.
const tries = 32

// PreparedQuote is an answer to an offer that is not stored yet.
type PreparedQuote struct {
	Answer Answer

	service *Service
	project *project.Project
	request Request
	result  *ports.HaggleResult // nil: the quote has expired, and nothing is stored
	attempt int
}

// Quote answers an offer.
func (s *Service) Quote(ctx ports.Outbound, p *project.Project, r Request) (Answer, error) {
	prepared, err := s.PrepareQuote(ctx, p, r)
	for err == nil {
		err = prepared.Commit(ctx, s.Stores)
		if !Stale(err) {
			break
		}
		prepared, err = prepared.Again(ctx, err)
	}
	if err != nil {
		return Answer{}, err
	}
	return prepared.Answer, nil
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
		attempt: 1,
	}
	return prepared, prepared.answer(ctx)
}

// Commit stores the answer. If another answer in the session was stored since it was prepared, nothing is stored, and
// the error is Stale: see Again.
func (q *PreparedQuote) Commit(ctx context.Context, stores Stores) error {
	if q.result != nil {
		if err := stores.Haggling.Save(ctx, *q.result); err != nil {
			return err
		}
	}
	if q.service.Meter != nil {
		q.service.Meter.Negotiated(q.Answer.status())
	}
	return nil
}

// Stale reports whether Commit failed because another answer in the session came first.
func Stale(err error) bool { return fault.Is(err, "stale") }

// Again works out the answer anew, after Commit failed with stale. An agent that calls out is not asked again. After
// too many attempts the error is stale.
func (q *PreparedQuote) Again(ctx ports.Outbound, stale error) (*PreparedQuote, error) {
	if q.attempt == tries {
		return nil, stale
	}
	next := *q
	next.attempt++
	next.request.again = true
	return &next, next.answer(ctx)
}
