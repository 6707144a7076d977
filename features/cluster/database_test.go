package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os/exec"
	"strconv"
	"strings"
	"time"
)

// patience is how long the cluster may take to recover after a fault. A returning node may be copied from scratch.
const patience = 3 * time.Minute

// database is three PostgreSQL nodes, the three members of etcd, HAProxy and PgBouncer.
type database struct {
	*folder
	Nodes   []*node
	etcd    string // the address of a member, not through the gates
	HAProxy string // its address
	Listen  string // the listen address of HAProxy and PgBouncer
	Dir     string
	others  []*process
}

// member is a member of etcd.
type member struct {
	Name, Listen, Dir string
	Etcd              []*member
}

// ready reports whether the members have agreed on a version of etcd. Patroni exits if it starts before that.
func (m *member) ready() bool {
	response, err := impatient.Get("http://" + m.Listen + ":2379/version")
	if err != nil {
		return false
	}
	defer response.Body.Close()
	var version struct{ EtcdCluster string }
	err = json.NewDecoder(response.Body).Decode(&version)
	return err == nil && version.EtcdCluster != "" && version.EtcdCluster != "not_decided"
}

// newDatabase starts all servers and waits for a leader with a synchronous standby.
func newDatabase(f *folder) *database {
	f.t.Helper()
	d := &database{
		folder:  f,
		HAProxy: f.address(10),
		Listen:  f.address(10),
	}
	members := make([]*member, 3)
	for i := range members {
		name := fmt.Sprint("etcd", i+1)
		members[i] = &member{
			Name:   name,
			Listen: f.address(21 + i),
			Dir:    f.mkdir(name),
			Etcd:   members,
		}
	}
	d.etcd = members[0].Listen
	for _, m := range members {
		d.others = append(d.others, f.start(m.Name, "etcd", "--config-file", f.render("etcd.yml", m.Dir, m)))
	}
	for _, m := range members {
		if !within(patience, m.ready) {
			d.fail(m.Name + " did not start")
		}
	}
	for i := range members {
		d.Nodes = append(d.Nodes, d.newNode(i, members))
	}
	haproxy := f.mkdir("haproxy")
	d.others = append(d.others, f.start("haproxy", "haproxy", "-db", "-f", f.render("haproxy.cfg", haproxy, map[string]any{
		"Listen": d.Listen,
		"Nodes":  d.clientNodes(),
	})))
	d.Dir = f.mkdir("pgbouncer")
	f.render("userlist.txt", d.Dir, d)
	d.others = append(d.others, f.start("pgbouncer", "pgbouncer", f.render("pgbouncer.ini", d.Dir, d)))
	for _, n := range d.Nodes {
		n.run()
	}
	if !within(time.Minute, d.whole) {
		d.fail("the cluster did not start")
	}
	if err := d.createDatabase(); err != nil {
		d.fail(err.Error())
	}
	return d
}

// newNode returns a node with gates between it and the others.
func (d *database) newNode(i int, members []*member) *node {
	name := fmt.Sprint("node", i+1)
	n := &node{
		folder:   d.folder,
		Name:     name,
		Listen:   d.address(31 + i),
		Address:  d.address(41 + i),
		Clients:  d.address(51 + i),
		Dir:      d.mkdir(name),
		Proxies:  true,
		Programs: d.programs,
		Network:  "127.0.0.0/8",
	}
	for _, port := range []string{":5432", ":8008"} {
		n.gates.peers = append(n.gates.peers, newGate(d.t, n.Address+port, n.Listen+port))
		n.gates.clients = append(n.gates.clients, newGate(d.t, n.Clients+port, n.Listen+port))
	}
	for k, m := range members {
		at := d.address(60 + 10*i + k)
		n.Members = append(n.Members, at)
		n.gates.etcd = append(n.gates.etcd, newGate(d.t, at+":2379", m.Listen+":2379"))
	}
	n.config = d.render("patroni.yml", n.Dir, n)
	return n
}

// clientNodes returns the nodes with the addresses that HAProxy uses.
func (d *database) clientNodes() (nodes []map[string]string) {
	for _, n := range d.Nodes {
		nodes = append(nodes, map[string]string{"Name": n.Name, "Address": n.Clients})
	}
	return nodes
}

// createDatabase runs roles.sql on the leader.
func (d *database) createDatabase() error {
	script := d.render("roles.sql", d.Dir, d)
	leader := d.leader()
	if leader == nil {
		return errors.New("there is no leader")
	}
	out, err := exec.Command(d.programs+"/psql", "-Xq", "-v", "ON_ERROR_STOP=1", "-f", script,
		leader.url("postgres")).CombinedOutput()
	if err != nil {
		return fmt.Errorf("roles.sql: %w: %s", err, out)
	}
	return nil
}

// leader returns the node that is the leader by Patroni's REST API, or nil.
func (d *database) leader() *node {
	for _, n := range d.Nodes {
		if n.role("primary") {
			return n
		}
	}
	return nil
}

// whole reports whether there is a leader, a synchronous standby and another standby.
func (d *database) whole() bool {
	roles := map[string]int{}
	for _, n := range d.Nodes {
		for _, role := range []string{"primary", "sync", "async"} {
			if n.role(role) {
				roles[role]++
			}
		}
	}
	return roles["primary"] == 1 && roles["sync"] == 1 && roles["async"] == 1 && d.streaming() == 2
}

// streaming returns how many standbys replicate from the leader.
func (d *database) streaming() int {
	leader := d.leader()
	if leader == nil {
		return 0
	}
	count, err := leader.query("postgres", "SELECT count(*) FROM pg_stat_replication WHERE state = 'streaming'")
	if err != nil {
		return 0
	}
	n, err := strconv.Atoi(count)
	if err != nil {
		return 0
	}
	return n
}

// pooled returns the URL through PgBouncer and HAProxy, direct the one through HAProxy only, and many the multi-host URL.
func (d *database) pooled() string {
	return "postgres://haggle:" + d.Passwords.Haggle + "@" + net.JoinHostPort(d.Listen, "6432") + "/haggle?sslmode=disable"
}

func (d *database) direct() string {
	return "postgres://haggle:" + d.Passwords.Haggle + "@" + net.JoinHostPort(d.HAProxy, "5432") + "/haggle?sslmode=disable"
}

func (d *database) many() string {
	var hosts []string
	for _, n := range d.Nodes {
		hosts = append(hosts, n.Clients+":5432")
	}
	return "postgres://haggle:" + d.Passwords.Haggle + "@" + strings.Join(hosts, ",") +
		"/haggle?sslmode=disable&target_session_attrs=read-write"
}

// fail ends the test with the servers' output.
func (d *database) fail(why string) {
	d.t.Helper()
	for _, p := range d.others {
		d.t.Logf("%s:\n%s", p.name, p.output())
	}
	for _, n := range d.Nodes {
		if n.patroni != nil {
			d.t.Logf("%s:\n%s", n.patroni.name, n.patroni.output())
		}
	}
	d.t.Fatal(why)
}
