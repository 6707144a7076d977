package faults

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// stops stops replicas amid what they do for longer than a lease, and lets them go on: all of a stopped
// process's clocks jump.
func (l *lab) stops(t *testing.T) {
	servers := &replicas{}
	defer servers.kill()
	n := l.pick(1, 8)
	broken := l.stopAround(servers, n)
	l.judge(t, "load with stopped replicas", fmt.Sprintf("%s, %d", postgres, n), broken, servers.logs()...)
}

func (l *lab) stopAround(servers *replicas, stops int) (broken []string) {
	database, drop, err := l.database(postgres)
	if err != nil {
		return []string{err.Error()}
	}
	defer drop()
	if err := l.serveEach(servers, database, database); err != nil {
		return []string{err.Error()}
	}
	work, err := l.begin(servers, 16)
	if err != nil {
		return []string{err.Error()}
	}
	random := rand.New(rand.NewPCG(l.report.Seed, 3))
	for n := range stops {
		broken = append(broken, work.reaches(work.paid()+5)...)
		victim := servers.running[random.IntN(len(servers.running))]
		if err := victim.Stop(); err != nil {
			return append(broken, err.Error())
		}
		time.Sleep(zombie)
		if err := victim.Continue(); err != nil {
			return append(broken, err.Error())
		}
		l.report.Count("replicas stopped beyond the lease", 1)
		l.progress("%d replicas stopped, %d orders", n+1, work.paid())
	}
	return append(broken, work.end(database)...)
}

// reaches waits until buyers have so many orders, or says that they cannot pay.
func (l *load) reaches(orders int) []string {
	for patience := time.Now().Add(2 * soon); l.paid() < orders; time.Sleep(10 * time.Millisecond) {
		if time.Now().After(patience) {
			return []string{"nobody can pay any more"}
		}
	}
	return nil
}

// poison makes rows of some merchants unreadable. Another merchant's payments are decided and its events
// delivered as ever.
func (l *lab) poison(t *testing.T) {
	if !l.full {
		return
	}
	servers := &replicas{}
	defer servers.kill()
	broken := l.poisonAround(servers)
	l.judge(t, "poison rows", "a checkout and a project's settings", broken, servers.logs()...)
}

// poisoned are what one merchant's checkout in flight and another one's settings become. The event is due
// before all others.
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

func (l *lab) poisonAround(servers *replicas) (broken []string) {
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
	var shops [3]shop // with a bad checkout, with bad settings, and a healthy one
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
	_, _ = healthy.finalize(l.ctx, base, "spt_sandbox_lost_reply") // and then nobody asks: the server decides
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

// disks fills the disk of a SQLite database while buyers pay.
func (l *lab) disks(t *testing.T) {
	dir := filepath.Join(l.dir, "small")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Error(err)
		return
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size=64m", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Logf("no small disk can be mounted, so none is filled: %v: %s", err, out)
		return
	}
	defer func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
	}()
	servers := &replicas{}
	defer servers.kill()
	broken := l.fillAround(servers, dir)
	l.judge(t, "full disk", sqlite, broken, servers.logs()...)
}

func (l *lab) fillAround(servers *replicas, dir string) (broken []string) {
	content, err := os.ReadFile(l.sqliteTemplate())
	if err == nil {
		err = os.WriteFile(filepath.Join(dir, "haggle.db"), content, 0o600)
	}
	database := "sqlite://" + filepath.Join(dir, "haggle.db")
	if err == nil {
		err = l.serveEach(servers, database)
	}
	if err != nil {
		return []string{err.Error()}
	}
	work, err := l.begin(servers, 4)
	if err != nil {
		return []string{err.Error()}
	}
	broken = work.reaches(10)
	ballast := filepath.Join(dir, "ballast")
	for range l.pick(1, 5) {
		fill(ballast)
		broken = append(broken, l.refusals(work.shop, servers.alive()[0])...)
		if err := os.Remove(ballast); err != nil {
			return append(broken, err.Error())
		}
		l.report.Count("disks filled", 1)
		broken = append(broken, work.reaches(work.paid()+10)...)
	}
	return append(broken, work.end(database)...)
}

// fill writes a file until the disk has no space left.
func fill(path string) {
	f, err := os.Create(path)
	if err != nil {
		return
	}
	defer f.Close()
	for part := 1 << 20; part > 0; part /= 2 {
		for err = nil; err == nil; {
			_, err = f.Write(make([]byte, part))
		}
	}
}

// refusals asks for prices until several are refused, and says which refusals are no 503 that tells when to
// come again.
func (l *lab) refusals(s shop, server string) (broken []string) {
	price := decimal.MustParse("40")
	refused := 0
	for patience := time.Now().Add(soon); refused < 10 && time.Now().Before(patience); {
		_, err := s.payer().at(server, nil).Quote(context.Background(), acp.QuoteRequest{ProductID: s.product, Quantity: 1, OfferPrice: &price})
		var told *acp.Error
		switch {
		case err == nil:
			continue
		case !errors.As(err, &told):
			broken = append(broken, fmt.Sprintf("with a full disk: %v", err))
		case told.HTTPStatus != 503 || told.RetryAfter == 0:
			broken = append(broken, fmt.Sprintf("with a full disk: %d %s, retry_after %d", told.HTTPStatus, told.Code, told.RetryAfter))
		}
		refused++
	}
	if refused == 0 {
		broken = append(broken, "a full disk was not noticed")
	}
	return broken
}
