package finance

import (
	"cmp"
	"context"
	"slices"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	// longestSpan bounds what one report compares, mostMovements what it holds in memory.
	longestSpan   = 31 * 24 * time.Hour
	mostMovements = 200_000
	// mostDifferences bounds what is told of one provider.
	mostDifferences = 1000
	// skew is how far apart the clocks of the two books may be.
	skew = time.Hour
	// lookedUp is how many movements are looked up at once.
	lookedUp = 500
)

// Reconcile compares what moved, from and before, with the statement of each provider that moved any of
// it or that serves the project now. The span is at most 31 days. What is under way may differ for a
// moment: compare what is some minutes old.
//
// The two books date one movement differently: a provider by its beginning, ours by its end, which may be
// days later. So movements are matched by their names first, whatever their dates, and one that both have
// belongs to the span in which ours is dated.
func (s *Service) Reconcile(ctx context.Context, p *project.Project, from, to time.Time) ([]Report, error) {
	check := fault.NewCheck()
	check.That(from.Before(to), "to", "must be after from")
	check.That(to.Sub(from) <= longestSpan, "to", "must be at most 31 days after from")
	if err := check.Err(); err != nil {
		return nil, err
	}
	moved, err := s.Payments.Moved(ctx, p.ID, from.Add(-skew), to.Add(skew), mostMovements+1)
	if err != nil {
		return nil, err
	}
	if len(moved) > mostMovements {
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

// compare reads a route's statement, looks up what only one side has beyond the span, and reports.
func (s *Service) compare(ctx context.Context, of id.Project, c *comparison) (Report, error) {
	request := ports.StatementRequest{Project: of, Route: c.made.Route, From: c.from.Add(-skew), To: c.to.Add(skew)}
	if err := s.Gateway.Statement(ctx, request, c.theirs); err != nil {
		return Report{}, unanswered(c.made.Route, err)
	}
	for part := range slices.Chunk(c.strangers, lookedUp) {
		if err := s.lookUp(ctx, of, c, part); err != nil {
			return Report{}, err
		}
	}
	if began, missing := c.earliestMissing(); missing && began.Before(c.from) {
		request.From, request.To = began.Add(-skew), c.from.Add(-skew)
		if err := s.Gateway.Statement(ctx, request, c.earlier); err != nil {
			return Report{}, unanswered(c.made.Route, err)
		}
	}
	return c.report(), nil
}

// lookUp explains movements by what the books know of them. Charges that no order has are passed on first.
func (s *Service) lookUp(ctx context.Context, of id.Project, c *comparison, strangers []ports.Movement) error {
	known, err := s.find(ctx, of, c.made.Route, strangers)
	if err != nil {
		return err
	}
	claimed := false
	for _, m := range strangers {
		if _, found := known.find(m); !found && c.claim != nil && ownCharge(of, m) {
			c.claim(m)
			claimed = true
		}
	}
	if claimed {
		if known, err = s.find(ctx, of, c.made.Route, strangers); err != nil {
			return err
		}
	}
	c.explain(of, strangers, known)
	return nil
}

// ownCharge reports whether a movement is a charge of a payment attempt of the project.
func ownCharge(of id.Project, m ports.Movement) bool {
	_, _, err := checkout.ParseAttemptKey(m.Key)
	return err == nil && !m.Refund && (m.Project == "" || m.Project == of.String())
}

// knownMovements are found by the provider's ids and by keys.
type knownMovements map[string]ports.KnownMovement

func (s *Service) find(ctx context.Context, of id.Project, route project.PaymentRoute, named []ports.Movement) (knownMovements, error) {
	list, err := s.Payments.FindMovements(ctx, of, route, named)
	known := make(knownMovements, 2*len(list))
	for _, k := range list {
		if k.Provider != "" {
			known[kindOf(!k.Refund.IsZero())+k.Provider] = k
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

// elsewhere reports whether a movement that the books do not know was made without this project: under
// another project's key, or under none and not of a charge of ours.
func (known knownMovements) elsewhere(of id.Project, m ports.Movement) bool {
	if m.Project != "" && m.Project != of.String() {
		return true
	}
	_, ours := known[kindOf(false)+m.Charge]
	return m.Key == "" && !(m.Refund && ours)
}

// unanswered names the provider that fails, unless it is told better already.
func unanswered(r project.PaymentRoute, err error) error {
	if fault.KindOf(err) != fault.Internal {
		return err
	}
	return fault.New(fault.Unavailable, "provider_unavailable", "The payment provider "+r.Provider+" did not answer. Try again.").
		After(30 * time.Second).Because(err)
}

func tooMuch() error {
	return fault.Field("from", "spans more than 200,000 movements: compare fewer days at once")
}

// routes are those that moved something and those that serve the project now, by provider.
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

// comparison is one provider's report in the making.
type comparison struct {
	from, to  time.Time
	open      map[string]ports.Moved // ours that the statement has not named yet, by the provider's id
	named     map[string]string      // the provider's id of our refunds, by our own
	matched   map[string]bool        // our payments and refunds that the statement has named
	strangers []ports.Movement       // theirs, within the span, that none of ours around the span is
	claim     func(ports.Movement)   // passes on a charge of ours that no order has; nil: nobody takes it
	seen      int                    // movements of the statement
	sums      [2]map[money.Currency]int64
	made      Report
}

const ours, theirs = 0, 1

func newComparison(route project.PaymentRoute, moved []ports.Moved, from, to time.Time) *comparison {
	c := &comparison{
		from:    from,
		to:      to,
		open:    make(map[string]ports.Moved),
		named:   make(map[string]string),
		matched: make(map[string]bool),
		made:    Report{Route: route},
		sums:    [2]map[money.Currency]int64{{}, {}},
	}
	for _, m := range moved {
		if m.Route != route {
			continue
		}
		c.open[m.Provider] = m
		if !m.Refund.IsZero() {
			c.named[m.Refund.String()] = m.Provider
		}
	}
	return c
}

func (c *comparison) within(at time.Time) bool { return !at.Before(c.from) && at.Before(c.to) }

func (c *comparison) sum(of int, refund bool, a money.Amount) {
	if refund {
		c.sums[of][a.Currency()] -= a.Minor()
	} else {
		c.sums[of][a.Currency()] += a.Minor()
	}
}

// theirs takes in one movement of the statement.
func (c *comparison) theirs(m ports.Movement) error {
	if err := c.count(); err != nil {
		return err
	}
	if !c.match(m) && c.within(m.At) {
		c.strangers = append(c.strangers, m)
	}
	return nil
}

// earlier takes in one movement of the statement before the span, which ours within it may be.
func (c *comparison) earlier(m ports.Movement) error {
	if err := c.count(); err != nil {
		return err
	}
	c.match(m)
	return nil
}

func (c *comparison) count() error {
	if c.seen++; c.seen > mostMovements {
		return tooMuch()
	}
	return nil
}

// match closes ours of the same name, if it is open.
func (c *comparison) match(m ports.Movement) bool {
	provider := m.Provider
	if known, ok := c.named[m.Key]; ok && m.Refund {
		provider = known
	}
	our, found := c.open[provider]
	if !found || m.Refund != !our.Refund.IsZero() {
		return false
	}
	delete(c.open, provider)
	c.pair(our, m)
	return true
}

// pair books a movement that both sides have.
func (c *comparison) pair(our ports.Moved, m ports.Movement) {
	c.matched[referenceOf(our)] = true
	switch {
	case our.Amount != m.Amount && (c.within(our.At) || c.within(m.At)):
		c.sum(ours, m.Refund, our.Amount)
		c.sum(theirs, m.Refund, m.Amount)
		c.differ(ofOurs(AmountDiffers, our, &m.Amount))
	case c.within(our.At):
		c.sum(ours, m.Refund, our.Amount)
		c.sum(theirs, m.Refund, m.Amount)
		c.made.Matched++
	}
}

// explain takes in what the books know of movements that none of ours around the span is. A movement of
// ours is the answer to one of theirs: a second refund under one key stays unexplained.
func (c *comparison) explain(of id.Project, strangers []ports.Movement, known knownMovements) {
	for _, m := range strangers {
		k, found := known.find(m)
		if found && k.State == ports.MovementRecorded && !c.matched[referenceOf(k.Moved)] {
			c.pair(k.Moved, m)
			continue
		}
		d := Difference{
			Kind:      MissingHere,
			Refund:    m.Refund,
			RefundID:  refundOf(m),
			Reference: m.Key,
			Provider:  m.Provider,
			Theirs:    &m.Amount,
			At:        m.At,
		}
		switch {
		case found && k.State != ports.MovementRecorded:
			d.State = k.State
		case !found && known.elsewhere(of, m):
			d.State = ports.MovementElsewhere
		}
		c.sum(theirs, m.Refund, m.Amount)
		c.differ(d)
	}
}

// kindOf keeps a provider's ids of charges and of refunds apart.
func kindOf(refund bool) string {
	if refund {
		return "refund "
	}
	return "charge "
}

// earliestMissing is when the first of ours began that the statement has not named, within the span.
func (c *comparison) earliestMissing() (began time.Time, missing bool) {
	for _, m := range c.open {
		if c.within(m.At) && (!missing || m.Began.Before(began)) {
			began, missing = m.Began, true
		}
	}
	if oldest := c.from.Add(-longestSpan); began.Before(oldest) {
		began = oldest
	}
	return began, missing
}

// refundOf is our refund that a movement made here names, also if it is not recorded as made.
func refundOf(m ports.Movement) id.Refund {
	if !m.Refund {
		return id.Refund{}
	}
	refund, _ := id.Parse[id.Refund](m.Key) // zero: not ours
	return refund
}

// referenceOf is our id of the refund or of the payment.
func referenceOf(m ports.Moved) string {
	if !m.Refund.IsZero() {
		return m.Refund.String()
	}
	return m.Payment.String()
}

func ofOurs(kind DifferenceKind, m ports.Moved, theirs *money.Amount) Difference {
	return Difference{
		Kind:      kind,
		Refund:    !m.Refund.IsZero(),
		Payment:   m.Payment,
		RefundID:  m.Refund,
		Reference: referenceOf(m),
		Provider:  m.Provider,
		Ours:      &m.Amount,
		Theirs:    theirs,
		At:        m.At,
	}
}

// differ keeps a difference. Of too many, those that matter least are left out.
func (c *comparison) differ(d Difference) {
	c.made.Found++
	if d.State == (ports.MovementState{}) {
		c.made.Unexplained++
	}
	c.made.Differences = append(c.made.Differences, d)
	if len(c.made.Differences) >= 2*mostDifferences {
		c.cut()
	}
}

func (c *comparison) cut() {
	slices.SortStableFunc(c.made.Differences, func(a, b Difference) int {
		return cmp.Or(cmp.Compare(a.weight(), b.weight()), a.At.Compare(b.At), cmp.Compare(a.Provider, b.Provider))
	})
	c.made.Differences = c.made.Differences[:min(len(c.made.Differences), mostDifferences)]
}

// weight is less for what matters more: money taken that no order here has comes first, what is explained
// comes last.
func (d Difference) weight() int {
	switch {
	case d.State != (ports.MovementState{}):
		return 4
	case d.Kind == MissingHere && !d.Refund:
		return 0
	case d.Kind == AmountDiffers:
		return 1
	case d.Kind == MissingThere:
		return 2
	}
	return 3
}

// report closes the comparison: what the statement did not name is missing there.
func (c *comparison) report() Report {
	for _, m := range c.open {
		if c.within(m.At) {
			c.sum(ours, !m.Refund.IsZero(), m.Amount)
			c.differ(ofOurs(MissingThere, m, nil))
		}
	}
	c.cut()
	c.made.Ours, c.made.Theirs = c.totals(ours), c.totals(theirs)
	return c.made
}

func (c *comparison) totals(of int) []money.Amount {
	list := []money.Amount{}
	for currency, minor := range c.sums[of] {
		list = append(list, money.Of(minor, currency))
	}
	slices.SortFunc(list, func(a, b money.Amount) int { return cmp.Compare(a.Currency().Code(), b.Currency().Code()) })
	return list
}
