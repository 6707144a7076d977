package faults

import (
	"net"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// Action is what happens to a connection.
type Action string

const (
	Delay     Action = "delay"      // what passes is held up
	CutFIN    Action = "cut"        // both ends see the other one leave
	CutRST    Action = "reset"      // the client's end is reset
	BlackHole Action = "black hole" // nothing passes any more, and nobody is told
)

// Rule says what to do to the connection of one request of the client, and when.
type Rule struct {
	// Text is what the request contains.
	Text string
	// Within is what the transaction has mentioned up to and with the request; "" for any.
	Within string
	// Nth is at which such request to act, from 1 on.
	Nth int
	// Answered lets the request through and acts on its answer. Otherwise the server never hears it.
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

// Proxy passes what PostgreSQL clients and a server say to each other, until a rule says otherwise.
// It is for connections without TLS.
type Proxy struct {
	listener         net.Listener
	network, address string // of the server

	trips, statements, transactions atomic.Int64

	mu     sync.Mutex
	rule   *armed
	open   map[*link]struct{}
	closed bool
}

// Traffic is what a server has answered.
type Traffic struct {
	Trips        int64 // requests that the client waited for
	Statements   int64 // BEGIN and COMMIT included
	Transactions int64 // that ended with COMMIT
}

// Traffic counts all answers that came through the proxy.
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

// NewProxy stands in front of a server, tcp or unix, on a port of its own.
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

// Addr is where the proxy listens.
func (p *Proxy) Addr() string { return p.listener.Addr().String() }

// Arm replaces the rule. The channel is closed when the rule acts, once.
func (p *Proxy) Arm(r Rule) <-chan struct{} {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rule = &armed{Rule: r, fired: make(chan struct{})}
	return p.rule.fired
}

// Disarm lets everything pass, on connections that no rule has acted on.
func (p *Proxy) Disarm() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.rule = nil
}

// Close ends the proxy and every connection through it.
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

// judge returns the rule if it acts on a request of a transaction that has said so much.
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

// link is one connection.
type link struct {
	proxy          *Proxy
	client, server net.Conn
	onAnswer       atomic.Pointer[Rule] // what to do to the next answer
	dead           atomic.Bool          // in a black hole
}

// requests passes what the client says.
func (l *link) requests() {
	defer l.leave()
	from := requestReader(l.client)
	var said strings.Builder // by the transaction
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

// act does what a rule asks for before its request passes, and reports whether it may pass.
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

// answers passes what the server says.
func (l *link) answers() {
	defer l.leave()
	from := answerReader(l.server)
	for {
		answer, last, err := from.next()
		if err != nil {
			return
		}
		l.proxy.count(answer)
		if r := l.onAnswer.Load(); r != nil {
			if !last && r.Do != Delay {
				continue // the server is still at it
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

// leave tells each end that the other one left, unless the connection is in a black hole: then neither
// learns of it before the proxy closes.
func (l *link) leave() {
	if !l.dead.Load() {
		l.cut(CutFIN)
	}
}

// cut ends the connection at both ends.
func (l *link) cut(how Action) {
	if tcp, ok := l.client.(*net.TCPConn); ok && how == CutRST {
		_ = tcp.SetLinger(0)
	}
	_ = l.client.Close()
	_ = l.server.Close()
}
