package journey

import (
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/faults"
)

// BenchmarkProtocols compares the costs of searches, quotes and checkouts over Haggle's own protocol, UCP's REST binding and
// MCP, in one run on one server: b.N of each, in alternating rounds. A checkout is opened with a deal, an address and an e-mail
// address, and paid. CPU time is the server's plus, on PostgreSQL, the database's.
func BenchmarkProtocols(b *testing.B) {
	asked(b)
	program := built(b)
	b.Run("sqlite", func(b *testing.B) {
		file := fmt.Sprintf("%s/%d.db", b.TempDir(), b.N)
		s := start(b, program, "sqlite://"+file, 1)
		s.file = file
		s.compareProtocols(b)
	})
	b.Run("postgres", func(b *testing.B) {
		cluster := boottest.StartCluster(b, true)
		must(b, cluster.CreateDatabase("journey", ""))
		s := start(b, program, cluster.URL("journey"), 1)
		s.cluster = cluster
		s.compareProtocols(b)
		s.replicas[0].stop()
		s.countProtocols(b, program)
	})
}

// rounds is how often the protocols alternate.
const rounds = 6

// want is an item that buyers ask for, with its id in each protocol.
type want struct{ session, product, variant string }

// agreement is the result of a quote.
type agreement struct {
	want
	token string
	price string
}

// speaker sends the requests of one protocol.
type speaker struct {
	name     string
	search   func(*buyer, sender, string) (want, error)
	quote    func(*buyer, sender, want) (agreement, error)
	checkout func(*buyer, sender, agreement) error
}

var speakers = []speaker{
	{"own", ownSearch, ownQuote, ownCheckout},
	{"rest", agentSearch(overREST), agentQuote(overREST), agentCheckout(overREST)},
	{"mcp", agentSearch(overMCP), agentQuote(overMCP), agentCheckout(overMCP)},
}

var stages = []string{"search", "quote", "checkout"}

// costs are microseconds or statements, by protocol and step.
type costs map[string]float64

func (s *server) compareProtocols(b *testing.B) {
	b.Helper()
	for _, p := range speakers {
		_, err := s.work(p, warmUp/2, func() float64 { return 0 })
		must(b, err)
	}
	used := costs{}
	s.replicas[0].profiler.start(b)
	b.ResetTimer()
	for round := range rounds {
		for i := range speakers {
			p := speakers[(i+round)%len(speakers)]
			one, err := s.work(p, max(1, b.N/rounds), func() float64 {
				u := s.usage(b)
				return float64(u.server + u.database)
			})
			must(b, err)
			for step, cost := range one {
				used[step+" "+p.name] += cost
			}
		}
	}
	b.StopTimer()
	s.replicas[0].profiler.stop(b)
	used.report(b, "µs", float64(max(1, b.N/rounds)*rounds))
	b.ReportMetric(0, "ns/op")
	s.witness(b)
}

// report reports each step's cost, and its ratio to the cost with Haggle's own protocol.
func (c costs) report(b *testing.B, unit string, count float64) {
	b.Helper()
	for _, p := range speakers {
		for _, step := range stages {
			c["journey "+p.name] += c[step+" "+p.name]
		}
	}
	for _, step := range append(slices.Clone(stages), "journey") {
		own := c[step+" own"]
		for _, p := range speakers {
			cost := c[step+" "+p.name]
			b.ReportMetric(cost/count, step+"-"+p.name+"-"+unit)
			b.Logf("%-8s %-4s %8.1f %s, %.2f times our own", step, p.name, cost/count, unit, cost/own)
		}
	}
}

// work does n of each step over one protocol, and returns the increase of a meter.
func (s *server) work(p speaker, n int, meter func() float64) (costs, error) {
	found, agreed := make([]want, n), make([]agreement, n)
	first := s.buyer.number.Add(int64(n)) - int64(n)
	did := costs{}
	for _, step := range stages {
		before := meter()
		err := each(n, func(i int) (err error) {
			number := first + int64(i)
			from := sender{url: s.buyer.urls[0], address: fmt.Sprintf("10.%d.%d.%d", number>>16&255, number>>8&255, number&255)}
			switch step {
			case "search":
				found[i], err = p.search(s.buyer, from, words[number%int64(len(words))])
			case "quote":
				agreed[i], err = p.quote(s.buyer, from, found[i])
			default:
				err = p.checkout(s.buyer, from, agreed[i])
			}
			return err
		})
		if err != nil {
			return nil, fmt.Errorf("%s over %s: %w", step, p.name, err)
		}
		did[step] = meter() - before
	}
	return did, nil
}

// each calls do with the numbers below n, concurrently by all clients.
func each(n int, do func(int) error) error {
	failed := make(chan error, clients)
	var all sync.WaitGroup
	for c := range clients {
		all.Go(func() {
			for i := c; i < n; i += clients {
				if err := do(i); err != nil {
					failed <- err
					return
				}
			}
		})
	}
	all.Wait()
	close(failed)
	return <-failed
}

// countProtocols counts the statements of each step, through a proxy that is not used in the measurement before.
func (s *server) countProtocols(b *testing.B, program string) {
	b.Helper()
	socket := s.text(b, "SELECT setting FROM pg_settings WHERE name = 'unix_socket_directories'") + "/.s.PGSQL.5432"
	proxy, err := faults.NewProxy("unix", socket)
	must(b, err)
	b.Cleanup(proxy.Close)
	through := run(b, program, fmt.Sprintf("postgres://haggle_owner@%s/journey?sslmode=disable", proxy.Addr()))
	behind := *s
	behind.buyer = newBuyer(s.slug, through.process.URL)
	behind.buyer.number.Store(s.buyer.number.Load())
	statements, trips := costs{}, costs{}
	for _, p := range speakers {
		_, err := behind.work(p, warmUp/2, func() float64 { return 0 })
		must(b, err)
	}
	for _, p := range speakers {
		time.Sleep(time.Second) // background work of earlier payments
		one, err := behind.work(p, counted, func() float64 { return float64(proxy.Traffic().Statements) })
		must(b, err)
		time.Sleep(time.Second)
		two, err := behind.work(p, counted, func() float64 { return float64(proxy.Traffic().Trips) })
		must(b, err)
		for _, step := range stages {
			statements[step+" "+p.name], trips[step+" "+p.name] = one[step], two[step]
		}
	}
	statements.report(b, "statements", counted)
	trips.report(b, "trips", counted)
	through.stop()
}

func ownSearch(b *buyer, from sender, query string) (want, error) {
	var found struct {
		SessionID string `json:"session_id"`
		Results   []struct {
			ProductID string `json:"product_id"`
			Variants  []struct {
				ID string `json:"id"`
			} `json:"variants"`
		} `json:"results"`
	}
	err := b.send(from, "POST", "/acp/search", fmt.Sprintf(`{"query": %q, "limit": 10}`, query), &found)
	if err != nil || len(found.Results) == 0 {
		return want{}, cmp.Or(err, fmt.Errorf("nothing found for %q", query))
	}
	first := found.Results[0]
	return want{found.SessionID, first.ProductID, first.Variants[0].ID}, nil
}

func ownQuote(b *buyer, from sender, w want) (agreement, error) {
	var quote quoted
	ask := fmt.Sprintf(`{"session_id": %q, "product_id": %q, "quantity": 1, "offer_price": %s}`, w.session, w.product, offered)
	err := b.send(from, "POST", "/acp/quote", ask, &quote)
	if err == nil && quote.CheckoutToken == "" {
		err = fmt.Errorf("an offer of %s was answered by %q", offered, quote.Status)
	}
	return agreement{w, quote.CheckoutToken, quote.FinalPrice.String()}, err
}

func ownCheckout(b *buyer, from sender, a agreement) error {
	var checkout struct {
		ID string `json:"checkout_id"`
	}
	err := b.send(from, "POST", "/acp/checkout/init", fmt.Sprintf(
		`{"session_id": %q, "items": [{"product_id": %q, "quantity": 1, "checkout_token": %q}], "shipping_address": %s, "buyer": {"email": "buyer@example.com"}}`,
		a.session, a.product, a.token, address), &checkout)
	if err != nil {
		return err
	}
	var paid struct {
		Status string `json:"status"`
	}
	from.header = http.Header{"Idempotency-Key": {keyFor(checkout.ID)}}
	err = b.send(from, "POST", "/acp/checkout/finalize", fmt.Sprintf(
		`{"checkout_id": %q, "payment": {"method": "psp_spt", "token": "spt_sandbox_ok"}, "buyer_email": "buyer@example.com"}`, checkout.ID), &paid)
	if err == nil && paid.Status != "success" {
		err = fmt.Errorf("finalize ended with %q", paid.Status)
	}
	return err
}

// keyFor returns an idempotency key that is long enough for every protocol.
func keyFor(checkout string) string { return "key-of-an-agent-" + checkout }

// binding sends an operation of UCP, by its REST path or as a tool of MCP.
type binding func(b *buyer, from sender, o operation, into any) error

type operation struct {
	path, tool, payload, id, key string
	body                         string
}

func overREST(b *buyer, from sender, o operation, into any) error {
	from.header = http.Header{"UCP-Agent": {`profile="https://haggle.invalid/agent"`}}
	if o.key != "" {
		from.header.Set("Idempotency-Key", o.key)
	}
	return b.send(from, "POST", "/ucp"+o.path, o.body, into)
}

func overMCP(b *buyer, from sender, o operation, into any) error {
	from.header = http.Header{"Accept": {"application/json, text/event-stream"}, "Mcp-Protocol-Version": {"2025-06-18"}}
	arguments := o.body
	if o.payload != "" {
		arguments = fmt.Sprintf(`{%q: %s}`, o.payload, o.body)
	}
	meta := `"meta": {"ucp-agent": {"profile": "https://haggle.invalid/agent"}`
	if o.key != "" {
		meta += fmt.Sprintf(`, "idempotency-key": %q`, o.key)
	}
	meta += "}"
	if o.id != "" {
		meta += fmt.Sprintf(`, "id": %q`, o.id)
	}
	body := fmt.Sprintf(`{"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": {"name": %q, "arguments": {%s, %s}}`, o.tool, meta, arguments[1:])
	var answer struct {
		Result struct {
			Content json.RawMessage `json:"structuredContent"`
		} `json:"result"`
		Error json.RawMessage `json:"error"`
	}
	if err := b.send(from, "POST", "/mcp", body, &answer); err != nil {
		return err
	}
	if answer.Result.Content == nil {
		return fmt.Errorf("%s: %s", o.tool, answer.Error)
	}
	return json.Unmarshal(answer.Result.Content, into)
}

func agentSearch(send binding) func(*buyer, sender, string) (want, error) {
	return func(b *buyer, from sender, query string) (want, error) {
		var found struct {
			Products []struct {
				ID       string `json:"id"`
				Variants []struct {
					ID string `json:"id"`
				} `json:"variants"`
			} `json:"products"`
		}
		err := send(b, from, operation{
			path:    "/catalog/search",
			tool:    "search_catalog",
			payload: "catalog",
			body:    fmt.Sprintf(`{"query": %q, "pagination": {"limit": 10}}`, query),
		}, &found)
		if err != nil || len(found.Products) == 0 {
			return want{}, cmp.Or(err, fmt.Errorf("nothing found for %q", query))
		}
		first := found.Products[0]
		return want{"", first.ID, first.Variants[0].ID}, nil
	}
}

func agentQuote(send binding) func(*buyer, sender, want) (agreement, error) {
	return func(b *buyer, from sender, w want) (agreement, error) {
		var answer struct {
			Status string `json:"status"`
			CartID string `json:"cart_id"`
			Deal   *struct {
				Code string `json:"code"`
			} `json:"deal"`
		}
		err := send(b, from, operation{
			path: "/negotiations",
			tool: "start_negotiation",
			body: fmt.Sprintf(`{"item": {"id": %q}, "quantity": 1, "offer": {"amount": 3720, "currency": "USD"}}`, w.variant),
		}, &answer)
		switch {
		case err != nil:
			return agreement{}, err
		case answer.Deal == nil:
			return agreement{}, fmt.Errorf("an offer of %s was answered by %q", offered, answer.Status)
		}
		w.session = answer.CartID
		return agreement{w, answer.Deal.Code, offered}, nil
	}
}

const agentAddress = `{"first_name": "A.", "last_name": "Buyer", "street_address": "1 Main St", "address_locality": "Springfield", "address_region": "IL", "postal_code": "62701", "address_country": "US"}`

func agentCheckout(send binding) func(*buyer, sender, agreement) error {
	return func(b *buyer, from sender, a agreement) error {
		var checkout struct {
			ID     string `json:"id"`
			Status string `json:"status"`
		}
		err := send(b, from, operation{
			path:    "/checkout-sessions",
			tool:    "create_checkout",
			payload: "checkout",
			body: fmt.Sprintf(`{"line_items": [{"item": {"id": %q}, "quantity": 1}], "discounts": {"codes": [%q]}, "buyer": {"email": "buyer@example.com"},
				"fulfillment": {"methods": [{"type": "shipping", "destinations": [%s]}]}}`, a.variant, a.token, agentAddress),
		}, &checkout)
		if err != nil {
			return err
		}
		err = send(b, from, operation{
			path:    "/checkout-sessions/" + checkout.ID + "/complete",
			tool:    "complete_checkout",
			payload: "checkout",
			id:      checkout.ID,
			key:     keyFor(checkout.ID),
			body:    `{"payment": {"instruments": [{"id": "instrument_1", "handler_id": "psp_spt", "type": "token", "credential": {"type": "token", "token": "spt_sandbox_ok"}}]}}`,
		}, &checkout)
		if err == nil && checkout.Status != "completed" {
			err = errors.New("complete ended with " + checkout.Status)
		}
		return err
	}
}
