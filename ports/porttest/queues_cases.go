package porttest

import (
	"errors"
	"time"

	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// queueCases build the case of each queue, by its name in the counts of set-aside work. They report whether the store
// has the queue.
var queueCases = map[string]func(*queueCase) bool{
	"payments":   paymentsQueue,
	"refunds":    refundsQueue,
	"orphans":    orphansQueue,
	"deliveries": deliveriesQueue,
	"webhooks":   webhooksQueue,
	"sync runs":  syncRunsQueue,
	"embeddings": embeddingsQueue,
}

// groups makes each group's own T when it is first asked for.
func groups[T any](build func() T) func(group int) T {
	made := map[int]T{}
	return func(group int) T {
		if _, known := made[group]; !known {
			made[group] = build()
		}
		return made[group]
	}
}

func (c *queueCase) shops() func(int) *Shop {
	return groups(func() *Shop { return OpenShop(c.T, c.stores.Stores) })
}

func paymentsQueue(c *queueCase) bool {
	shop := c.shops()
	c.queue, c.unfenced = erased[*checkout.Checkout]{c.stores.Lapsed}, true
	c.add = func(group int) string {
		s := shop(group)
		made := s.Checkout(s.Session(), Line(s.Product(1), 1))
		_, err := s.claimAt(made.ID(), Noon)
		c.must(err)
		return made.ID().String()
	}
	c.record = func(l ports.Leased[any]) error {
		s := *shop(0)
		for group := 0; s.Project.ID != l.Project; group++ {
			s = *shop(group)
		}
		return s.Settle(l.Item.(*checkout.Checkout).ID(), func(locked *checkout.Checkout) (ports.Settlement, error) { return s.Declined(locked) })
	}
	return true
}

func refundsQueue(c *queueCase) bool {
	shop := c.shops()
	c.queue, c.unfenced = erased[ports.DueRefund]{c.stores.DueRefunds}, true
	c.add = func(group int) string {
		refund := Random[id.Refund]()
		s := shop(group)
		s.CarryOn(s.Sold(s.Product(1), 1).ID, func(k *order.Case) error { return k.Refund(refund, nil, "", Noon) })
		return refund.String()
	}
	c.record = func(l ports.Leased[any]) error {
		due := l.Item.(ports.DueRefund)
		_, err := c.stores.Orders.Change(c.Context(), due.Project, due.Order, func(k *order.Case) error {
			return k.SettleRefund(due.Refund, order.Refunded{Provider: "re_" + l.Key}, Random[id.Event](), queueStart)
		})
		return err
	}
	return true
}

func orphansQueue(c *queueCase) bool {
	shop := c.shops()
	c.queue, c.unfenced = erased[*checkout.Orphan]{c.stores.DueOrphans}, true
	c.add = func(group int) string {
		s := shop(group)
		made := s.Checkout(s.Session(), Line(s.Product(1), 1))
		return s.orphan(made.Orphaned(made.Attempt(), Random[id.Payment]().String(), Noon)).ID
	}
	c.record = func(l ports.Leased[any]) error {
		return c.stores.Orphans.ChangeOrphan(c.Context(), l.Project, l.Key, func(o *checkout.Orphan, now time.Time) (*event.Event, error) {
			o.Refunded("re_"+l.Key, now)
			return nil, nil
		})
	}
	return true
}

func deliveriesQueue(c *queueCase) bool {
	type reader struct {
		press *press
		to    *event.Subscription
	}
	readers := groups(func() reader {
		p := &press{PublishingStores: c.stores, Shop: OpenShop(c.T, c.stores.Stores)}
		return reader{p, p.subscribe("*")}
	})
	c.queue = erased[ports.Parcel]{c.stores.Outbox}
	c.add = func(group int) string {
		r := readers(group)
		return r.press.announce(r.to, 1)[0].ID.String()
	}
	c.record = func(l ports.Leased[any]) error {
		d := l.Item.(ports.Parcel).Delivery
		return errors.Join(d.Cancel(), c.stores.Outbox.Record(c.Context(), []ports.Outcome{{Held: l.Held, Delivery: d}}))
	}
	return true
}

func webhooksQueue(c *queueCase) bool {
	if c.stores.InboxQueue == nil {
		return false
	}
	boxes := groups(func() *Mailbox { return OpenShop(c.T, c.stores.Stores).Mailbox() })
	c.queue = erased[*integration.Delivery]{c.stores.InboxQueue}
	c.add = func(group int) string {
		m := boxes(group)
		d := m.Letter(Random[id.WebhookLog]().String(), Noon)
		m.Keep(d)
		return d.ID.String()
	}
	c.record = func(l ports.Leased[any]) error {
		d := *l.Item.(*integration.Delivery)
		d.Done()
		return c.stores.Inbox.Record(c.Context(), &d, l.Until)
	}
	return true
}

func syncRunsQueue(c *queueCase) bool {
	if c.stores.SyncQueue == nil {
		return false
	}
	kinds := []integration.Type{integration.Shopify, integration.HubSpot, integration.ShipStation, integration.Custom}
	shop, runs := c.shops(), map[int]int{}
	c.queue, c.room = erased[*syncrun.Run]{c.stores.SyncQueue}, len(kinds)
	c.add = func(group int) string {
		s, kind := shop(group), kinds[runs[group]]
		runs[group]++
		return s.Started(s.Connect(kind, Noon).ID, Noon).ID.String()
	}
	c.record = func(l ports.Leased[any]) error {
		run := l.Item.(*syncrun.Run)
		_, err := c.stores.SyncRuns.Update(c.Context(), l.Project, run.ID, func(r *syncrun.Run) error {
			if !r.DueAt.Equal(l.Until) {
				return ErrPlain
			}
			return r.Cancel(queueStart)
		})
		return err
	}
	return true
}

func embeddingsQueue(c *queueCase) bool {
	if c.stores.Embeddings == nil {
		return false
	}
	shop := c.shops()
	c.queue, c.room = erased[*ports.EmbeddingTask]{c.stores.Embeddings.Behind("small", 7*Day)}, 1
	c.add = func(group int) string {
		shop(group).Product(1)
		return "small"
	}
	c.record = func(l ports.Leased[any]) error {
		return c.stores.Embeddings.Finish(c.Context(), l.Item.(*ports.EmbeddingTask), 1, queueStart)
	}
	return true
}
