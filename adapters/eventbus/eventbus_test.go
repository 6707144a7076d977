package eventbus

import (
	"context"
	"net"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// serve runs a server on a port, 0 for any, with what it stored in dir.
func serve(t *testing.T, dir string, port int) *server.Server {
	t.Helper()
	if port == 0 {
		port = server.RANDOM_PORT
	}
	s, err := server.NewServer(&server.Options{Host: "127.0.0.1", Port: port, JetStream: true, StoreDir: dir, NoSigs: true, NoLog: true})
	if err != nil {
		t.Fatal(err)
	}
	s.Start()
	t.Cleanup(func() {
		s.Shutdown()
		s.WaitForShutdown()
	})
	if !s.ReadyForConnections(20 * time.Second) {
		t.Fatal("the server does not start")
	}
	return s
}

func announced(name string) ports.Announced {
	return ports.Announced{
		ID: id.Stored[id.Event](name), Project: id.Stored[id.Project]("proj_1"), Type: event.OrderCompletedType,
		Body: []byte(`{"id":"` + name + `"}`),
	}
}

// publish tries until the bus takes the event, as its delivery would.
func publish(t *testing.T, b *Bus, e ports.Announced) {
	t.Helper()
	var err error
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err = b.Publish(t.Context(), e); err == nil {
			return
		}
	}
	t.Fatal(err)
}

// stored is what the stream has, asked for by a client of its own.
func stored(t *testing.T, address string) (list []jetstream.Msg) {
	t.Helper()
	conn, err := nats.Connect(address)
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	consumer, err := js.OrderedConsumer(t.Context(), Name, jetstream.OrderedConsumerConfig{FilterSubjects: []string{"haggle.proj_1.order.completed"}})
	if err != nil {
		t.Fatal(err)
	}
	stream, err := js.Stream(t.Context(), Name)
	if err != nil {
		t.Fatal(err)
	}
	messages, err := consumer.Fetch(int(stream.CachedInfo().State.Msgs), jetstream.FetchMaxWait(5*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	for m := range messages.Messages() {
		list = append(list, m)
	}
	return list
}

func TestEventsSurviveARestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := serve(t, dir, 0)
	address := first.ClientURL()
	port := first.Addr().(*net.TCPAddr).Port
	bus, err := Open(address)
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close()
	publish(t, bus, announced("evt_1"))
	publish(t, bus, announced("evt_1")) // as when the acknowledgement was lost
	first.Shutdown()
	first.WaitForShutdown()
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := bus.Publish(short, announced("evt_2")); err == nil {
		t.Fatal("an event was taken while nobody was there")
	}
	serve(t, dir, port)
	publish(t, bus, announced("evt_2"))
	list := stored(t, address)
	if len(list) != 2 {
		t.Fatalf("%d events, want 2", len(list))
	}
	for i, want := range []string{"evt_1", "evt_2"} {
		if string(list[i].Data()) != `{"id":"`+want+`"}` || list[i].Headers().Get("Nats-Msg-Id") != want {
			t.Errorf("%s, %v", list[i].Data(), list[i].Headers())
		}
	}
}

func TestAStreamThatIsThereIsLeft(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir(), 0)
	conn, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{Name: Name, Subjects: []string{Subjects}, MaxMsgs: 7}); err != nil {
		t.Fatal(err)
	}
	bus, err := Open(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close()
	publish(t, bus, announced("evt_1"))
	stream, err := js.Stream(t.Context(), Name)
	if err != nil || stream.CachedInfo().Config.MaxMsgs != 7 || stream.CachedInfo().State.Msgs != 1 {
		t.Errorf("%+v, %v", stream.CachedInfo(), err)
	}
}
