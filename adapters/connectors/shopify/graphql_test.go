package shopify_test

import (
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors/shopify"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

func failed(err error) bool {
	var f *ports.PlatformFailure
	return errors.As(err, &f)
}

func refused(err error) bool {
	var r *ports.PlatformRefusal
	return errors.As(err, &r)
}

func throttled(err error) (time.Duration, bool) {
	var t ports.Throttled
	return t.After, errors.As(err, &t)
}

func TestAsk_errors(t *testing.T) {
	t.Parallel()
	credentials := func(err error) bool { return errors.Is(err, ports.ErrCredentialsRefused) }
	for body, c := range map[string]struct {
		status int
		is     func(error) bool
		says   string
	}{
		`{"errors": "[API] Invalid API key or access token"}`:                               {401, credentials, ""},
		`{"errors": "[API] This action requires merchant approval for read_orders scope."}`: {403, refused, "access scope"},
		`{"errors": "Forbidden"}`:        {403, refused, "IP allowlist"},
		`{"errors": "Not Found"}`:        {404, refused, "404"},
		`{"errors": "Unavailable Shop"}`: {402, refused, "402"},
		`{"errors": "Locked"}`:           {423, refused, "423"},
		`{"errors": [{"message": "Internal error", "extensions": {"code": "INTERNAL_SERVER_ERROR"}}]}`:                                        {200, failed, ""},
		`{"errors": [{"message": "Access denied for orders field. Required access: read_orders.", "extensions": {"code": "ACCESS_DENIED"}}]}`: {200, refused, "Required access: read_orders."},
		`{"errors": [{"message": "Field 'x' doesn't exist on type 'Y'"}]}`:                                                                    {200, refused, "doesn't exist"},
		`{"errors": [{"message": "", "extensions": {"code": "UNAUTHENTICATED"}}]}`:                                                            {200, credentials, ""},
		`{"errors": "` + secret + `"}`:               {200, refused, "…"},
		`{"errors": [{"message": "` + token + `"}]}`: {200, refused, "…"},
		`{"data": null}`:                             {200, failed, ""},
		`{}`:                                         {200, failed, ""},
		`{"data": {}}`:                               {200, failed, "no page"},
		`{"data": {"orders": null}}`:                 {200, failed, "no page"},
		`{"data": {"orders": {"pageInfo": {}}}}`:     {200, failed, "no page"},
		`{"data": {"orders": []}}`:                   {200, failed, ""},
		`{"data": {"orders": {"pageInfo": {"hasNextPage": true}, "nodes": []}}}`: {200, failed, "where"},
	} {
		s, conn0, conn := connect(t)
		s.on("Orders", func(map[string]any) (int, string) { return c.status, body })
		page, err := conn0.Read(ports.NewOutbound(t.Context()), conn, ports.PageRequest{Resource: syncrun.Orders})
		if !c.is(err) || page.Next != "" || !strings.Contains(err.Error(), c.says) || strings.Contains(err.Error(), secret) || strings.Contains(err.Error(), token) {
			t.Errorf("%d %s: %v", c.status, body, err)
		}
	}
}

// spent returns the cost of a query and the remaining budget, as in an answer.
func spent(requested, left, maximum, rate float64) string {
	return fmt.Sprintf(`"extensions": {"cost": {"requestedQueryCost": %v, "actualQueryCost": null,
		"throttleStatus": {"maximumAvailable": %v, "currentlyAvailable": %v, "restoreRate": %v}}}`, requested, maximum, left, rate)
}

const (
	noOrders  = `"data": {"orders": {"pageInfo": {"hasNextPage": false}, "nodes": []}}`
	throttles = `"errors": [{"message": "Throttled", "extensions": {"code": "THROTTLED"}}]`
)

func orders(t *testing.T, c *shopify.Connector, conn ports.Connection) error {
	t.Helper()
	_, err := c.Read(ports.NewOutbound(t.Context()), conn, ports.PageRequest{Resource: syncrun.Orders})
	return err
}

// Throttled has the time until the budget suffices. Until then no request is sent.
func TestAsk_throttled(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	s.on("Orders", func(map[string]any) (int, string) {
		return 200, `{` + throttles + `, ` + spent(1000, 100, 1000, 50) + `}`
	})
	before := time.Now()
	for range 2 { // the second one sends no request
		wait, ok := throttled(orders(t, c, conn))
		if !ok || wait < 17*time.Second-time.Since(before) || wait > 18*time.Second || s.count("Orders") != 1 {
			t.Errorf("wait %s, %v, asked %d times", wait, ok, s.count("Orders"))
		}
	}
	conn.Key = "another"
	if _, ok := throttled(orders(t, c, conn)); !ok || s.count("Orders") != 2 {
		t.Errorf("another account was not asked for: %d", s.count("Orders"))
	}
}

func TestPatience_shortWait(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	var asked []time.Time
	s.on("Orders", func(map[string]any) (int, string) {
		asked = append(asked, time.Now())
		if len(asked) == 1 {
			return 200, `{` + throttles + `, ` + spent(100, 50, 1000, 250) + `}` // 200 ms
		}
		return 200, `{` + noOrders + `, ` + spent(100, 0, 1000, 250) + `}` // 400 ms
	})
	if err := orders(t, c, conn); err != nil || len(asked) != 2 || asked[1].Sub(asked[0]) < 200*time.Millisecond {
		t.Errorf("%v, asked at %v", err, asked)
	}
	if err := orders(t, c, conn); err != nil || len(asked) != 3 || asked[2].Sub(asked[1]) < 400*time.Millisecond {
		t.Errorf("%v, asked at %v", err, asked)
	}
}

func TestAsk_throttledByStatus(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	for body, status := range map[string]int{`{"errors": "Throttled"}`: http.StatusTooManyRequests, `{` + throttles + `}`: http.StatusOK} {
		s.on("Orders", func(map[string]any) (int, string) { return status, body })
		if wait, ok := throttled(orders(t, c, conn)); !ok || wait <= 0 {
			t.Errorf("%d %s: %s, %v", status, body, wait, ok)
		}
	}
}

// Pages that Shopify refuses as too expensive are requested again with a smaller size.
func TestFetch_tooExpensive(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	s.maxFirst = 7
	names := s.fill(syncrun.Products, 30, noon)
	r := ports.PageRequest{Resource: syncrun.Products}
	var got []string
	for {
		page, err := c.Read(ports.NewOutbound(t.Context()), conn, r)
		if err != nil {
			t.Fatal(err)
		}
		for _, record := range page.Records {
			got = append(got, record.Remote)
		}
		if r.Cursor = page.Next; r.Cursor == "" {
			break
		}
	}
	if strings.Join(got, " ") != strings.Join(names, " ") {
		t.Errorf("%v", got)
	}
	if n := s.count("Products"); n != 6 {
		t.Errorf("asked %d times", n)
	}
	s.fill(syncrun.Customers, 7, noon) // the costs are in the message only
	if page, err := c.Read(ports.NewOutbound(t.Context()), conn, ports.PageRequest{Resource: syncrun.Customers}); err != nil || len(page.Records) != 7 || s.count("Customers") != 2 {
		t.Errorf("%d customers, asked %d times, %v", len(page.Records), s.count("Customers"), err)
	}
	s.fail("Orders", `[{"message": "too dear", "extensions": {"code": "MAX_COST_EXCEEDED"}}]`)
	if err := orders(t, c, conn); !refused(err) || s.count("Orders") > 12 {
		t.Errorf("%v, asked %d times", err, s.count("Orders"))
	}
	s.on("Customers", func(map[string]any) (int, string) {
		return 200, `{` + throttles + `, ` + spent(2000, 1000, 1000, 50) + `}`
	})
	if _, err := c.Read(ports.NewOutbound(t.Context()), conn, ports.PageRequest{Resource: syncrun.Customers}); !refused(err) {
		t.Errorf("what the whole budget does not allow for: %v", err)
	}
}

func TestRead_cursorAndFilter(t *testing.T) {
	t.Parallel()
	s, c, conn := connect(t)
	s.fill(syncrun.Customers, 251, noon)
	r := ports.PageRequest{Resource: syncrun.Customers, Since: noon.Add(-time.Second).In(time.FixedZone("", 3600))}
	first, err := c.Read(ports.NewOutbound(t.Context()), conn, r)
	if err != nil || len(first.Records) != 250 || first.Next != "page:.250.9007199254741242.250" {
		t.Fatalf("%d, next %q, %v", len(first.Records), first.Next, err)
	}
	r.Cursor = first.Next
	second, err := c.Read(ports.NewOutbound(t.Context()), conn, r)
	if err != nil || len(second.Records) != 1 || second.Next != "" {
		t.Errorf("%d, next %q, %v", len(second.Records), second.Next, err)
	}
	wanted := []string{
		`Customers {"after":null,"first":250,"query":"updated_at:\u003e='2026-03-01T11:59:59Z'"}`,
		`Customers {"after":"250","first":250,"query":"updated_at:\u003e='2026-03-01T11:59:59Z'"}`,
	}
	if strings.Join(s.asked, "\n") != strings.Join(wanted, "\n") {
		t.Errorf("asked\n%s", strings.Join(s.asked, "\n"))
	}
	if _, err := c.Read(ports.NewOutbound(t.Context()), conn, ports.PageRequest{Resource: syncrun.Items}); !refused(err) {
		t.Error(err)
	}
}

// Without a configured URL, requests go to the shop's own domain. Tokens are sent to no other host.
func TestConnector_address(t *testing.T) {
	t.Parallel()
	var hosts []string
	client := &http.Client{Transport: transport(func(r *http.Request) (*http.Response, error) {
		hosts = append(hosts, r.URL.String())
		return nil, errors.New("no network")
	})}
	c := shopify.New(shopify.Config{
		ClientID:     clientID,
		ClientSecret: secret,
		Client:       client,
		Clock:        fixedClock(noon),
	})
	conn := connection(t)
	if _, err := c.Inspect(ports.NewOutbound(t.Context()), conn); !failed(err) || len(hosts) != 1 || hosts[0] != "https://acme.myshopify.com/admin/api/"+shopify.Version+"/graphql.json" {
		t.Errorf("%v, %v", hosts, err)
	}
	for _, store := range []string{"", "evil.example", "acme.myshopify.com.evil.example", "evil.example/.myshopify.com", "a@b.myshopify.com", "acme.myshopify.com:81", "-a.myshopify.com"} {
		conn.Store = store
		if _, err := c.Inspect(ports.NewOutbound(t.Context()), conn); !refused(err) || len(hosts) != 1 {
			t.Errorf("%q: %v, %v", store, hosts, err)
		}
	}
}

type transport func(*http.Request) (*http.Response, error)

func (f transport) RoundTrip(r *http.Request) (*http.Response, error) { return f(r) }
