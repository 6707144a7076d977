package faults

import (
	"context"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/platforms"
)

// ofPlatforms reports whether a fail point is in the code that reads a platform or handles its webhooks.
func ofPlatforms(point string) bool {
	return strings.HasPrefix(point, "sync.") || strings.HasPrefix(point, "webhook.")
}

// syncPoint is a server that dies at a point while it reads a platform or handles its webhooks.
type syncPoint struct{ engine, point string }

// syncPoints kills a server at each of these points. Another server continues, and in the end all data is as on the platform.
func (l *harness) syncPoints(t *testing.T) {
	var cases []syncPoint
	for _, point := range boottest.FailPoints() {
		for _, engine := range []string{sqlite, postgres} {
			if ofPlatforms(point) {
				cases = append(cases, syncPoint{engine, point})
			}
		}
	}
	random := rand.New(rand.NewPCG(l.report.Seed, 5))
	random.Shuffle(len(cases), func(i, j int) { cases[i], cases[j] = cases[j], cases[i] })
	cases = cases[:l.pick(min(2, len(cases)), len(cases))]
	together(cases, 4, func(c syncPoint) {
		f := &feed{
			harness:  l,
			engine:   c.engine,
			products: 900,
		}
		violations := f.dieAt(c.point)
		l.judge(t, "points, synchronising", fmt.Sprintf("%s, kill at %s", c.engine, c.point), violations, f.log())
		f.end()
	})
}

func (f *feed) dieAt(point string) []string {
	calls := strings.HasPrefix(point, "webhook.")
	if !calls {
		f.extra = []string{"FAULT_POINT=" + point + "=kill:2"}
	}
	if err := f.open(platforms.Custom); err != nil {
		return []string{"opening: " + err.Error()}
	}
	name, err := f.sync("products", "inventory")
	if err != nil {
		return []string{err.Error()}
	}
	if calls {
		return f.dieAtACall(name, point)
	}
	if broken := f.reborn(point); broken != nil {
		return broken
	}
	done, err := f.await(name, 2*waited, func(r run) bool { return r.Status != "running" })
	if err != nil {
		return []string{err.Error()}
	}
	return append(f.counted(done), f.equals(platforms.Custom, true)...)
}

// reborn waits until the server has ended, and starts another one.
func (f *feed) reborn(point string) []string {
	ctx, cancel := context.WithTimeout(context.Background(), waited)
	defer cancel()
	select {
	case <-f.server.Ended():
	case <-ctx.Done():
		return []string{"the point " + point + " was not passed"}
	}
	if err := f.start(); err != nil {
		return []string{err.Error()}
	}
	return nil
}

// dieAtACall makes a server die during a webhook call, which the platform repeats if it got no response.
func (f *feed) dieAtACall(name, point string) []string {
	if r, err := f.await(name, waited, func(r run) bool { return r.Status != "running" }); err != nil || r.Status != "completed" {
		return []string{fmt.Sprintf("%+v, %v", r, err)}
	}
	for _, topic := range topics {
		if err := f.send("POST", f.path("/webhooks"), map[string]any{"topic": topic}, nil); err != nil {
			return []string{err.Error()}
		}
	}
	address := strings.TrimPrefix(f.server.URL, "http://")
	f.server.Kill()
	var err error
	if f.server, err = f.harness.serveAt(f.database, address, "FAULT_POINT="+point+"=kill:3"); err != nil {
		return []string{err.Error()}
	}
	dead := make(chan error, 1)
	go func() {
		<-f.server.Ended()
		var err error
		f.server, err = f.harness.serveAt(f.database, address)
		dead <- err
	}()
	sent, err := f.platform.Webhooks(context.Background(), platforms.Webhooks{
		Platform:  platforms.Custom,
		Count:     200,
		Topics:    weighted,
		Duplicate: .1,
		Reorder:   .1,
		Seed:      f.harness.report.Seed,
		Retries:   12,
		PauseMS:   50,
	})
	if err != nil {
		return []string{err.Error()}
	}
	ctx, cancel := context.WithTimeout(context.Background(), waited)
	defer cancel()
	select {
	case err = <-dead:
	case <-ctx.Done():
		f.server.Kill()
		return []string{"the point " + point + " was not passed"}
	}
	if err == nil {
		err = f.quiet()
	}
	if err != nil {
		return []string{err.Error()}
	}
	return slices.Concat(f.fates(sent), f.equals(platforms.Custom, true))
}
