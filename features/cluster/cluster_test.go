// Package cluster runs Haggle on clusters of PostgreSQL, Redis and NATS, kills, disconnects and pauses their nodes while buyers
// pay, and then checks that no confirmed order or payment is lost or duplicated.
//
//	CLUSTER=full go test -v ./features/cluster     everything (make cluster)
//	CLUSTER_ONLY=postgresql,redis,nats …           some of it
//	CLUSTER_KILLS=2 …                              how often the leader of PostgreSQL is killed; default 10.
//	                                               With a multi-host URL a quarter of it
//	CLUSTER_FAULTS=killed,paused …                 some faults alone: killed cutoff halfcut paused switchover
//	CLUSTER_BY=PgBouncer …                         by one way alone: PgBouncer multi-host
//	CLUSTER_LOGS=folder …                          where the servers' logs stay, and replica A's heap profiles
//
// A soak runs two replicas on all three clusters for a long time, under a constant load of buyers and a merchant. It kills
// replica B every twelfth of that time and PostgreSQL's leader at half time, and switches the leader over at three quarters. It
// checks that every order exists once, that requests failed only during these outages, and that replica A's memory, the
// database and the logs do not grow.
//
//	SOAK=60m go test -v -timeout 2h -run 'TestSoak$' ./features/cluster     (make soak)
//	SOAK_RATE=2 …                                  purchases a second; default 2
//	SOAK_TABLE=file …                              where all samples are written as CSV
//
// The servers are configured by the files of cmd/haggle/deploy/cluster.
package cluster

import (
	"cmp"
	"fmt"
	"os"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// needs skips the test unless CLUSTER and CLUSTER_ONLY include the part.
func needs(t *testing.T, part string) {
	t.Helper()
	if os.Getenv("CLUSTER") != "full" {
		t.Skip("clusters are only run by CLUSTER=full (make cluster)")
	}
	if only := os.Getenv("CLUSTER_ONLY"); only != "" && !slices.Contains(strings.Split(only, ","), part) {
		t.Skip("CLUSTER_ONLY leaves it out")
	}
}

func TestCluster_postgreSQL(t *testing.T) {
	needs(t, "postgresql")
	kills, err := strconv.Atoi(cmp.Or(os.Getenv("CLUSTER_KILLS"), "10"))
	if err != nil {
		t.Fatalf("CLUSTER_KILLS: %v", err)
	}
	built := build(t)
	d := newDatabase(newFolder(t))
	if out, err := built.run([]string{"HAGGLE_DATABASE_URL=" + d.direct()}, "migrate"); err != nil {
		t.Fatalf("haggle migrate: %v: %s", err, out)
	}
	others := []fault{cutOff, cutFromPeers, paused, switchedOver}
	var rows []figures
	t.Cleanup(func() { fmt.Print(table(rows)) })
	var s *shop
	for _, way := range []struct {
		name  string
		env   []string
		kills int
	}{
		{"PgBouncer", []string{"HAGGLE_DATABASE_URL=" + d.pooled(), "HAGGLE_DATABASE_POOLER=transaction"}, kills},
		{"multi-host URL", []string{"HAGGLE_DATABASE_URL=" + d.many()}, (kills + 3) / 4},
	} {
		if only := os.Getenv("CLUSTER_BY"); only != "" && only != strings.Fields(way.name)[0] {
			continue
		}
		if s = s.servedBy(t, built.serve(t, way.env...)); t.Failed() {
			return
		}
		for _, f := range chosen(append(slices.Repeat([]fault{killed}, way.kills), others...)) {
			rows = append(rows, d.survive(t, s, way.name, f))
			t.Logf("\n%s", table(rows[len(rows)-1:]))
		}
	}
}

// chosen returns the faults that CLUSTER_FAULTS names, or all.
func chosen(all []fault) []fault {
	only := os.Getenv("CLUSTER_FAULTS")
	if only == "" {
		return all
	}
	return slices.DeleteFunc(all, func(f fault) bool { return !slices.Contains(strings.Split(only, ","), f.key) })
}
