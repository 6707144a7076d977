package porttest

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/ports"
)

// caseDisputes lists three disputes, two of one moment, page by page and by each filter.
func caseDisputes(s *Shop) {
	var all []order.Dispute // as they were opened
	open := func(r func(*order.DisputeReport), at time.Time) *order.Order {
		o := s.Sold(s.Product(5), 2)
		report := disputed(o, order.DisputeOpen, 9_00, 0)
		r(&report)
		c := s.CarryOn(o.ID, func(c *order.Case) error { return c.ReportDispute(report, newDisputeIDs(), at) })
		all = append(all, c.Disputes[0])
		return o
	}
	due := Noon.Add(7 * 24 * time.Hour)
	waiting := open(func(r *order.DisputeReport) { r.DueBy = due }, Noon)
	open(func(r *order.DisputeReport) { r.Response = order.UnderReview }, Noon)
	open(func(r *order.DisputeReport) { r.Status = order.DisputeLost }, Noon.Add(time.Hour))

	got, err := s.Disputes.DisputeByID(s.Ctx, s.Project.ID, all[0].ID)
	s.Must(err)
	Same(s.T, "a dispute", *got, all[0])
	Same(s.T, "its deadline", got.DueBy, due)
	_, err = s.Disputes.DisputeByID(s.Ctx, s.Project.ID, Random[id.Dispute]())
	WantFault(s.T, err, fault.NotFound, "dispute_not_found")

	c := s.CarryOn(waiting.ID, func(c *order.Case) error {
		report := disputed(waiting, order.DisputeOpen, 9_00, 0)
		report.Response, report.At = order.UnderReview, Noon.Add(time.Minute)
		return c.AnswerDispute(all[0].ID, order.Evidence{Note: "Delivered.", TrackingNumber: "42"}, report, newDisputeIDs(), Noon.Add(time.Minute))
	})
	all[0] = c.Disputes[0]
	sameCase(s.T, s.OrderCase(waiting.ID), c)

	listed := func(f ports.DisputeFilter, limit int) (found []id.Dispute, pages int) {
		var after *ports.DisputePlace
		for {
			list, next, err := s.Disputes.Disputes(s.Ctx, s.Project.ID, f, after, limit)
			s.Must(err)
			for _, d := range list {
				found = append(found, d.ID)
			}
			if pages++; next == nil {
				return found, pages
			}
			after = next
		}
	}
	for limit, pages := range map[int]int{1: 3, 2: 2, 3: 1, 4: 1} {
		found, n := listed(ports.DisputeFilter{}, limit)
		Same(s.T, "the newest", []any{len(found), found[0], n}, []any{3, all[2].ID, pages})
		if found[1] == found[2] || found[1] == found[0] {
			s.T.Errorf("%d a page: listed twice: %v", limit, found)
		}
	}
	for name, test := range map[string]struct {
		f    ports.DisputeFilter
		want int
	}{
		"open":         {ports.DisputeFilter{Status: order.DisputeOpen}, 2},
		"lost":         {ports.DisputeFilter{Status: order.DisputeLost}, 1},
		"under review": {ports.DisputeFilter{Response: order.UnderReview}, 2},
		"to answer":    {ports.DisputeFilter{Response: order.ResponseNeeded}, 0},
		"of an order":  {ports.DisputeFilter{Order: waiting.ID}, 1},
		"later":        {ports.DisputeFilter{From: Noon.Add(time.Minute)}, 1},
		"before":       {ports.DisputeFilter{To: Noon.Add(time.Minute)}, 2},
	} {
		found, _ := listed(test.f, 10)
		Same(s.T, name, len(found), test.want)
	}
}
