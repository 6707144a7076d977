package faults

import (
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Action is what the proxy does to a connection.
type Action string

const (
	Delay     Action = "delay"      // holds data up
	CutFIN    Action = "cut"        // closes both ends
	CutRST    Action = "reset"      // resets the client's end
	BlackHole Action = "black hole" // drops all data and notifies neither end
)

// Rule selects one request of a client and says what to do to its connection.
type Rule struct {
	// Text must be in the request.
	Text string
	// Within must be in the transaction up to and including the request; "" matches any.
	Within string
	// Nth selects the n-th matching request, from 1.
	Nth int
	// Answered lets the request pass and acts on its answer. Otherwise the server does not receive the request.
	Answered bool
	Do       Action
	For      time.Duration // of a Delay
}

// armed is a rule that waits for its request.
type armed struct {
	Rule
	seen  int
	fired chan struct{}
}

// Proxy forwards the messages of PostgreSQL clients and a server until a rule applies. It does not support TLS.
type Proxy struct {
	listener         net.Listener
	network, address string // of the server

	trips, statements, transactions atomic.Int64

	mu     sync.Mutex
	rule   *armed
	open   map[*link]struct{}
	closed bool
}

// Traffic counts what a server has answered.
type Traffic struct {
	Trips        int64 // round trips: requests that the client waited for
	Statements   int64 // including BEGIN and COMMIT
	Transactions int64 // committed
}

// Traffic returns the counts of all answers that passed the proxy.
func (p *Proxy) Traffic() Traffic {
	return Traffic{
		Trips:        p.trips.Load(),
		Statements:   p.statements.Load(),
		Transactions: p.transactions.Load(),
	}
}

// count counts a message of the server: ReadyForQuery ends a round trip, CommandComplete a statement.
func (p *Proxy) count(message []byte) {
	const header = 5
	switch message[0] {
	case 'Z':
		p.trips.Add(1)
	case 'C':
		p.statements.Add(1)
		if strings.HasPrefix(string(message[header:]), "COMMIT") {
			p.transactions.Add(1)
		}
	}
}

// NewProxy listens on a free port and forwards to a server, tcp or unix.
func NewProxy(network, address string) (*Proxy, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	p := &Proxy{
		listener: listener,
		network:  network,
		address:  address,
		open:     map[*link]struct{}{},
	}
	go p.accept()
	return p, nil
}

// Addr returns the proxy's address.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Arm replaces the rule. The channel is closed when the rule applies, which it does once.
func (p *Proxy) Arm(r Rule) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rule = &armed{Rule: r, fired: make(chan struct{})}
	return p.rule.fired
}

// Disarm removes the rule. Connections that a rule has acted on stay as they are.
func (p *Proxy) Disarm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rule = nil
}

// Close closes the proxy and all its connections.
func (p *Proxy) Close() {
	_ = p.listener.Close()
	p.mu.Lock()
	defer p.mu.Unlock()
	p.closed = true
	for l := range p.open {
		l.cut(CutFIN)
	}
}

func (p *Proxy) accept() {
	for {
		client, err := p.listener.Accept()
		if err != nil {
			return
		}
		go p.serve(client)
	}
}

func (p *Proxy) serve(client net.Conn) {
	server, err := net.Dial(p.network, p.address)
	if err != nil {
		_ = client.Close()
		return
	}
	l := &link{
		proxy:  p,
		client: client,
		server: server,
	}
	p.mu.Lock()
	if p.closed {
		l.cut(CutFIN)
	}
	p.open[l] = struct{}{}
	p.mu.Unlock()
	var both sync.WaitGroup
	both.Go(l.requests)
	both.Go(l.answers)
	both.Wait()
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.open, l)
}

// judge returns the rule if it applies to a request. said is the text of its transaction so far.
func (p *Proxy) judge(request, said string) *Rule {
	p.mu.Lock()
	defer p.mu.Unlock()
	r := p.rule
	if r == nil || !strings.Contains(request, r.Text) || !strings.Contains(said, r.Within) {
		return nil
	}
	if r.seen++; r.seen != max(1, r.Nth) {
		return nil
	}
	p.rule = nil
	close(r.fired)
	return &r.Rule
}

// link is one connection of a client to the server.
type link struct {
	proxy          *Proxy
	client, server net.Conn
	onAnswer       atomic.Pointer[Rule] // what to do to the next answer
	dead           atomic.Bool          // in a black hole
}

// requests forwards the client's requests.
func (l *link) requests() {
	defer l.closeEnds()
	from := requestReader(l.client)
	var said strings.Builder // text of the transaction
	for {
		request, err := from.next()
		if err != nil {
			return
		}
		if l.dead.Load() {
			continue
		}
		text := string(request)
		if strings.Contains(text, "BEGIN") {
			said.Reset()
		}
		if said.Len() < mostSaid {
			said.WriteString(text)
		}
		if r := l.proxy.judge(text, said.String()); r != nil && !l.act(r) {
			return
		}
		if l.dead.Load() {
			continue
		}
		if _, err := l.server.Write(request); err != nil {
			return
		}
	}
}

const mostSaid = 1 << 20

// act applies a rule before its request passes, and reports whether the request may pass.
func (l *link) act(r *Rule) bool {
	if r.Answered {
		l.onAnswer.Store(r)
		return true
	}
	return l.apply(r)
}

func (l *link) apply(r *Rule) bool {
	switch r.Do {
	case Delay:
		time.Sleep(r.For)
		return true
	case BlackHole:
		l.dead.Store(true)
		return true
	}
	l.cut(r.Do)
	return false
}

// answers forwards the server's answers.
func (l *link) answers() {
	defer l.closeEnds()
	from := answerReader(l.server)
	for {
		answer, last, err := from.next()
		if err != nil {
			return
		}
		l.proxy.count(answer)
		if r := l.onAnswer.Load(); r != nil {
			if !last && r.Do != Delay {
				continue // more messages of the answer follow
			}
			l.onAnswer.Store(nil)
			if !l.apply(r) {
				return
			}
		}
		if l.dead.Load() {
			continue
		}
		if _, err := l.client.Write(answer); err != nil {
			return
		}
	}
}

// closeEnds closes each end when the other one has closed. The ends of a black hole stay open until the proxy closes.
func (l *link) closeEnds() {
	if !l.dead.Load() {
		l.cut(CutFIN)
	}
}

// cut closes both ends.
func (l *link) cut(how Action) {
	if tcp, ok := l.client.(*net.TCPConn); ok && how == CutRST {
		_ = tcp.SetLinger(0)
	}
	_ = l.client.Close()
	_ = l.server.Close()
}
