package cluster

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// bus is a NATS cluster of three servers.
type bus struct {
	*folder
	servers []*process
	listen  []string
}

func newBus(f *folder) *bus {
	b := &bus{
		folder:  f,
		listen:  []string{f.address(11), f.address(12), f.address(13)},
		servers: make([]*process, 3),
	}
	for i := range b.servers {
		b.run(i)
	}
	return b
}

// run starts or restarts a server.
func (b *bus) run(i int) {
	name := fmt.Sprint("nats", i+1)
	dir := b.mkdir(name)
	b.servers[i] = b.start(name, "nats-server", "-c", b.render("nats.conf", dir, map[string]any{
		"Name":      name,
		"Listen":    b.listen[i],
		"Dir":       dir,
		"Peers":     b.listen,
		"Passwords": b.Passwords,
	}))
}

func (b *bus) url() string {
	var urls []string
	for _, at := range b.listen {
		urls = append(urls, "nats://haggle:"+b.Passwords.NATS+"@"+at+":4222")
	}
	return strings.Join(urls, ",")
}

// leader returns the server that leads the stream of events. If there is no stream yet, it returns the server of the
// connection.
func (b *bus) leader(ctx context.Context, js jetstream.JetStream) (int, error) {
	stream, err := js.Stream(ctx, "HAGGLE")
	if err != nil {
		return 0, err
	}
	cluster := stream.CachedInfo().Cluster
	if cluster == nil || len(cluster.Replicas) != 2 || cluster.Leader == "" {
		return 0, fmt.Errorf("the stream is not kept by three servers: %+v", cluster)
	}
	n := 0
	_, err = fmt.Sscanf(cluster.Leader, "nats%d", &n)
	return n - 1, err
}

// NATS servers are killed while buyers pay, one by one and then two at once, which leaves no majority. Purchases continue, and
// each order is announced at least once.
func TestCluster_nats(t *testing.T) {
	needs(t, "nats")
	b := newBus(newFolder(t))
	database := boottest.Engines[1].URL(t)
	s, err := openShop(build(t).serve(t, "HAGGLE_DATABASE_URL="+database, "HAGGLE_NATS_URL="+b.url()), "lanterns")
	if err != nil {
		t.Fatal(err)
	}
	conn, err := nats.Connect(b.url(), nats.MaxReconnects(-1), nats.ReconnectWait(100*time.Millisecond), nats.RetryOnFailedConnect(true))
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	s.open(shoppers)
	defer s.close()
	leads := func() (at int) {
		var err error
		if !within(time.Minute, func() bool { at, err = b.leader(t.Context(), js); return err == nil }) {
			t.Fatalf("the stream has no leader: %v", err)
		}
		return at
	}
	for range 3 { // the server that leads
		at := leads()
		b.fault(t, s, []int{at})
	}
	at := leads()
	b.fault(t, s, []int{at, (at + 1) % 3})
	s.close()
	leads()
	announced := map[string]int{}
	if !within(2*time.Minute, func() bool {
		announced = b.announcedOrders(t, js, s.project)
		return len(announced) >= s.paid()
	}) {
		t.Errorf("%d of %d orders were announced", len(announced), s.paid())
		s.tail(t)
	}
	for id := range s.orders {
		if announced[id] == 0 {
			t.Errorf("order %s was not announced", id)
		}
	}
	for _, broken := range s.judge() {
		t.Error(broken)
	}
	t.Logf("5 servers of NATS killed, %d orders, all announced; refusals: %s", s.paid(), s.refusalsText())
}

// fault kills servers, lets buyers buy, and restarts the servers.
func (b *bus) fault(t *testing.T, s *shop, servers []int) {
	t.Helper()
	for _, i := range servers {
		b.servers[i].kill()
	}
	began, want := time.Now(), s.paid()+4*shoppers
	if !within(soon, func() bool { return s.paid() >= want }) {
		t.Errorf("buyers do not go on without %d servers of NATS", len(servers))
	}
	t.Logf("%d servers of NATS killed: %d orders in %s", len(servers), 4*shoppers, time.Since(began).Round(100*time.Millisecond))
	for _, i := range servers {
		b.run(i)
	}
}

// announced returns a project's orders in the stream, and how often each occurs.
func (b *bus) announcedOrders(t *testing.T, js jetstream.JetStream, project string) map[string]int {
	t.Helper()
	orders := map[string]int{}
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
	defer cancel()
	consumer, err := js.OrderedConsumer(ctx, "HAGGLE", jetstream.OrderedConsumerConfig{
		FilterSubjects: []string{"haggle." + project + ".order.completed"},
	})
	if err != nil {
		return orders // the caller repeats the call
	}
	for {
		batch, err := consumer.Fetch(500, jetstream.FetchMaxWait(time.Second))
		if err != nil {
			return orders
		}
		n := 0
		for message := range batch.Messages() {
			n++
			var event struct {
				Data struct {
					OrderID string `json:"order_id"`
				}
			}
			if err := json.Unmarshal(message.Data(), &event); err != nil {
				t.Errorf("an event that is no JSON: %s", message.Data())
			}
			orders[event.Data.OrderID]++
		}
		if n == 0 {
			return orders
		}
	}
}
