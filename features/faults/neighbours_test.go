package faults

import (
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"strings"
	"testing"
	"time"
)

// stops stops replicas during their work for longer than a lease, and resumes them: all clocks of a stopped process jump.
func (l *harness) stops(t *testing.T) {
	servers := &replicas{}
	defer servers.kill()
	n := l.pick(1, 8)
	broken := l.stopAround(servers, n)
	l.judge(t, "load with stopped replicas", fmt.Sprintf("%s, %d", postgres, n), broken, servers.logs()...)
}

func (l *harness) stopAround(servers *replicas, stops int) (broken []string) {
	database, drop, err := l.database(postgres)
	if err != nil {
		return []string{err.Error()}
	}
	defer drop()
	// The timeouts are those of production: a stopped replica's locks are released after ten seconds.
	address, err := url.Parse(database)
	if err != nil {
		return []string{err.Error()}
	}
	served := l.cluster.ToolURL(strings.TrimPrefix(address.Path, "/"))
	if err := l.serveEach(servers, served, served); err != nil {
		return []string{err.Error()}
	}
	work, err := l.begin(servers, 16)
	if err != nil {
		return []string{err.Error()}
	}
	second, err := openShop(servers.alive()[0], 100_000)
	if err != nil {
		return append(broken, err.Error())
	}
	random := rand.New(rand.NewPCG(l.report.Seed, 3))
	for n := range stops {
		broken = append(broken, work.reaches(work.paid()+5)...)
		i := random.IntN(len(servers.running))
		victim, other := servers.running[i], servers.running[1-i]
		if err := victim.Stop(); err != nil {
			return append(broken, err.Error())
		}
		broken = append(broken, l.unnoticed(second, other.URL, time.Now().Add(zombie))...)
		if err := victim.Continue(); err != nil {
			return append(broken, err.Error())
		}
		l.report.Count("replicas stopped beyond the lease", 1)
		l.progress("%d replicas stopped, %d orders", n+1, work.paid())
	}
	return append(broken, work.end(database)...)
}

// prompt is the maximum duration of an unaffected shop's purchase on a busy machine. It is much shorter than the timeouts of a
// stopped server's transactions and leases.
const prompt = 2 * time.Second

// unnoticed lets a buyer pay at a shop repeatedly until a time, and returns the purchases that failed or took long.
func (l *harness) unnoticed(s shop, url string, until time.Time) (broken []string) {
	orders, slowest := 0, time.Duration(0)
	for ; time.Now().Before(until); time.Sleep(50 * time.Millisecond) {
		began, p := time.Now(), s.payer("spt_sandbox_ok")
		err := p.haggle(url)
		if err == nil {
			_, err = p.pay(prompt, func() []string { return []string{url} })
		}
		switch took := time.Since(began); {
		case err != nil:
			broken = append(broken, "a second shop's purchase: "+err.Error())
		case took > prompt:
			broken = append(broken, fmt.Sprintf("a second shop's purchase took %s", took))
		default:
			orders++
			slowest = max(slowest, took)
		}
	}
	l.progress("a second shop's slowest of %d purchases took %s", orders, slowest.Round(time.Millisecond))
	l.report.Count("orders of a second shop beside faults", orders)
	if orders == 0 {
		broken = append(broken, "a second shop had no orders")
	}
	return broken
}

// reaches waits until buyers have as many orders, or returns that they cannot pay.
func (l *load) reaches(orders int) []string {
	for patience := time.Now().Add(2 * soon); l.paid() < orders; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(patience) {
			return []string{"nobody can pay any more"}
		}
	}
	return nil
}

// poison makes rows of some merchants unreadable. Another merchant's payments must be decided and its events delivered as
// usual.
func (l *harness) poison(t *testing.T) {
	servers := &replicas{}
	defer servers.kill()
	broken := l.poisonAround(servers)
	l.judge(t, "poison rows", "a checkout and a project's settings", broken, servers.logs()...)
}

// poisoned corrupts one merchant's checkout in flight and another one's settings. The event is due before all others.
const poisoned = `
CREATE TABLE poison_saved AS SELECT id, settings FROM projects WHERE id = '%[2]s';
UPDATE projects SET settings = 'nonsense' WHERE id = '%[2]s';
INSERT INTO outbox (project_id, id, type, payload, created_at, due_at, attempts)
VALUES ('%[2]s', 'evt_poison', 'order.completed', '{}', 1, 1, 0);
UPDATE checkouts SET status = 'processing', attempt = 1, lines = 'nonsense', lease_until = 1, retry_at = NULL WHERE id = '%[1]s'`

const cured = `
UPDATE projects SET settings = s.settings FROM poison_saved AS s WHERE projects.id = s.id;
DELETE FROM outbox WHERE id = 'evt_poison';
DELETE FROM checkouts WHERE id = '%[1]s'`

func (l *harness) poisonAround(servers *replicas) (broken []string) {
	database, drop, err := l.database(postgres)
	if err != nil {
		return []string{err.Error()}
	}
	defer drop()
	if err := l.serveEach(servers, database); err != nil {
		return []string{err.Error()}
	}
	work, err := l.begin(servers, 4)
	if err != nil {
		return []string{err.Error()}
	}
	base := servers.alive()[0]
	var shops [3]shop // one with a bad checkout, one with bad settings, and a healthy one
	for i := range shops {
		if shops[i], err = openShop(base, 5); err == nil {
			err = l.subscribe(base, shops[i])
		}
		if err != nil {
			return []string{err.Error()}
		}
	}
	victim, healthy := shops[0].payer("spt_sandbox_ok"), shops[2].payer("spt_sandbox_lost_reply")
	if err := errors.Join(victim.haggle(base), healthy.haggle(base)); err != nil {
		return []string{err.Error()}
	}
	address, err := url.Parse(database)
	if err != nil {
		return []string{err.Error()}
	}
	name := strings.TrimPrefix(address.Path, "/")
	if out, err := l.cluster.PSQL(name, fmt.Sprintf(poisoned, victim.checkout, shops[1].project)); err != nil {
		return []string{fmt.Sprintf("poisoning: %v: %s", err, out)}
	}
	_, _ = healthy.finalize(l.ctx, base, "spt_sandbox_lost_reply") // no client retries, so the server decides
	for patience := time.Now().Add(soon); shops[2].sold(base) != 1; time.Sleep(100 * time.Millisecond) {
		if time.Now().After(patience) {
			broken = append(broken, "a healthy merchant's payment is not decided beside a poison row")
			break
		}
	}
	order, err := healthy.pay(soon, servers.alive)
	if err != nil {
		broken = append(broken, err.Error())
	}
	broken = append(broken, l.delivered(shops[2], 1, []string{order})...)
	broken = append(broken, work.reaches(work.paid()+20)...)
	if out, err := l.cluster.PSQL(name, fmt.Sprintf(cured, victim.checkout)); err != nil {
		return append(broken, fmt.Sprintf("curing: %v: %s", err, out))
	}
	return append(broken, work.end(database)...)
}
