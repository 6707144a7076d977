package faults

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// topics are the platforms' webhook topics, weighted by repetition: few products are deleted.
var (
	topics   = []string{"products/update", "products/delete", "inventory_levels/update"}
	weighted = slices.Concat(slices.Repeat(topics[:1], 6), topics[1:2], slices.Repeat(topics[2:], 12))
)

// webhooks lets platforms send changes by webhook, many of them twice, late, in another order or forged. The server dies in
// between. In the end the shop is as the platform, and the log accounts for each call.
func (l *harness) webhooks(t *testing.T) {
	cases := []struct{ engine, platform string }{{postgres, platforms.Custom}, {sqlite, platforms.Shopify}}
	if l.full {
		cases = append(cases, struct{ engine, platform string }{sqlite, platforms.Custom}, struct{ engine, platform string }{postgres, platforms.Shopify})
	}
	together(cases, 2, func(c struct{ engine, platform string }) {
		f := &feed{
			harness:  l,
			engine:   c.engine,
			products: l.pick(300, 1_500),
		}
		calls := l.pick(600, 10_000)
		violations := f.exerciseWebhooks(c.platform, calls)
		l.judge(t, "webhooks", fmt.Sprintf("%s, %s, %d changes", c.engine, c.platform, calls), violations, f.log())
		f.end()
	})
}

func (f *feed) exerciseWebhooks(platform string, changes int) []string {
	if err := f.open(platform); err != nil {
		return []string{"opening: " + err.Error()}
	}
	name, err := f.sync("products", "inventory")
	if err != nil {
		return []string{err.Error()}
	}
	if r, err := f.await(name, waited, func(r run) bool { return r.Status != "running" }); err != nil || r.Status != "completed" {
		return []string{fmt.Sprintf("%+v, %v", r, err)}
	}
	for _, topic := range topics {
		if err := f.send("POST", f.path("/webhooks"), map[string]any{"topic": topic}, nil); err != nil {
			return []string{err.Error()}
		}
	}
	sent, err := f.call(platform, changes)
	if err != nil {
		return []string{err.Error()}
	}
	f.harness.report.Count("webhook calls", sent.Sent+sent.Retried)
	if sent.TamperedAnswers[401]+sent.TamperedAnswers[0] != sent.Tampered || sent.Answers[200] == 0 { // 0 means that the server was down
		return []string{fmt.Sprintf("%d forged calls were answered %v, genuine ones %v", sent.Tampered, sent.TamperedAnswers, sent.Answers)}
	}
	if err := f.quiet(); err != nil {
		return []string{err.Error()}
	}
	return append(f.fates(sent), f.equals(platform, true)...)
}

// call makes the platform send webhooks, and kills the server once meanwhile.
func (f *feed) call(platform string, changes int) (sent platforms.Sent, err error) {
	address := strings.TrimPrefix(f.server.URL, "http://")
	var crash sync.WaitGroup
	crash.Go(func() {
		for deadline := time.Now().Add(5 * waited); f.logged("") < changes/3 && time.Now().Before(deadline); {
			time.Sleep(20 * time.Millisecond)
		}
		f.server.Kill()
		f.harness.report.Count("kills while webhooks come", 1)
		f.server, err = f.harness.serveAt(f.database, address, "HAGGLE_SHOPIFY_URL="+f.platform.URL+"/shopify")
	})
	sent, failed := f.platform.Webhooks(context.Background(), platforms.Webhooks{
		Platform:  platform,
		Count:     changes,
		Topics:    weighted,
		Duplicate: .1,
		Reorder:   .2,
		Late:      .05,
		Tamper:    .1,
		Seed:      f.harness.report.Seed,
		Retries:   12,
		PauseMS:   50,
	})
	crash.Wait()
	if failed != nil {
		err = failed
	}
	return sent, err
}

// logged returns how many calls the log has, in a status unless that is "".
func (f *feed) logged(status string) int {
	var list struct{ Meta struct{ Total int } }
	if err := f.send("GET", f.path("/webhooks/logs?since=1h&limit=1&status="+status), nil, &list); err != nil {
		return -1
	}
	return list.Meta.Total
}

// quiet waits until no webhook is left to handle, including those that a dead server had leased.
func (f *feed) quiet() error {
	deadline := time.Now().Add(2 * waited)
	for f.logged("received") != 0 {
		if time.Now().After(deadline) {
			return fmt.Errorf("%d calls are still to be worked on", f.logged("received"))
		}
		time.Sleep(50 * time.Millisecond)
	}
	return nil
}

// listedRefusals is the minimum number of refused calls of a webhook in the log: further ones in the same minute share a row.
const listedRefusals = 5

// fates returns the calls that the log does not account for. A call that was stored without a response, because the server
// died, was repeated.
func (f *feed) fates(sent platforms.Sent) (violations []string) {
	processed, failed, rejected, repeated := f.logged("processed"), f.logged("failed"), f.logged("rejected"), f.logged("duplicate")
	if genuine := len(sent.Changes); processed+failed != genuine || failed != 0 {
		violations = append(violations, fmt.Sprintf("of %d changes %d calls were processed and %d failed", genuine, processed, failed))
	}
	if refused := sent.TamperedAnswers[401]; rejected < min(refused, listedRefusals) {
		violations = append(violations, fmt.Sprintf("of %d forged calls that were refused %d are in the log", refused, rejected))
	}
	if repeated < sent.Duplicated {
		violations = append(violations, fmt.Sprintf("of %d calls that came twice %d are in the log", sent.Duplicated, repeated))
	}
	return violations
}
