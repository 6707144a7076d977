package porttest

import (
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// redeliverFailed makes deliveries due again that failed or wait for another try, and no others.
func redeliverFailed(p *press) {
	s, other := p.subscribe("*"), p.subscribe("*")
	list := p.announce(s, 4)
	now := Noon.Add(2 * time.Hour)
	p.Shop.SetClock(now)
	var outcomes []ports.Outcome
	for _, parcel := range p.claim(now, 100) {
		d, result := parcel.Item.Delivery, event.Result{Code: 500, Error: "It answers 500."}
		switch d.ID {
		case list[0].ID:
			result = event.Result{Code: 200}
		case list[1].ID:
			result = event.Result{Code: 410, Error: "It answers 410."}
		}
		_, err := d.Attempted(result, now, 0)
		p.Must(err)
		outcomes = append(outcomes, outcome(parcel))
	}
	p.Must(p.Outbox.Record(p.Ctx, outcomes))
	again := func(since time.Time, most, want int, wantMore bool) {
		p.T.Helper()
		n, more, err := p.Deliveries.RedeliverFailed(p.Ctx, p.Project.ID, s.ID, since, most)
		if err != nil || n != want || more != wantMore {
			p.T.Errorf("since %s, at most %d: %d, %v, %v; want %d, %v", since, most, n, more, err, want, wantMore)
		}
	}
	again(Noon.Add(time.Millisecond), 5, 0, false)
	again(Noon, 1, 1, true)
	again(Noon, 5, 2, false)
	again(Noon, 5, 0, false)
	if got := p.delivery(list[1]); got.Status != event.Pending || got.DueAt.After(now) {
		p.T.Errorf("what failed is %+v", got)
	}
	if got := p.delivery(list[0]).Status; got != event.Delivered {
		p.T.Errorf("what was delivered is %s", got)
	}
	_, _, err := p.Deliveries.RedeliverFailed(p.Ctx, p.Project.ID, Random[id.Subscription](), Noon, 5)
	WantFault(p.T, err, fault.NotFound, "subscription_not_found")
	_, err = p.Subscriptions.Update(p.Ctx, p.Project.ID, other.ID, func(s *event.Subscription) error {
		s.Disable(event.ByMerchant, Noon)
		return nil
	})
	p.Must(err)
	_, _, err = p.Deliveries.RedeliverFailed(p.Ctx, p.Project.ID, other.ID, Noon, 5)
	WantFault(p.T, err, fault.Conflict, "subscription_disabled")
}
