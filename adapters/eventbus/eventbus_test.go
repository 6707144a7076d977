package eventbus

import (
	"context"
	"io"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/nats-io/nats-server/v2/server"
	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/ports"
)

// serve starts a server that stores its streams in dir.
func serve(t *testing.T, dir string) *server.Server {
	t.Helper()
	s, err := server.NewServer(&server.Options{
		Host:      "127.0.0.1",
		Port:      server.RANDOM_PORT,
		JetStream: true,
		StoreDir:  dir,
		NoSigs:    true,
		NoLog:     true,
	})
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

// gate is a TCP proxy whose address stays the same while the server behind it is replaced.
type gate struct{ to atomic.Pointer[server.Server] }

func openGate(t *testing.T) (g *gate, address string) {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { listener.Close() })
	g = &gate{}
	go func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			go g.carry(client)
		}
	}()
	return g, "nats://" + listener.Addr().String()
}

func (g *gate) carry(client net.Conn) {
	defer client.Close()
	to := g.to.Load()
	if to == nil {
		return
	}
	s, err := net.Dial("tcp", to.Addr().String())
	if err != nil {
		return
	}
	defer s.Close()
	go func() {
		_, _ = io.Copy(s, client)
		s.Close()
	}()
	_, _ = io.Copy(client, s)
}

func announced(name string) ports.Announced {
	return ports.Announced{
		ID:      id.Stored[id.Event](name),
		Project: id.Stored[id.Project]("proj_1"),
		Type:    event.OrderCompletedType,
		Body:    []byte(`{"id":"` + name + `"}`),
	}
}

// publish retries until the bus accepts the event, as the delivery worker does.
func publish(t *testing.T, b *Bus, e ports.Announced) {
	t.Helper()
	var err error
	for end := time.Now().Add(30 * time.Second); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if err = b.Publish(ports.NewOutbound(t.Context()), e); err == nil {
			return
		}
	}
	t.Fatal(err)
}

// stored reads the stream's messages with a separate client.
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
	messages, err := consumer.Fetch(int(stream.CachedInfo().State.Msgs), jetstream.FetchMaxWait(30*time.Second))
	if err != nil {
		t.Fatal(err)
	}
	for m := range messages.Messages() {
		list = append(list, m)
	}
	return list
}

// Stored events survive a restart of the server, and the bus reconnects.
func TestBus_Publish_serverRestart(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	first := serve(t, dir)
	g, address := openGate(t)
	g.to.Store(first)
	bus, err := Open(address)
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close()
	publish(t, bus, announced("evt_1"))
	publish(t, bus, announced("evt_1")) // as when the acknowledgement was lost
	g.to.Store(nil)
	first.Shutdown()
	first.WaitForShutdown()
	short, cancel := context.WithTimeout(t.Context(), time.Second)
	defer cancel()
	if err := bus.Publish(ports.NewOutbound(short), announced("evt_2")); err == nil {
		t.Fatal("an event was taken while nobody was there")
	}
	g.to.Store(serve(t, dir))
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

// The configuration of an existing stream is not changed.
func TestBus_Publish_existingStream(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	conn, err := nats.Connect(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := js.CreateStream(t.Context(), jetstream.StreamConfig{
		Name:     Name,
		Subjects: []string{Subjects},
		MaxMsgs:  7,
	}); err != nil {
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

// Try creates no stream.
func TestTry(t *testing.T) {
	t.Parallel()
	s := serve(t, t.TempDir())
	if err := Try(t.Context(), s.ClientURL()); err != nil {
		t.Error(err)
	}
	bus, err := Open(s.ClientURL())
	if err != nil {
		t.Fatal(err)
	}
	defer bus.Close()
	if _, err := bus.stream.Stream(t.Context(), Name); err == nil {
		t.Error("a stream was made")
	}
	s.Shutdown()
	s.WaitForShutdown()
	if err := Try(t.Context(), s.ClientURL()); err == nil || err.Error() != "connection refused" {
		t.Errorf("without a server: %v", err)
	}
}

func TestCheckURL(t *testing.T) {
	t.Parallel()
	for _, address := range []string{"nats://a:4222", "tls://u:p@a:4222,nats://u:p@b:4222", "nats://a"} {
		if err := CheckURL(address); err != nil {
			t.Errorf("%s: %v", address, err)
		}
	}
	for _, address := range []string{"a:4222", "http://u:secret@a:4222", "nats://u:secret@a:4222,", "nats://a:4222,b", "nats://u:sec%ret@a", "nats://"} {
		if err := CheckURL(address); err == nil || strings.Contains(err.Error(), "sec") {
			t.Errorf("%s: %v", address, err)
		}
	}
}
