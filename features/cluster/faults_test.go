package cluster

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"
)

const (
	// soon is how long after Patroni's REST API names a leader a purchase must have succeeded.
	soon = 15 * time.Second
	// failover is the maximum time of a failover: the ttl, an election, and the new leader's start on a busy machine.
	failover = 90 * time.Second
	// shoppers is the number of concurrent buyers.
	shoppers = 8
)

// fault is a fault of the leader, and how it is repaired.
type fault struct {
	key, name string
	do        func(d *database, leader *node) error
	heal      func(leader *node) error
}

var (
	killed = fault{
		"killed", "kill -9 of the node",
		func(_ *database, n *node) error { return n.kill() },
		func(n *node) error { n.run(); return nil },
	}
	cutOff = fault{
		"cutoff", "cut off from everybody",
		func(_ *database, n *node) error {
			open(false, n.gates.peers, n.gates.etcd, n.gates.clients)
			return nil
		},
		func(n *node) error { open(true, n.gates.peers, n.gates.etcd, n.gates.clients); return nil },
	}
	// In this partition, the worst one, the leader continues to serve clients until it notices.
	cutFromPeers = fault{
		"halfcut", "cut off from nodes and etcd, not from clients",
		func(_ *database, n *node) error { open(false, n.gates.peers, n.gates.etcd); return nil },
		func(n *node) error { open(true, n.gates.peers, n.gates.etcd); return nil },
	}
	paused = fault{
		"paused", "SIGSTOP of the node",
		func(_ *database, n *node) error { return n.signal(syscall.SIGSTOP) },
		func(n *node) error { return n.signal(syscall.SIGCONT) },
	}
	switchedOver = fault{
		"switchover", "switchover on purpose",
		func(d *database, n *node) error { return n.switchOver(d) },
		func(*node) error { return nil },
	}
)

// switchOver asks Patroni for a switchover, as patronictl switchover does.
func (n *node) switchOver(d *database) error {
	candidate := ""
	for _, other := range d.Nodes {
		if other.role("sync") {
			candidate = other.Name
		}
	}
	body, err := json.Marshal(map[string]string{"leader": n.Name, "candidate": candidate})
	if err != nil {
		return err
	}
	response, err := client.Post("http://"+n.Listen+":8008/switchover", "application/json", bytes.NewReader(body))
	if err != nil {
		return err
	}
	defer response.Body.Close()
	text, err := io.ReadAll(io.LimitReader(response.Body, 1000))
	if err == nil && response.StatusCode != http.StatusOK {
		err = fmt.Errorf("switchover: %s: %s", response.Status, text)
	}
	return err
}

// figures are the durations and counts of one fault.
type figures struct {
	fault, way      string
	patroni, haggle time.Duration // until there is another leader, and from then until a purchase succeeds
	orders          int
	refusals        string
}

// survive lets buyers pay while the leader has a fault, and checks all orders and payments afterwards.
func (d *database) survive(t *testing.T, s *shop, way string, f fault) figures {
	t.Helper()
	got := figures{fault: f.name, way: way}
	s.reset()
	s.open(shoppers)
	defer s.close()
	if !within(time.Minute, func() bool { return s.fresh() >= 2*shoppers }) {
		t.Fatalf("%s: nobody buys before it", f.name)
	}
	old := d.leader()
	if old == nil {
		d.fail(f.name + ": there is no leader")
	}
	began := time.Now()
	if err := f.do(d, old); err != nil {
		t.Fatalf("%s: %v", f.name, err)
	}
	if !within(failover, func() bool { return d.leaderBut(old) != nil }) {
		_ = f.heal(old)
		d.fail(f.name + ": Patroni has no other leader")
	}
	led := time.Now()
	got.patroni = led.Sub(began)
	if !within(3*soon, func() bool { return !s.firstSince(led).IsZero() }) {
		t.Errorf("%s: nobody buys again", f.name)
		s.tail(t)
	} else if got.haggle = s.firstSince(led).Sub(led); got.haggle > soon {
		t.Errorf("%s: a buyer buys again %s after Patroni has another leader, want %s", f.name, got.haggle, soon)
		s.tail(t)
	}
	after := s.paid() + 2*shoppers
	if !within(time.Minute, func() bool { return s.paid() >= after }) {
		t.Errorf("%s: buyers do not go on", f.name)
	}
	if err := f.heal(old); err != nil {
		t.Errorf("%s: %v", f.name, err)
	}
	s.close()
	if !within(time.Minute, d.whole) && !d.repair() {
		d.fail(f.name + ": the cluster is not whole again")
	}
	broken := s.judge()
	for _, b := range broken {
		t.Errorf("%s: %s", f.name, b)
	}
	if len(broken) > 0 {
		s.tail(t)
	}
	got.orders, got.refusals = s.fresh(), s.refusalsText()
	return got
}

// leaderBut returns a leader other than the old one, or nil.
func (d *database) leaderBut(old *node) *node {
	for _, n := range d.Nodes {
		if n != old && n.role("primary") {
			return n
		}
	}
	return nil
}

// table formats the figures of all faults.
func table(rows []figures) string {
	var b strings.Builder
	w := tabwriter.NewWriter(&b, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "fault\tby\tPatroni\tHaggle\torders\trefusals")
	for _, r := range rows {
		fmt.Fprintf(w, "%s\t%s\t%.1f s\t%.1f s\t%d\t%s\n", r.fault, r.way, r.patroni.Seconds(), r.haggle.Seconds(), r.orders, r.refusals)
	}
	_ = w.Flush() // writes to memory
	return b.String()
}
