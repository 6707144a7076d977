// Package eventbus publishes events to NATS JetStream: each to the subject haggle.<project id>.<type>, with the body that
// webhooks have and the event's id as Nats-Msg-Id. The stream HAGGLE stores them all. If it is missing, it is created: on
// disk, with a retention of a week and, in a cluster, with three replicas, so that it survives the loss of a server. An
// existing stream is not changed.
package eventbus

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/haggle-commerce/haggle/ports"
)

const (
	// Name of the stream.
	Name = "HAGGLE"
	// Subjects that the stream stores.
	Subjects = "haggle.>"

	// kept is the retention of a stream that we create.
	kept = 7 * 24 * time.Hour
	// repeats is how long the stream deduplicates by event id. After a lost acknowledgement the event is published again
	// sooner than that.
	repeats = 10 * time.Minute
	// replicas is how many servers of a cluster store a stream that we create.
	replicas = 3
	// acknowledging is the timeout of an event's acknowledgement.
	acknowledging = 5 * time.Second
)

// Bus is a connection that reconnects by itself.
type Bus struct {
	conn   *nats.Conn
	stream jetstream.JetStream
	known  atomic.Bool // whether the stream exists
}

var _ ports.Stream = (*Bus)(nil)

// CheckURL validates an address. Its error does not repeat the address, which may contain a password.
func CheckURL(address string) error {
	for _, server := range strings.Split(address, ",") {
		u, err := url.Parse(server)
		if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" {
			return errors.New("must be nats://HOST:PORT or tls://HOST:PORT, or several of them with commas between")
		}
	}
	return nil
}

// Open starts to connect to one of the servers, which are separated by commas. While none is reachable, Bus keeps trying
// and refuses events.
func Open(address string) (*Bus, error) {
	b := &Bus{}
	lost := func(*nats.Conn, error) { b.known.Store(false) }
	conn, err := nats.Connect(address, nats.Name("haggle"), nats.RetryOnFailedConnect(true), nats.MaxReconnects(-1),
		nats.ReconnectWait(500*time.Millisecond), nats.Timeout(2*time.Second), nats.ReconnectBufSize(-1),
		nats.DisconnectErrHandler(lost))
	if err != nil {
		return nil, fmt.Errorf("it cannot be used: %w", err)
	}
	b.conn = conn
	if b.stream, err = jetstream.New(conn); err != nil {
		conn.Close()
		return nil, err
	}
	return b, nil
}

// Try connects once, checks that JetStream is available, and disconnects. It publishes nothing and creates no stream.
func Try(ctx context.Context, address string) error {
	patience := acknowledging
	if deadline, bounded := ctx.Deadline(); bounded {
		patience = time.Until(deadline)
	}
	conn, err := nats.Connect(address, nats.Name("haggle doctor"), nats.NoReconnect(), nats.Timeout(patience))
	if errors.Is(err, nats.ErrNoServers) { // nats.go returns it for ECONNREFUSED
		return errors.New("connection refused")
	}
	if err != nil {
		return err
	}
	defer conn.Close()
	js, err := jetstream.New(conn)
	if err != nil {
		return err
	}
	_, err = js.AccountInfo(ctx)
	return err
}

// Publish returns nil once the stream has stored the event.
func (b *Bus) Publish(ctx ports.Outbound, e ports.Announced) error {
	if !b.conn.IsConnected() {
		return errors.New("the event bus is not connected")
	}
	ctx, cancel := ctx.WithTimeout(acknowledging)
	defer cancel()
	if err := b.ensure(ctx); err != nil {
		return err
	}
	message := &nats.Msg{
		Subject: "haggle." + e.Project.String() + "." + e.Type.String(),
		Data:    e.Body,
		Header:  nats.Header{},
	}
	message.Header.Set(jetstream.MsgIDHeader, e.ID.String())
	message.Header.Set("Content-Type", "application/json")
	if _, err := b.stream.PublishMsg(ctx, message); err != nil {
		b.known.Store(false)
		return errors.New("the event bus did not acknowledge the event")
	}
	return nil
}

// ensure creates the stream unless it exists. It does not change an existing one.
func (b *Bus) ensure(ctx context.Context) error {
	if b.known.Load() {
		return nil
	}
	_, err := b.stream.Stream(ctx, Name)
	if errors.Is(err, jetstream.ErrStreamNotFound) {
		config := jetstream.StreamConfig{
			Name:       Name,
			Subjects:   []string{Subjects},
			MaxAge:     kept,
			Duplicates: repeats,
		}
		if b.conn.ConnectedClusterName() != "" {
			config.Replicas = replicas
		}
		_, err = b.stream.CreateStream(ctx, config)
	}
	if err != nil && !errors.Is(err, jetstream.ErrStreamNameAlreadyInUse) {
		return errors.New("the event bus has no stream for events")
	}
	b.known.Store(true)
	return nil
}

// Connected reports whether the bus is connected now.
func (b *Bus) Connected() bool { return b.conn.IsConnected() }

// Close closes the connection at once: an event without an acknowledgement is published again later.
func (b *Bus) Close() { b.conn.Close() }
