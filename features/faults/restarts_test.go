package faults

import (
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/faults"
)

// restarts crashes PostgreSQL and restarts it cleanly, repeatedly, while buyers pay.
func (l *harness) restarts(t *testing.T) {
	servers := &replicas{}
	defer servers.kill()
	broken := l.crashUnder(servers)
	l.judge(t, "load with PostgreSQL crashes and restarts", fmt.Sprint(l.pick(2, 6)), broken, servers.logs()...)
}

func (l *harness) crashUnder(servers *replicas) (broken []string) {
	const name = "restarted"
	if err := l.durable.CreateDatabase(name, template); err != nil {
		return []string{err.Error()}
	}
	database := l.durable.URL(name)
	if err := l.serveEach(servers, database, database); err != nil {
		return []string{err.Error()}
	}
	work, err := l.begin(servers, 8)
	if err != nil {
		return []string{err.Error()}
	}
	for n := range l.pick(2, 6) {
		target, patience := work.paid()+10, time.Now().Add(2*soon)
		for work.paid() < target && time.Now().Before(patience) {
			time.Sleep(10 * time.Millisecond)
		}
		if work.paid() < target {
			broken = append(broken, "nobody can pay any more")
		}
		immediate := n%2 == 0
		broken = append(broken, restartPostgres(l.durable, servers, immediate)...)
		l.report.Count(map[bool]string{true: "PostgreSQL crashes", false: "PostgreSQL restarts"}[immediate], 1)
		l.progress("PostgreSQL ended %d times, %d orders", n+1, work.paid())
	}
	return append(broken, work.end(database)...)
}

// restartPostgres stops PostgreSQL (if immediate, without a checkpoint) and starts it again. It returns which servers reported
// a wrong state or exited.
func restartPostgres(cluster *boottest.Cluster, servers *replicas, immediate bool) (broken []string) {
	if err := cluster.Stop(immediate); err != nil {
		return []string{err.Error()}
	}
	for _, p := range servers.running {
		if !becomes(p, http.StatusServiceUnavailable) {
			broken = append(broken, "a server without a database says that it is ready")
		}
	}
	if err := cluster.Restart(immediate); err != nil {
		return append(broken, err.Error())
	}
	for i, p := range servers.running {
		if !p.Running() {
			broken = append(broken, fmt.Sprintf("server %d ended", i))
		} else if !becomes(p, http.StatusOK) {
			broken = append(broken, "a server whose database is back says that it is not ready")
		}
	}
	return broken
}

// becomes waits until a server's readiness has a status.
func becomes(p *faults.Process, status int) bool {
	for deadline := time.Now().Add(15 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		response, err := impatient.Get(p.Ops + "/readyz")
		if err != nil {
			continue
		}
		_ = response.Body.Close() // only the status counts
		if response.StatusCode == status {
			return true
		}
	}
	return false
}
