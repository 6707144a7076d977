package finance

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// longestSpan limits the time span of a report, maxMovements what it holds in memory.
	longestSpan  = 31 * 24 * time.Hour
	maxMovements = 200_000
	// MostDifferences limits the differences in a report.
	MostDifferences = 1000
	// skew is the maximum difference between the clocks of the two books.
	skew = time.Hour
	// lookUpBatch is how many movements one query looks up.
	lookUpBatch = 500
)

// Reconcile compares the payments and refunds from from until before to with the statement of each provider that processed any of
// them or that serves the project now. The span is at most 31 days. Payments under way may differ
// temporarily, so compare only what is some minutes old.
//
// The two books date a movement differently: a provider by its beginning, ours by its end, which may be
// days later. So movements are matched by their ids first, regardless of their dates, and a matched one
// belongs to the span of our date.
func (s *Service) Reconcile(ctx ports.Outbound, p *project.Project, from, to time.Time) ([]Report, error) {
	check := fault.NewCheck()
	check.That(from.Before(to), "to", "must be after from")
	check.That(to.Sub(from) <= longestSpan, "to", "must be at most 31 days after from")
	if err := check.Err(); err != nil {
		return nil, err
	}
	moved, err := s.Payments.Moved(ctx, p.ID, from.Add(-skew), to.Add(skew), maxMovements+1)
	if err != nil {
		return nil, err
	}
	if len(moved) > maxMovements {
		return nil, tooMuch()
	}
	reports := []Report{}
	for _, route := range s.routes(p, moved) {
		report, err := s.compare(ctx, p.ID, newComparison(route, moved, from, to))
		if err != nil {
			return nil, err
		}
		reports = append(reports, report)
	}
	return reports, nil
}

// compare reads a route's statement, looks up unmatched movements outside the span, and returns the report.
func (s *Service) compare(ctx ports.Outbound, of id.Project, c *comparison) (Report, error) {
	request := ports.StatementRequest{
		Project: of,
		Route:   c.made.Route,
		From:    c.from.Add(-skew),
		To:      c.to.Add(skew),
	}
	if err := s.Gateway.Statement(ctx, request, c.add); err != nil {
		return Report{}, unanswered(c.made.Route, err)
	}
	for part := range slices.Chunk(c.unmatched, lookUpBatch) {
		if err := s.lookUp(ctx, of, c, part); err != nil {
			return Report{}, err
		}
	}
	if began, missing := c.earliestMissing(); missing && began.Before(c.from) {
		request.From, request.To = began.Add(-skew), c.from.Add(-skew)
		if err := s.Gateway.Statement(ctx, request, c.addEarlier); err != nil {
			return Report{}, unanswered(c.made.Route, err)
		}
	}
	return c.report(), nil
}

// lookUp explains unmatched movements by our books. First it passes charges without an order to c.claim.
func (s *Service) lookUp(ctx context.Context, of id.Project, c *comparison, unmatched []ports.Movement) error {
	known, err := s.find(ctx, of, c.made.Route, unmatched)
	if err != nil {
		return err
	}
	claimed := false
	for _, m := range unmatched {
		if _, found := known.find(m); !found && c.claim != nil && ownCharge(of, m) {
			c.claim(m)
			claimed = true
		}
	}
	if claimed {
		if known, err = s.find(ctx, of, c.made.Route, unmatched); err != nil {
			return err
		}
	}
	c.explain(of, unmatched, known)
	return nil
}

// ownCharge reports whether a movement is a charge of a payment attempt of the project.
func ownCharge(of id.Project, m ports.Movement) bool {
	_, _, err := checkout.ParseAttemptKey(m.Key)
	return err == nil && !m.Refund && (m.Project == "" || m.Project == of.String())
}

// knownMovements are movements in our books, by the provider's id and by key.
type knownMovements map[string]ports.KnownMovement

func (s *Service) find(ctx context.Context, of id.Project, route project.PaymentRoute, named []ports.Movement) (knownMovements, error) {
	list, err := s.Payments.FindMovements(ctx, of, route, named)
	known := make(knownMovements, 2*len(list))
	for _, k := range list {
		if k.State == ports.MovementOwed {
			continue // not an explanation, because a person has to handle it
		}
		if k.Provider != "" {
			orphansRefund := k.State == ports.MovementOrphan && k.Key != ""
			known[kindOf(!k.Refund.IsZero() || orphansRefund)+k.Provider] = k
		}
		if k.Key != "" {
			known["key "+k.Key] = k
		}
	}
	return known, err
}

func (known knownMovements) find(m ports.Movement) (k ports.KnownMovement, found bool) {
	if k, found = known[kindOf(m.Refund)+m.Provider]; !found && m.Key != "" {
		k, found = known["key "+m.Key]
	}
	return k, found
}

// elsewhere reports whether a movement that is not in our books was made outside this project: with another project's key, or
// without a key and not for a charge of ours.
func (known knownMovements) elsewhere(of id.Project, m ports.Movement) bool {
	if m.Project != "" && m.Project != of.String() {
		return true
	}
	_, ours := known[kindOf(false)+m.Charge]
	return m.Key == "" && !(m.Refund && ours)
}

// unanswered converts a provider's error to one that names the provider, unless it has a specific code already.
func unanswered(r project.PaymentRoute, err error) error {
	if fault.KindOf(err) != fault.Internal {
		return err
	}
	return fault.New(fault.Unavailable, "provider_unavailable", "The payment provider "+r.Provider+" did not respond. Try again.").
		After(30 * time.Second).Because(err)
}

func tooMuch() error {
	return fault.Field("from", "has more than 200,000 movements: compare fewer days at once")
}

// routes returns the routes of moved and those that serve the project now, sorted by provider.
func (s *Service) routes(p *project.Project, moved []ports.Moved) []project.PaymentRoute {
	known := make(map[project.PaymentRoute]bool)
	for _, m := range moved {
		known[m.Route] = true
	}
	for _, method := range project.PaymentMethods {
		if r := p.PaymentRoute(method, s.Sandbox); !r.IsZero() {
			known[r] = true
		}
	}
	var list []project.PaymentRoute
	for r := range known {
		list = append(list, r)
	}
	slices.SortFunc(list, func(a, b project.PaymentRoute) int {
		return cmp.Or(cmp.Compare(a.Provider, b.Provider), cmp.Compare(a.Integration.String(), b.Integration.String()))
	})
	return list
}
