package cluster

import (
	"net"
	"sync"
	"testing"
)

// gate is a TCP proxy to a server that can be shut. A shut gate passes nothing in either direction and does not close
// connections. Data that was in transit arrives when the gate opens, as after the repair of a cable.
type gate struct {
	listener net.Listener
	to       string

	mu   sync.Mutex
	open chan struct{} // closed while the gate is open
}

func newGate(t *testing.T, listen, to string) *gate {
	t.Helper()
	listener, err := net.Listen("tcp", listen)
	if err != nil {
		t.Fatal(err)
	}
	g := &gate{
		listener: listener,
		to:       to,
		open:     make(chan struct{}),
	}
	close(g.open)
	t.Cleanup(func() {
		_ = listener.Close()
		g.set(true)
	})
	go func() {
		for {
			conn, err := listener.Accept()
			if err != nil {
				return
			}
			go g.serve(conn)
		}
	}()
	return g
}

// set opens or shuts the gate.
func (g *gate) set(open bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	select {
	case <-g.open:
		if !open {
			g.open = make(chan struct{})
		}
	default:
		if open {
			close(g.open)
		}
	}
}

func (g *gate) wait() {
	g.mu.Lock()
	open := g.open
	g.mu.Unlock()
	<-open
}

func (g *gate) serve(client net.Conn) {
	defer client.Close()
	g.wait()
	server, err := net.Dial("tcp", g.to)
	if err != nil {
		if tcp, ok := client.(*net.TCPConn); ok {
			_ = tcp.SetLinger(0) // so that Close resets the connection
		}
		return
	}
	defer server.Close()
	ended := make(chan struct{}, 2)
	go g.pass(server, client, ended)
	go g.pass(client, server, ended)
	<-ended
}

func (g *gate) pass(to, from net.Conn, ended chan<- struct{}) {
	defer func() { ended <- struct{}{} }()
	buffer := make([]byte, 64<<10)
	for {
		n, err := from.Read(buffer)
		g.wait()
		if n > 0 {
			if _, err := to.Write(buffer[:n]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
