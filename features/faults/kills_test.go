package faults

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
	"time"
)

// kills kills servers at random moments while many buyers pay.
func (l *harness) kills(t *testing.T) {
	for _, engine := range []struct {
		name            string
		replicas, kills int
	}{{postgres, 2, l.pick(8, 260)}, {sqlite, 1, l.pick(4, 60)}} {
		broken, logs := l.killAround(engine.name, engine.replicas, engine.kills)
		l.judge(t, "load with random kills", fmt.Sprintf("%s, %d", engine.name, engine.kills), broken, logs...)
	}
}

func (l *harness) killAround(engine string, count, kills int) (broken, logs []string) {
	database, drop, err := l.database(engine)
	if err != nil {
		return []string{err.Error()}, nil
	}
	defer drop()
	servers := &replicas{}
	defer servers.kill()
	if err := l.serveEach(servers, slices.Repeat([]string{database}, count)...); err != nil {
		return []string{err.Error()}, nil
	}
	work, err := l.begin(servers, 16)
	if err != nil {
		return []string{err.Error()}, nil
	}
	random := rand.New(rand.NewPCG(l.report.Seed, 2))
	for n := range kills {
		time.Sleep(time.Duration(50+random.IntN(400)) * time.Millisecond)
		i := random.IntN(count)
		victim := servers.running[i]
		victim.Kill()
		l.report.Count("random kills", 1)
		p, err := l.serve(database)
		if err != nil {
			broken = append(broken, fmt.Sprintf("after kill %d: %v", n, err))
			break
		}
		servers.replace(i, p)
		if n%20 == 19 {
			l.progress("%d kills, %d orders", n+1, work.paid())
		}
	}
	return append(broken, work.end(database)...), servers.logs()
}

// begin opens a shop with enough stock and starts buyers.
func (l *harness) begin(servers *replicas, buyers int) (*load, error) {
	work := &load{harness: l, servers: servers}
	url := servers.alive()[0]
	var err error
	if work.shop, err = openShop(url, 100_000); err != nil {
		return nil, err
	}
	if err := l.subscribe(url, work.shop); err != nil {
		return nil, err
	}
	work.start(buyers)
	return work, nil
}

func (l *harness) progress(format string, args ...any) {
	if l.report.Progress != nil {
		fmt.Fprintf(l.report.Progress, format+"\n", args...)
	}
}
