// Package eventbus publishes events to NATS JetStream: each to the subject haggle.<project id>.<type>,
// with the body that webhooks have, and its id as Nats-Msg-Id. The stream HAGGLE takes them all; it is
// made, on disk and with a week's memory, where there is none; in a cluster with three replicas, so that it outlives the loss of
// a server.
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
	// Subjects that it takes.
	Subjects = "haggle.>"

	// kept is how long a stream that we make keeps events.
	kept = 7 * 24 * time.Hour
	// repeats is how long it knows an event by its id. A lost acknowledgement is made up for before.
	repeats = 10 * time.Minute
	// replicas is how many servers of a cluster keep a stream that we make.
	replicas = 3
	// acknowledging is how long an event waits for its acknowledgement.
	acknowledging = 5 * time.Second
)

// Bus is a connection that comes back by itself.
type Bus struct {
	conn   *nats.Conn
	stream jetstream.JetStream
	known  atomic.Bool // that the stream is there
}

var _ ports.Stream = (*Bus)(nil)

// CheckURL reports what is wrong with an address, without the address: there may be a password in it.
func CheckURL(address string) error {
	for _, server := range strings.Split(address, ",") {
		u, err := url.Parse(server)
		if err != nil || u.Host == "" || u.Scheme != "nats" && u.Scheme != "tls" {
			return errors.New("must be nats://HOST:PORT or tls://HOST:PORT, or several of them with commas between")
		}
	}
	return nil
}

// Open begins to connect to one of the servers, which have commas between. Servers that are not there yet are waited for, while
// events are refused.
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

// Try connects once, asks whether JetStream is there, and disconnects. It publishes nothing, and makes no stream.
func Try(ctx context.Context, address string) error {
	patience := acknowledging
	if deadline, bounded := ctx.Deadline(); bounded {
		patience = time.Until(deadline)
	}
	conn, err := nats.Connect(address, nats.Name("haggle doctor"), nats.NoReconnect(), nats.Timeout(patience))
	if errors.Is(err, nats.ErrNoServers) { // which nats.go makes of ECONNREFUSED
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

// Publish returns when the stream has the event.
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

// ensure makes the stream unless it is there. One that is there is left as it is.
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

// Connected reports whether the server is there now.
func (b *Bus) Connected() bool { return b.conn.IsConnected() }

// Close ends the connection. It waits for nothing: an event without its acknowledgement is sent again.
func (b *Bus) Close() { b.conn.Close() }
