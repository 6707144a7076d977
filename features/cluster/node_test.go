package cluster

import (
	"bytes"
	"context"
	"database/sql"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"time"
)

// node is a machine with PostgreSQL and Patroni.
type node struct {
	*folder
	Name    string
	Listen  string // listen address of its servers
	Address string // where they are reached through the following gates
	Clients string // where HAProxy reaches them
	Dir     string

	Members  []string // addresses of etcd's members for this node
	Proxies  bool
	Programs string
	Network  string

	config  string
	patroni *process
	gates   struct{ peers, clients, etcd []*gate }
}

// open opens or shuts gates.
func open(is bool, gates ...[]*gate) {
	for _, some := range gates {
		for _, g := range some {
			g.set(is)
		}
	}
}

// run starts Patroni, which starts PostgreSQL.
func (n *node) run() { n.patroni = n.start("patroni-"+n.Name, "patroni", n.config) }

// postgres returns the process ids of PostgreSQL, the parent first. The parent is stopped while they are listed, so that it
// starts no more children.
func (n *node) postgres() (ids []int) {
	text, err := os.ReadFile(filepath.Join(n.Dir, "postgresql", "postmaster.pid"))
	if err != nil {
		return nil
	}
	first, _, _ := strings.Cut(string(text), "\n")
	postmaster, err := strconv.Atoi(first)
	if err != nil || syscall.Kill(postmaster, syscall.SIGSTOP) != nil {
		return nil
	}
	ids = append(ids, postmaster)
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		return ids
	}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has exited
		}
		fields := strings.Fields(string(stat[bytes.LastIndexByte(stat, ')')+1:]))
		if len(fields) > 1 && fields[1] == first {
			if id, err := strconv.Atoi(filepath.Base(filepath.Dir(path))); err == nil {
				ids = append(ids, id)
			}
		}
	}
	return ids
}

// signal sends a signal to Patroni and to each process of PostgreSQL.
func (n *node) signal(s syscall.Signal) error {
	if err := n.patroni.cmd.Process.Signal(s); err != nil {
		return fmt.Errorf("patroni of %s: %w", n.Name, err)
	}
	ids := n.postgres()
	if len(ids) == 0 {
		return fmt.Errorf("%s has no PostgreSQL that runs", n.Name)
	}
	for i := range ids {
		id := ids[len(ids)-1-i] // children first, because the parent would restart them
		_ = syscall.Kill(id, s) // it may have exited
	}
	return nil
}

// kill kills Patroni and PostgreSQL, as the loss of the machine does.
func (n *node) kill() error {
	err := n.signal(syscall.SIGKILL)
	<-n.patroni.ended
	return err
}

var impatient = &http.Client{Timeout: 2 * time.Second, Transport: &http.Transport{DisableKeepAlives: true}}

// role reports whether Patroni's REST API confirms a role, such as primary, sync or replica. The request does not pass the
// gates.
func (n *node) role(is string) bool {
	response, err := impatient.Get("http://" + n.Listen + ":8008/" + is)
	if err != nil {
		return false
	}
	_ = response.Body.Close() // only the status counts
	return response.StatusCode == http.StatusOK
}

// query runs a statement as superuser, bypassing the gates and row-level security, and returns one value.
func (n *node) query(database, statement string) (value string, err error) {
	db, err := sql.Open("postgres", n.url(database)+"?sslmode=disable&connect_timeout=3")
	if err != nil {
		return "", err
	}
	defer db.Close()
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	err = db.QueryRowContext(ctx, statement).Scan(&value)
	return value, err
}

// url returns a database URL of this node for the superuser, bypassing the gates.
func (n *node) url(database string) string {
	return "postgres://postgres:" + n.Passwords.Superuser + "@" + n.Listen + ":5432/" + database
}
