package faults

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/decimal"
	"github.com/haggle-commerce/haggle/simulator/faults"
	"github.com/haggle-commerce/haggle/simulator/merchant"
)

// fates are what happens to buyers' tokens at the simulated provider: to the first, and to the next one if that is declined. A
// fate with "refund." is what happens to a refund.
var fates = [][]string{
	{"ok"}, {"decline:insufficient_funds", "ok"}, {"reset_after"}, {"error_after"}, {"malformed"}, {"error_before:2;ok"},
	{"rate_limited:1;ok"}, {"in_use:1;ok"}, {"hang_after"}, {"slow:300;ok"}, {"ok;refund.reset_after"},
	{"ok;refund.error_before:1"}, {"decline:expired_card", "reset_after"},
}

// provider lets buyers pay at a payment provider with its own ledger, which loses responses in every way, dies in between, and
// sends its webhooks twice, late, in another order or not at all. The server dies too. In the end both ledgers agree.
func (l *harness) provider(t *testing.T) {
	engines := []string{sqlite, postgres}
	for _, engine := range engines[l.pick(1, 0):] {
		b := &bank{
			harness: l,
			engine:  engine,
			buyers:  l.pick(28, 140),
		}
		violations := b.run()
		l.judge(t, "a provider with its own books", fmt.Sprintf("%s, %d buyers", engine, b.buyers), violations, b.logs()...)
		b.end()
	}
}

// bank is one run.
type bank struct {
	harness  *harness
	engine   string
	buyers   int
	database string
	drop     func()
	shop     shop

	mu               sync.Mutex
	server, provider *faults.Process
	violations       []string
}

func (b *bank) broken(format string, args ...any) {
	b.mu.Lock()
	defer b.mu.Unlock()
	b.violations = append(b.violations, fmt.Sprintf(format, args...))
}

func (b *bank) run() []string {
	if err := b.open(); err != nil {
		return []string{"opening: " + err.Error()}
	}
	var crash sync.WaitGroup
	var paid sync.Once
	numbers := make([]int, b.buyers)
	for i := range numbers {
		numbers[i] = i
	}
	together(numbers, 14, func(n int) {
		if n == b.buyers/3 {
			paid.Do(func() { crash.Go(b.crash) })
		}
		b.buy(n)
	})
	crash.Wait()
	b.giveBack()
	out, err := b.harness.haggle(b.database, "verify", "--wait="+soon.String(), "--provider="+b.at(b.provider))
	if err != nil {
		b.broken("haggle verify: %v: %s", err, out)
	}
	b.reconciled()
	for _, v := range b.shop.addUp(b.at(b.server), b.buyers) {
		b.broken("%s", v)
	}
	return b.violations
}

// open starts the provider and a server that uses it, and connects a shop.
func (b *bank) open() (err error) {
	if b.database, b.drop, err = b.harness.database(b.engine); err != nil {
		return err
	}
	if b.provider, err = b.startProvider(boottest.Address()); err != nil {
		return err
	}
	if b.server, err = b.startServer(boottest.Address()); err != nil {
		return err
	}
	if b.shop, err = openShop(b.server.URL, 10*b.buyers); err != nil {
		return err
	}
	_, err = management(b.server.URL, b.shop.project).ConnectAPIKey(b.harness.ctx,
		merchant.NewIntegration{Type: "stripe", Credentials: merchant.Credentials{Key: "sk_test_" + b.shop.slug}})
	if err != nil {
		return err
	}
	return b.control("/lookalike/webhooks", map[string]any{
		"seed": b.harness.report.Seed, "duplicates": 2, "shuffle": 3, "drop": 0.2, "tamper": 1, "early": true,
	}, nil)
}

func (b *bank) startProvider(addr string) (*faults.Process, error) {
	return faults.Start(faults.Command{
		Path: b.harness.program,
		Args: []string{"simulate", "provider", "--addr=" + addr, "--ledger=" + b.ledger()},
		Env:  []string{"FAULT_LIFELINE=1"},
	})
}

func (b *bank) ledger() string { return filepath.Join(b.harness.dir, "provider-"+b.engine+".ledger") }

func (b *bank) startServer(addr string) (*faults.Process, error) {
	return b.harness.serveAt(b.database, addr, "HAGGLE_STRIPE_URL="+b.provider.URL)
}

// crash kills the provider and then the server, and restarts each at its address.
func (b *bank) crash() {
	for _, what := range []struct {
		process **faults.Process
		start   func(string) (*faults.Process, error)
	}{{&b.provider, b.startProvider}, {&b.server, b.startServer}} {
		time.Sleep(500 * time.Millisecond) // so that payments are in progress
		old := *what.process
		old.Kill()
		fresh, err := what.start(strings.TrimPrefix(old.URL, "http://"))
		if err != nil {
			b.broken("%v", err)
			return
		}
		b.mu.Lock()
		*what.process = fresh
		b.mu.Unlock()
	}
}

// at returns the address of a process, which keeps it when it is restarted.
func (b *bank) at(p *faults.Process) string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return p.URL
}

func (b *bank) control(path string, request, answer any) error {
	body, err := json.Marshal(request)
	if err != nil {
		return err
	}
	var last error
	for range 200 { // it may be down for a moment
		response, err := http.Post(b.at(b.provider)+path, "application/json", bytes.NewReader(body))
		if last = err; err != nil {
			time.Sleep(50 * time.Millisecond)
			continue
		}
		defer response.Body.Close()
		if response.StatusCode >= 300 {
			return fmt.Errorf("%s: %s", path, response.Status)
		}
		if answer == nil {
			return nil
		}
		return json.NewDecoder(response.Body).Decode(answer)
	}
	return last
}

// buy pays with a buyer's tokens until the payment is decided. The last token of every buyer succeeds.
func (b *bank) buy(n int) {
	var tokens []string
	for _, script := range fates[n%len(fates)] {
		var granted struct{ ID string }
		if err := b.control("/lookalike/tokens", map[string]any{"kind": "stripe", "script": script, "currency": "usd", "max_amount": 100_00}, &granted); err != nil {
			b.broken("a token: %v", err)
			return
		}
		tokens = append(tokens, granted.ID)
	}
	p := b.shop.payer(tokens...)
	url := b.at(b.server)
	for try := 0; p.checkout == ""; try++ {
		err := p.haggle(url)
		if err != nil && (try == 100 || !again(err)) {
			b.broken("opening a checkout: %v", err)
			return
		}
		if err != nil {
			time.Sleep(100 * time.Millisecond)
		}
	}
	if _, err := p.pay(3*soon, func() []string { return []string{url} }); err != nil {
		b.broken("buyer %d with %v: %v", n, fates[n%len(fates)], err)
	}
}

// giveBack refunds a part of every third payment, and the rest of every sixth.
func (b *bank) giveBack() {
	ctx, m := b.harness.ctx, management(b.at(b.server), b.shop.project)
	payments, err := m.Payments(ctx, merchant.FinanceQuery{Page: merchant.Page{Limit: 100}})
	if err != nil {
		b.broken("payments: %v", err)
		return
	}
	part := decimal.MustParse("7.5")
	for i, p := range payments.Data {
		if i%3 == 0 {
			if _, err := m.Refund(ctx, p.ID, merchant.NewRefund{Amount: &part}); err != nil {
				b.broken("refunding a part: %v", err)
			}
		}
		if i%6 == 0 {
			if _, err := m.Refund(ctx, p.ID, merchant.NewRefund{}); err != nil {
				b.broken("refunding the rest: %v", err)
			}
		}
	}
}

// reconciled asks the server to compare its ledger with the provider's.
func (b *bank) reconciled() {
	m := management(b.at(b.server), b.shop.project)
	from, to := time.Now().Add(-time.Hour).UTC(), time.Now().Add(time.Hour).UTC()
	report, err := m.Reconciliation(b.harness.ctx, from.Format(time.RFC3339), to.Format(time.RFC3339))
	if err != nil {
		b.broken("reconciliation: %v", err)
		return
	}
	matched := 0
	for _, r := range report.Providers {
		matched += r.Matched
		if string(r.Differences) != "[]" {
			b.broken("%s's books differ: %s", r.Provider, r.Differences)
		}
	}
	if matched < b.buyers {
		b.broken("%d movements were compared", matched)
	}
}

func (b *bank) logs() (logs []string) {
	for _, p := range []*faults.Process{b.server, b.provider} {
		if p != nil {
			logs = append(logs, p.Output())
		}
	}
	return logs
}

func (b *bank) end() {
	for _, p := range []*faults.Process{b.server, b.provider} {
		if p != nil {
			p.Kill()
		}
	}
	if b.drop != nil {
		b.drop()
	}
}
