package simulation

import (
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/haggle-commerce/haggle/app/aftersales"
	"github.com/haggle-commerce/haggle/app/purchase"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/memstore"
)

// buy pays a checkout as a buyer does, through one server or another, with the same or another token.
func (h *shop) buy(name string, of id.Checkout, chance *rand.Rand) {
	actor := &process{name: name}
	token := h.token(chance)
	for try := range 1 + chance.IntN(5) {
		if !h.pause(time.Duration(chance.IntN(8_000_000)) * time.Microsecond) {
			return
		}
		h.wait(actor, "finalizes with "+token)
		r := h.replicas[chance.IntN(len(h.replicas))].server
		service, begun, steps := r.purchase(), time.Now(), h.stepsOf[name]
		done := make(chan purchase.Result, 1)
		ctx, cancel := context.WithCancel(tagged(noReason, name))
		go func() {
			defer close(done)
			grow()
			result, err := service.Finalize(ports.NewOutbound(ctx), h.project, purchase.FinalizeRequest{
				Checkout: of,
				Method:   project.SharedPaymentToken,
				Token:    token,
				Client:   "client",
				Email:    "ada@example.com",
			})
			if err == nil {
				done <- result
			}
		}()
		timer := time.NewTimer(time.Duration(1+chance.IntN(40_000)) * time.Millisecond)
		var result purchase.Result
		select {
		case result = <-done:
			h.checkLatency(try, time.Since(begun), h.stepsOf[name]-steps, result)
		case <-timer.C:
		}
		timer.Stop()
		cancel()
		if r.of.dead {
			result = nil // the buyer does not learn the result
		}
		if placed(result) != nil {
			if chance.IntN(2) == 0 {
				h.refund(actor, placed(result), chance)
			}
			return
		}
		if _, declined := result.(purchase.Declined); declined || chance.IntN(4) == 0 {
			token = h.token(chance)
		}
	}
}

// token returns a card token that is accepted or declined.
func (h *shop) token(chance *rand.Rand) string {
	kind := "taken"
	if h == h.shops[0] && (h.carding || chance.IntN(3) == 0) {
		kind = "declined"
	}
	return fmt.Sprintf("%s-%d", kind, chance.IntN(1_000_000))
}

// refund asks for a full or partial refund.
func (h *shop) refund(actor *process, o *order.Order, chance *rand.Rand) {
	h.wait(actor, "asks for a refund")
	r := h.replicas[chance.IntN(len(h.replicas))].server
	service := r.aftersales()
	request := aftersales.RefundRequest{Payment: o.Payment.ID, Reason: "Broken"}
	if chance.IntN(2) == 0 {
		part := money.Of(1+int64(chance.IntN(100_00)), money.USD)
		request.Amount = &part
	}
	cancel := chance.IntN(3) == 0
	go func() {
		grow()
		if cancel {
			_, _, _ = service.Cancel(tagged(noReason, actor.name), h.project.ID, o.ID, "")
			return
		}
		_, _ = refund(ports.NewOutbound(tagged(noReason, actor.name)), service, h.project.ID, request)
	}()
}

// reportCharge makes the provider report a charge by webhook: late, twice or not at all, unless it broke its promise. Some charges
// are disputed later.
func (h *shop) reportCharge(key, charge, decline string) {
	var outcome checkout.Outcome = checkout.Paid{Provider: charge, Label: "Card"}
	if decline != "" {
		h.declined = append(h.declined, h.store.Now())
		outcome = checkout.Declined{Code: decline, Message: "The payment was declined."}
	}
	send := func(ctx context.Context, s *server) error {
		return s.purchase().RecordOutcome(ctx, h.project.ID, key, outcome)
	}
	if h.breaksPromise && decline == "" {
		h.report(charge+" is paid", send)
	}
	for range h.chance.IntN(3) {
		after := time.Duration(h.chance.IntN(100_000_000)) * time.Microsecond
		number := h.chance.IntN(len(h.replicas))
		actor := &process{name: h.name + "'s webhook"}
		go func() {
			if !h.pause(after) {
				return
			}
			h.wait(actor, "tells of "+key)
			r := h.replicas[number].server
			go func() {
				grow()
				_ = send(tagged(noReason, key+" heard"), r)
			}()
		}()
	}
	if decline == "" && h.disputes {
		h.disputed(charge)
	}
}

// report makes the provider send a report repeatedly until a server has recorded it.
func (h *shop) report(what string, send func(context.Context, *server) error) {
	h.untold++
	actor, chance := &process{name: h.name + "'s webhook"}, h.own()
	go func() {
		for h.pause(time.Duration(chance.IntN(60_000_000)) * time.Microsecond) {
			h.wait(actor, "reports "+what)
			r := h.replicas[chance.IntN(len(h.replicas))].server
			done := make(chan error, 1)
			go func() { done <- send(tagged(noReason, what), r) }()
			if err := <-done; err == nil && !r.of.dead {
				h.untold--
				return
			}
		}
	}()
}

// reverseRefund makes the provider reverse a refund that had succeeded.
func (h *shop) reverseRefund(b *moneyBack) {
	if !h.takesBack || h.chance.IntN(2) == 0 {
		return
	}
	after := time.Duration(h.chance.IntN(90_000_000)) * time.Microsecond
	actor := &process{name: h.name + "'s bank"}
	h.untold++
	go func() {
		if !h.pause(after) {
			return
		}
		h.wait(actor, "takes back "+b.id)
		b.failed = true
		h.untold--
		h.report(b.id+" has failed", func(ctx context.Context, s *server) error {
			failure := order.RefundFailed{Code: "expired_or_canceled_card", Provider: b.id}
			if checkout.IsOrphan(b.key) {
				return s.purchase().RecordOrphanRefund(ctx, h.project.ID, b.key, failure)
			}
			return s.aftersales().RecordRefund(ctx, h.project.ID, b.key, failure)
		})
	}()
}

// disputed lets a buyer dispute the charge of an order. The dispute is won or lost.
func (h *shop) disputed(of string) {
	after, between, won := time.Duration(h.chance.IntN(60_000_000))*time.Microsecond, time.Duration(h.chance.IntN(60_000_000))*time.Microsecond, h.chance.IntN(2) == 0
	actor := &process{name: h.name + "'s bank"}
	h.untold++
	go func() {
		if !h.pause(after) {
			return
		}
		h.wait(actor, "hears of a dispute of "+of)
		h.untold--
		_, err := memstore.Payments{Store: h.store}.PaymentByCharge(noReason, h.project.ID, of)
		left := h.books.left(h.books.charge(of))
		if err != nil || left <= 0 {
			return
		}
		d := &dispute{
			id:        "dispute_" + of,
			charge:    of,
			amount:    left,
			withdrawn: left,
			fee:       15_00,
		}
		h.books.disputes = append(h.books.disputes, d)
		h.reportDispute(d, order.DisputeOpen)
		h.untold++
		if !h.pause(between) {
			return
		}
		h.wait(actor, "decides the dispute of "+of)
		h.untold--
		status := order.DisputeLost
		if won {
			status, d.withdrawn = order.DisputeWon, 0
		}
		h.reportDispute(d, status)
	}()
}

func (h *shop) reportDispute(d *dispute, status order.DisputeStatus) {
	usd := func(minor int64) money.Amount { return money.Of(minor, money.USD) }
	r := order.DisputeReport{
		Charge:    d.charge,
		Provider:  d.id,
		Status:    status,
		Reason:    "fraudulent",
		Amount:    usd(d.amount),
		Withdrawn: usd(d.withdrawn),
		Fee:       usd(d.fee),
		At:        h.books.now().Truncate(time.Second),
	}
	h.report(d.id+" is "+status.String(), func(ctx context.Context, s *server) error { return s.aftersales().RecordDispute(ctx, h.project.ID, r) })
}

// placed returns the order of a result, or nil.
func placed(r purchase.Result) *order.Order {
	p, _ := r.(purchase.Placed)
	return p.Order
}

// refund requests a refund.
func refund(ctx ports.Outbound, s *aftersales.Service, project id.Project, r aftersales.RefundRequest) (*order.Refund, error) {
	promised, err := s.RequestRefund(ctx, project, r)
	if err != nil {
		return nil, err
	}
	return s.ExecuteRefund(ctx, project, promised.ID)
}
