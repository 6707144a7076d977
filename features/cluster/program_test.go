package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/faults"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// program is Haggle, built from source, with its replicas and a payment provider whose ledger is in a file.
type program struct {
	path     string
	provider *faults.Process
	servers  []*faults.Process
	env      []string // for servers and commands
}

// build builds the programs and starts the provider.
func build(t *testing.T) program {
	t.Helper()
	dir := t.TempDir()
	if err := faults.Build(dir); err != nil {
		t.Fatal(err)
	}
	p := program{path: filepath.Join(dir, "haggle")}
	var err error
	p.provider, err = faults.Start(faults.Command{
		Path: p.path,
		Args: []string{"simulate", "provider", "--addr=127.0.0.1:0", "--ledger=" + filepath.Join(dir, "provider.ledger")},
		Env:  []string{"FAULT_LIFELINE=1"},
	})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(p.provider.Kill)
	return p
}

// with returns the program with another environment for its servers and commands.
func (p program) with(env ...string) program {
	p.env = append([]string{
		"HAGGLE_BOOTSTRAP_KEY=" + boottest.Key, "HAGGLE_ACP_RATE=off", "HAGGLE_ENTERPRISE_RATE=1000000/1000000",
		"HAGGLE_TRUSTED_PROXIES=127.0.0.0/8", "HAGGLE_ALLOW_LOOPBACK=1", "HAGGLE_STRIPE_URL=" + p.provider.URL,
	}, env...)
	return p
}

// serve starts two replicas.
func (p program) serve(t *testing.T, env ...string) program {
	t.Helper()
	p = p.with(env...)
	for range 2 {
		server, err := faults.Start(faults.Command{
			Path: p.path,
			Args: []string{"serve", "--addr=" + boottest.Address(), "--ops-addr=127.0.0.1:0"},
			Env:  append([]string{"FAULT_LIFELINE=1"}, p.env...),
		})
		if err != nil {
			t.Fatal(err)
		}
		t.Cleanup(server.Kill)
		p.servers = append(p.servers, server)
	}
	return p
}

// run runs a command of the program.
func (p program) run(env []string, args ...string) (string, error) {
	ctx, cancel := context.WithTimeout(context.Background(), 3*time.Minute)
	defer cancel()
	c := exec.CommandContext(ctx, p.path, args...)
	c.Env = env
	out, err := c.CombinedOutput()
	return string(out), err
}

// judge returns what is wrong with a shop whose purchases are all decided: a missing order that a buyer was given, a duplicate
// purchase, a charge without an order, and what `haggle verify` finds.
func (s *shop) judge() []string {
	broken := s.broken
	there, err := s.ordersThere()
	if err != nil {
		return append(broken, err.Error())
	}
	for id := range s.orders {
		if !there[id] {
			broken = append(broken, fmt.Sprintf("order %s was answered at %s and is lost", id, s.orders[id].Format(time.TimeOnly)))
		}
	}
	if len(there) != len(s.orders) {
		broken = append(broken, fmt.Sprintf("buyers were told of %d orders, and there are %d", len(s.orders), len(there)))
	}
	if n, err := s.captures(); err != nil || n != len(s.orders) {
		broken = append(broken, fmt.Sprintf("the provider took %d payments for %d orders, %v", n, len(s.orders), err))
	}
	levels, err := s.management().Inventory(context.Background(), "LANTERN", merchant.Page{})
	if err != nil || len(levels.Data) != 1 || levels.Data[0].Quantity != stock-len(s.orders) {
		broken = append(broken, fmt.Sprintf("stock after %d orders of %d: %+v, %v", len(s.orders), stock, levels.Data, err))
	}
	if out, err := s.run(s.env, "verify", "--wait=1m", "--provider="+s.provider.URL); err != nil {
		var lines []string
		for line := range strings.Lines(out) {
			if !strings.HasPrefix(line, "ok ") {
				lines = append(lines, strings.TrimSpace(line))
			}
		}
		broken = append(broken, fmt.Sprintf("haggle verify: %v: %s", err, strings.Join(lines, "; ")))
	}
	return broken
}

// ordersThere returns the shop's orders, and an error if the payment of one did not succeed. Partial refunds are allowed.
func (s *shop) ordersThere() (map[string]bool, error) {
	there := map[string]bool{}
	page := merchant.Page{Limit: 100}
	for range stock {
		orders, err := s.management().Orders(context.Background(), merchant.OrderQuery{Page: page})
		if err != nil {
			return nil, err
		}
		for _, o := range orders.Data {
			if there[o.ID] || o.Payment.Status != "succeeded" && o.Payment.Status != "partially_refunded" {
				return nil, fmt.Errorf("order %s, paid %q, is listed wrongly", o.ID, o.Payment.Status)
			}
			there[o.ID] = true
		}
		if page.Offset += len(orders.Data); len(orders.Data) == 0 || page.Offset >= orders.Meta.Total {
			break
		}
	}
	return there, nil
}

// captures returns how many of the shop's payments the provider captured and did not refund in full.
func (s *shop) captures() (n int, err error) {
	response, err := client.Get(s.provider.URL + "/ledger")
	if err != nil {
		return 0, err
	}
	defer response.Body.Close()
	var ledger struct {
		Charges []struct {
			Status           string
			Amount, Refunded int64
		}
	}
	err = json.NewDecoder(response.Body).Decode(&ledger)
	for _, c := range ledger.Charges {
		if c.Status == "succeeded" && c.Refunded < c.Amount {
			n++
		}
	}
	return n, err
}

// tail logs the end of the servers' logs.
func (p program) tail(t *testing.T) {
	for i, s := range p.servers {
		log := s.Output()
		t.Logf("server %d:\n%s", i, log[max(0, len(log)-4000):])
	}
}
