package faults

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"github.com/haggle-commerce/haggle/simulator/acp"
	"github.com/haggle-commerce/haggle/simulator/decimal"
)

// disks fills the databases' disks while buyers pay.
func (l *harness) disks(t *testing.T) {
	together([]string{sqlite, postgres}, 2, func(engine string) {
		dir, unmount := smallDisk(t, map[string]string{sqlite: "64m", postgres: "224m"}[engine])
		if dir == "" {
			return
		}
		defer unmount()
		servers := &replicas{}
		defer servers.kill()
		fill := l.fillAround
		if engine == postgres {
			fill = func(r *replicas, dir string) []string { return l.fillPostgres(t, r, dir) }
		}
		broken := fill(servers, dir)
		l.judge(t, "full disk", engine, broken, servers.logs()...)
	})
}

// smallDisk mounts a small in-memory file system that every user may read. It returns "" if mounting is not allowed.
func smallDisk(t *testing.T, size string) (dir string, unmount func()) {
	dir, err := os.MkdirTemp("", "haggle-disk-")
	if err == nil {
		err = os.Chmod(dir, 0o755)
	}
	if err != nil {
		t.Error(err)
		return "", nil
	}
	if out, err := exec.Command("mount", "-t", "tmpfs", "-o", "size="+size+",mode=755", "tmpfs", dir).CombinedOutput(); err != nil {
		t.Logf("no small disk can be mounted, so none is filled: %v: %s", err, out)
		_ = os.Remove(dir)
		return "", nil
	}
	return dir, func() {
		if out, err := exec.Command("umount", "-l", dir).CombinedOutput(); err != nil {
			t.Errorf("%v: %s", err, out)
		}
		_ = os.Remove(dir)
	}
}

// fillPostgres fills the disk of a PostgreSQL server. If the server exits because it cannot write its WAL, the test restarts it
// once there is space, as an operator or a supervisor would.
func (l *harness) fillPostgres(t *testing.T, servers *replicas, dir string) (broken []string) {
	cluster := boottest.StartClusterIn(t, dir)
	defer cluster.Stop(true)
	if err := cluster.CreateDatabase("small", ""); err != nil {
		return []string{err.Error()}
	}
	database := cluster.URL("small")
	if out, err := l.haggle(database, "migrate"); err != nil {
		return []string{fmt.Sprintf("%v: %s", err, out)}
	}
	if err := l.serveEach(servers, database, database); err != nil {
		return []string{err.Error()}
	}
	work, err := l.begin(servers, 8)
	if err != nil {
		return []string{err.Error()}
	}
	broken = work.reaches(10)
	ballast := filepath.Join(dir, "ballast")
	for range l.pick(1, 5) {
		full, freed := make(chan struct{}), sync.WaitGroup{}
		freed.Go(func() { // freed space is filled again
			for ended := false; !ended; {
				fill(ballast)
				select {
				case <-full:
					ended = true
				case <-time.After(100 * time.Millisecond):
				}
			}
		})
		broken = append(broken, l.refusals(work.shop, servers.alive()[0])...)
		_, _ = cluster.PSQL("small", "SELECT pg_switch_wal()") // the next WAL segment finds no space either, so the server exits
		broken = append(broken, l.refusals(work.shop, servers.alive()[0])...)
		close(full)
		freed.Wait()
		if err := os.Remove(ballast); err != nil {
			return append(broken, err.Error())
		}
		l.report.Count("disks filled", 1)
		if _, err := cluster.PSQL("small", "SELECT 1"); err != nil {
			l.report.Count("PostgreSQL ended by a full disk", 1)
			if err := cluster.Restart(true); err != nil {
				return append(broken, err.Error())
			}
		}
		broken = append(broken, work.reaches(work.paid()+10)...)
	}
	return append(broken, work.end(database)...)
}

func (l *harness) fillAround(servers *replicas, dir string) (broken []string) {
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

// fill writes a file until the disk is full.
func fill(path string) {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o600)
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

// refusals requests prices until several requests are refused, and returns the refusals that are not a 503 with Retry-After.
func (l *harness) refusals(s shop, server string) (broken []string) {
	price := decimal.MustParse("40")
	refused := 0
	for patience := time.Now().Add(soon); refused < 10 && time.Now().Before(patience); {
		_, err := s.payer().at(server, nil).Quote(context.Background(), acp.QuoteRequest{
			ProductID:  s.product,
			Quantity:   1,
			OfferPrice: &price,
		})
		var problem *acp.Error
		switch {
		case err == nil:
			continue
		case !errors.As(err, &problem):
			broken = append(broken, fmt.Sprintf("with a full disk: %v", err))
		case problem.HTTPStatus != 503 || problem.RetryAfter == 0:
			broken = append(broken, fmt.Sprintf("with a full disk: %d %s, retry_after %d", problem.HTTPStatus, problem.Code, problem.RetryAfter))
		}
		refused++
	}
	if refused == 0 {
		broken = append(broken, "a full disk was not noticed")
	}
	return broken
}
