package shipstation_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors/shipstation"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
	"github.com/haggle-commerce/haggle/ports/porttest/adaptertest"
)

func TestConnector(t *testing.T) {
	t.Parallel()
	adaptertest.Connector(t, func(t *testing.T) adaptertest.ConnectorWorld {
		w := newFixture(t)
		return adaptertest.ConnectorWorld{
			Connector:  w,
			Connection: w.connection,
			Platform:   w.platform,
			Resources:  []syncrun.Resource{syncrun.Orders},
			Fill: func(t *testing.T, _ syncrun.Resource, n int, since time.Time) (names []string) {
				for i := range n {
					one := w.add(since.Add(time.Duration(i)*time.Second), "", fmt.Sprintf("#%d", i))
					names = append(names, fmt.Sprint(one.ID))
				}
				return names
			},
		}
	})
}

func TestConnector_calledConnector(t *testing.T) {
	t.Parallel()
	adaptertest.CalledConnector(t, func(t *testing.T) adaptertest.CalledWorld {
		w := newFixture(t)
		return adaptertest.CalledWorld{
			CalledConnector: w,
			Connection:      w.connection,
			Platform:        w.platform,
			Topic:           "SHIP_NOTIFY",
			Unsigned:        true,
			Hooks:           func() int { return len(w.hooks) },
			Call: func(t *testing.T, _ string, at time.Time) (ports.Call, string) {
				if len(w.sent) == 0 {
					w.add(at, "", "#1")
				}
				return w.call("/shipments?batchId=7&includeShipmentItems=False", at), fmt.Sprint(w.sent[0].ID)
			},
		}
	})
}

// call returns a call of a webhook.
func (w *fixture) call(path string, at time.Time) ports.Call {
	body, _ := json.Marshal(map[string]string{"resource_url": w.platform.URL + path, "resource_type": "SHIP_NOTIFY"})
	return ports.Call{
		Header:  func(string) string { return "" },
		Payload: body,
		Now:     at,
	}
}

func TestInspect_firstStore(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	if got, err := w.Inspect(ports.NewOutbound(t.Context()), w.connection); err != nil || got.Account != "store-77" || !got.Live {
		t.Errorf("%+v, %v", got, err)
	}
	w.stores = nil
	got, err := w.Inspect(ports.NewOutbound(t.Context()), w.connection)
	if err != nil || !strings.HasPrefix(got.Account, "key-") || len(got.Account) != len("key-")+16 || strings.Contains(apiKey, got.Account[4:]) {
		t.Errorf("%+v, %v", got, err)
	}
}

var someOrder = id.New[id.Order]([16]byte{1, 2, 3})

// page reads the only page of changes since a time.
func (w *fixture) page(t *testing.T, since time.Time) []syncrun.Record {
	t.Helper()
	page, err := w.Read(ports.NewOutbound(t.Context()), w.connection, ports.PageRequest{Resource: syncrun.Orders, Since: since})
	if err != nil || page.Next != "" {
		t.Fatalf("next %q, %v", page.Next, err)
	}
	return page.Records
}

func TestRead_records(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	at := time.Date(2026, 7, 1, 18, 30, 0, 250_000_000, time.UTC) // 11:30 in Pacific time
	w.add(at, someOrder.String(), "HG-7K2M-9QXA")
	later := w.add(at, someOrder.String(), "HG-7K2M-9QXA")
	later.Ships = "2026-07-03"
	back := w.add(at, someOrder.String(), "HG-7K2M-9QXA")
	back.Return = true
	w.add(at, "test-"+someOrder.String(), "TEST-HG-7K2M-9QXA")
	w.add(at, "", "other")
	sent := func(number string, at time.Time) *syncrun.Shipment {
		return &syncrun.Shipment{
			Carrier:   "ups",
			Number:    number,
			ShippedAt: at,
		}
	}
	want := []*syncrun.Order{
		{Number: "HG-7K2M-9QXA", Reference: someOrder.String(), Status: "shipped", Shipment: sent("1Z00000", at)},
		{Number: "HG-7K2M-9QXA", Reference: someOrder.String(), Status: "shipped", Shipment: sent("1Z00001", time.Date(2026, 7, 3, 7, 0, 0, 0, time.UTC))},
		{Number: "HG-7K2M-9QXA", Status: "return"},
		{Number: "TEST-HG-7K2M-9QXA", Status: "shipped"},
		{Number: "other", Status: "shipped"},
	}
	for i, r := range w.page(t, time.Time{}) {
		if !r.At.Equal(at) || !reflect.DeepEqual(r.Order, want[i]) {
			t.Errorf("%s at %s: %+v, %+v", r.Remote, r.At, r.Order, r.Order.Shipment)
		}
	}
}

// A shipment that is voided now was created before the last read.
func TestRead_voidedShipments(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	at := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	one := w.add(at, someOrder.String(), "HG-7K2M-9QXA")
	if got := w.page(t, at.Add(48*time.Hour)); len(got) != 0 {
		t.Fatalf("%d records before", len(got))
	}
	when := at.Add(50 * time.Hour)
	text := stamp(when)
	one.Voided, one.VoidedAt = true, &text
	got := w.page(t, at.Add(48*time.Hour))
	if len(got) != 1 || !got[0].At.Equal(when) || !got[0].Order.Shipment.Voided || got[0].Order.Status != "voided" {
		t.Fatalf("%+v", got)
	}
	if whole := w.page(t, time.Time{}); len(whole) != 1 || !whole[0].Order.Shipment.Voided {
		t.Errorf("%+v", whole)
	}
}

// The start of a search is in Pacific time, and an hour earlier because of the end of daylight saving time.
func TestRead_sinceInPacificTime(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.page(t, time.Date(2026, 7, 1, 18, 30, 0, 0, time.UTC))
	if len(w.query) != 2 || !strings.Contains(w.query[0], "createDateStart=2026-07-01+10%3A30%3A00") ||
		!strings.Contains(w.query[1], "voidDateStart=2026-07-01+10%3A30%3A00") {
		t.Errorf("asked for %q", w.query)
	}
}

func TestRead_unreadableShipments(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	at := time.Date(2026, 7, 1, 18, 30, 0, 0, time.UTC)
	w.add(at, "", "a").Created = "yesterday"
	w.add(at, "", "b").ID = 0
	w.add(at, "", "c")
	got := w.page(t, time.Time{})
	if len(got) != 3 || got[0].Problem == "" || got[0].Remote != "70000" || got[1].Problem == "" || got[2].Problem != "" {
		t.Errorf("%+v", got)
	}
}

func TestRead_invalidRequests(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	var refusal *ports.PlatformRefusal
	if _, err := w.Read(ports.NewOutbound(t.Context()), w.connection, ports.PageRequest{Resource: syncrun.Products}); !errors.As(err, &refusal) {
		t.Errorf("products: %v", err)
	}
	for _, cursor := range []string{"x", "created", "created:0", "created:x", "deleted:1", "created:1:2"} {
		var failure *ports.PlatformFailure
		if _, err := w.Read(ports.NewOutbound(t.Context()), w.connection, ports.PageRequest{Resource: syncrun.Orders, Cursor: cursor}); !errors.As(err, &failure) {
			t.Errorf("%s: %v", cursor, err)
		}
	}
}

// The seconds of X-Rate-Limit-Reset replace a missing Retry-After.
func TestConnector_Inspect_rateLimit(t *testing.T) {
	t.Parallel()
	limited := adaptertest.NewPlatform(t, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("X-Rate-Limit-Limit", "40")
		w.Header().Set("X-Rate-Limit-Remaining", "0")
		w.Header().Set("X-Rate-Limit-Reset", "37")
		w.WriteHeader(http.StatusTooManyRequests)
	}))
	s := shipstation.New(shipstation.Config{URL: limited.URL, Clock: clock{}})
	_, err := s.Inspect(ports.NewOutbound(t.Context()), ports.Connection{Credentials: integration.Credentials{Key: "k", Secret: "s"}})
	if wish := (ports.Throttled{}); !errors.As(err, &wish) || wish.After != 37*time.Second {
		t.Errorf("%v", err)
	}
}

// News does not connect to an address in an unsigned call.
func TestNews_otherAddresses(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	w.add(time.Now(), "", "#1")
	elsewhere := 0
	trap := adaptertest.NewPlatform(t, http.HandlerFunc(func(http.ResponseWriter, *http.Request) { elsewhere++ }))
	host := strings.TrimPrefix(w.platform.URL, "http://")
	for _, address := range []string{
		trap.URL + "/shipments", "https://" + host + "/shipments", "http://user@" + host + "/shipments", w.platform.URL + "/orders?x=1",
		w.platform.URL + "/shipments/../orders", "http://" + host + ".evil.example/shipments", "http://127.0.0.1/shipments",
		"https://ssapi6.shipstation.com/shipments", "ftp://" + host + "/shipments", w.platform.URL + "/shipments?%zz",
	} {
		body, _ := json.Marshal(map[string]string{"resource_url": address, "resource_type": "SHIP_NOTIFY"})
		var refusal *ports.PlatformRefusal
		if news, err := w.News(ports.NewOutbound(t.Context()), w.connection, "SHIP_NOTIFY", time.Time{}, body); !errors.As(err, &refusal) || news != nil {
			t.Errorf("%s: %v, %v", address, news, err)
		}
	}
	if elsewhere != 0 || len(w.query) != 0 {
		t.Errorf("%d requests elsewhere, %q here", elsewhere, w.query)
	}
}

func TestNews_allPages(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for i := range 450 {
		w.add(time.Now(), "", fmt.Sprint(i))
	}
	call := w.call("/shipments?storeId=7", time.Now())
	news, err := w.News(ports.NewOutbound(t.Context()), w.connection, "SHIP_NOTIFY", time.Time{}, call.Payload)
	if err != nil || len(news) != 450 {
		t.Fatalf("%d records, %v", len(news), err)
	}
	if !slices.ContainsFunc(w.query, func(q string) bool { return strings.Contains(q, "storeId=7") && strings.Contains(q, "page=3") }) {
		t.Errorf("asked for %q", w.query)
	}
	for _, other := range []string{`{"resource_url":"` + w.platform.URL + `/orders","resource_type":"ORDER_NOTIFY"}`} {
		if news, err := w.News(ports.NewOutbound(t.Context()), w.connection, "ORDER_NOTIFY", time.Time{}, []byte(other)); news != nil || err != nil {
			t.Errorf("%v, %v", news, err)
		}
	}
}

func TestVerify_invalidCalls(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	for _, payload := range []string{
		"", "null", "[]", "{}", `{"resource_url":"https://x.example/shipments"}`, `{"resource_type":"SHIP_NOTIFY"}`,
		`{"resource_url":"/shipments","resource_type":"SHIP_NOTIFY"}`, `{"resource_url":"https://x.example/","resource_type":"ship notify"}`,
		`{"resource_url":7,"resource_type":"SHIP_NOTIFY"}`, `{"resource_url":"https://x.example/","resource_type":"SHIP_NOTIFY","x":"` + strings.Repeat("x", 8<<10) + `"}`,
		`{"resource_url":"https://x.example/` + strings.Repeat("x", 2000) + `","resource_type":"SHIP_NOTIFY"}`,
	} {
		stamp, err := w.Verify(ports.Call{Payload: []byte(payload)}, "")
		if !fault.Is(err, "invalid_signature") || fault.KindOf(err) != fault.Unauthenticated {
			t.Errorf("%s: %+v, %v", payload, stamp, err)
		}
	}
}

// The total of an incremental read is a lower bound, because it does not include voided shipments.
func TestRead_total(t *testing.T) {
	t.Parallel()
	w := newFixture(t)
	at := time.Date(2026, 1, 5, 12, 0, 0, 0, time.UTC)
	for n := range 3 {
		w.add(at.Add(time.Duration(n)*time.Minute), someOrder.String(), "HG-7K2M-9QXA")
	}
	for since, want := range map[time.Time]syncrun.Total{{}: {Count: 3}, at.Add(-time.Hour): {Count: 3, AtLeast: true}} {
		page, err := w.Read(ports.NewOutbound(t.Context()), w.connection, ports.PageRequest{Resource: syncrun.Orders, Since: since})
		if err != nil || page.Total != want {
			t.Errorf("%+v, want %+v, %v", page.Total, want, err)
		}
	}
}
