package connecting_test

import (
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
)

// Disconnecting unregisters the webhooks and cancels the run, even if the platform does not answer.
func TestService_Disconnect_webhooksAndRun(t *testing.T) {
	t.Parallel()
	for name, leave := range map[string]error{"the platform lets go": nil, "the platform does not": errors.New("no answer")} {
		synctest.Test(t, func(t *testing.T) {
			f := newFixture()
			f.platform.unregisterErr = leave
			i := f.addConnected(integration.Shopify, tokens("t"))
			f.runs.list = append(f.runs.list, runOf(i))
			for n := range 2 {
				f.webhooks.list = append(f.webhooks.list, &integration.Webhook{ID: id.New[id.Webhook]([16]byte{byte(n)}), Remote: string(rune('1' + n))})
			}
			time.Sleep(26 * time.Minute)
			if err := disconnect(t, f.service(), i); err != nil {
				t.Fatal(err)
			}
			after, _ := f.load(t, i.ID)
			if said := f.platform.takeRequests(); said != "refresh t; unregister 1 with t'; unregister 2 with t'" {
				t.Errorf("%s: it was told %s", name, said)
			}
			if after.Status != integration.Disconnected || after.Sealed != nil || f.runs.list[0].Status.String() != "canceled" || len(f.webhooks.list) > 0 || len(f.events) > 0 {
				t.Errorf("%s: %+v, %+v, %+v", name, after, f.runs.list[0], f.webhooks.list)
			}
			if err := disconnect(t, f.service(), i); err != nil || f.platform.takeRequests() != "" {
				t.Errorf("%s, again: %v", name, err)
			}
		})
	}
}

// Without credentials the webhooks can no longer be unregistered.
func TestPrepareDisconnect_withoutRoomKeepsTheIntegration(t *testing.T) {
	t.Parallel()
	f := newFixture()
	i, s := f.addConnected(integration.Shopify, tokens("t")), f.service()
	f.webhooks.list = append(f.webhooks.list, &integration.Webhook{ID: id.New[id.Webhook]([16]byte{1}), Remote: "1"})
	s.Waiting = bulkhead.NewRoom(bulkhead.Shares{})
	if err := disconnect(t, s, i); !fault.Is(err, "overloaded") {
		t.Errorf("without room: %v", err)
	}
	if now, _ := f.load(t, i.ID); now.Status == integration.Disconnected || len(f.webhooks.list) != 1 {
		t.Errorf("without room: %s, %d webhooks", now.Status, len(f.webhooks.list))
	}
}
