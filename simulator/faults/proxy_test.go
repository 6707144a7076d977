package faults

import (
	"errors"
	"io"
	"net"
	"syscall"
	"testing"
	"time"
)

// echoServer answers each request with its own text and a ReadyForQuery message, and records it.
type echoServer struct {
	net.Listener
	received chan string
}

func startEchoServer(t *testing.T) echoServer {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	p := echoServer{l, make(chan string, 100)}
	t.Cleanup(func() { _ = l.Close() })
	go func() {
		for {
			c, err := l.Accept()
			if err != nil {
				return
			}
			go p.serve(c)
		}
	}()
	return p
}

func (p echoServer) serve(c net.Conn) {
	defer c.Close()
	for from := requestReader(c); ; {
		request, err := from.next()
		if err != nil {
			return
		}
		p.received <- string(request)
		if _, err := c.Write(append(message('D', string(request)), message('Z', "I")...)); err != nil {
			return
		}
	}
}

func message(kind byte, text string) []byte {
	n := len(text) + 4
	return append([]byte{kind, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}, text...)
}

// How long to wait for an answer: if one is expected, and if none is.
const (
	patience = 20 * time.Second
	hurry    = 300 * time.Millisecond
)

// say sends a query and reads its answer.
func say(c net.Conn, text string) error { return sayIn(patience, c, text) }

func sayIn(within time.Duration, c net.Conn, text string) error {
	if _, err := c.Write(message('Q', text)); err != nil {
		return err
	}
	return listen(within, c)
}

func listen(within time.Duration, c net.Conn) error {
	_ = c.SetReadDeadline(time.Now().Add(within))
	for from := answerReader(c); ; {
		if _, last, err := from.next(); err != nil || last {
			return err
		}
	}
}

func connect(t *testing.T, p *Proxy) net.Conn {
	t.Helper()
	c, err := net.Dial("tcp", p.Addr())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = c.Close() })
	if _, err := c.Write(message(0, "hello")[1:]); err != nil { // the startup message has no type byte
		t.Fatal(err)
	}
	if err := listen(patience, c); err != nil {
		t.Fatal(err)
	}
	return c
}

func TestProxy_Arm(t *testing.T) {
	timedOut := func(err error) bool {
		var network net.Error
		return errors.As(err, &network) && network.Timeout()
	}
	left := func(err error) bool { return errors.Is(err, io.EOF) }
	reset := func(err error) bool { return errors.Is(err, syscall.ECONNRESET) }
	for name, test := range map[string]struct {
		rule     Rule
		said     func(error) bool // checks the result of the second COMMIT
		received int              // COMMITs that reach the server
	}{
		"cut before": {Rule{
			Text: "COMMIT",
			Nth:  2,
			Do:   CutFIN,
		}, left, 1},
		"cut after": {Rule{
			Text:     "COMMIT",
			Nth:      2,
			Do:       CutFIN,
			Answered: true,
		}, left, 2},
		"reset before": {Rule{
			Text: "COMMIT",
			Nth:  2,
			Do:   CutRST,
		}, reset, 1},
		"reset after": {Rule{
			Text:     "COMMIT",
			Nth:      2,
			Do:       CutRST,
			Answered: true,
		}, reset, 2},
		"black hole before": {Rule{
			Text: "COMMIT",
			Nth:  2,
			Do:   BlackHole,
		}, timedOut, 1},
		"black hole after": {Rule{
			Text:     "COMMIT",
			Nth:      2,
			Do:       BlackHole,
			Answered: true,
		}, timedOut, 2},
		"delay before": {Rule{
			Text: "COMMIT",
			Nth:  2,
			Do:   Delay,
			For:  5 * time.Second,
		}, timedOut, 2},
		"of this transaction": {Rule{
			Text:   "COMMIT",
			Within: "second",
			Do:     CutFIN,
		}, left, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			server := startEchoServer(t)
			proxy, err := NewProxy("tcp", server.Addr().String())
			if err != nil {
				t.Fatal(err)
			}
			t.Cleanup(proxy.Close)
			fired := proxy.Arm(test.rule)
			c := connect(t, proxy)
			for _, text := range []string{"BEGIN", "first", "COMMIT", "BEGIN", "second"} {
				if err := say(c, text); err != nil {
					t.Fatalf("%s: %v", text, err)
				}
			}
			within := patience
			if test.rule.Do == BlackHole || test.rule.Do == Delay {
				within = hurry
			}
			if err := sayIn(within, c, "COMMIT"); !test.said(err) {
				t.Errorf("the second COMMIT: %v", err)
			}
			<-fired
			if test.rule.Do == Delay {
				if err := listen(patience, c); err != nil {
					t.Errorf("the answer after the delay: %v", err)
				}
			}
			if n := server.count("COMMIT"); n != test.received {
				t.Errorf("the server heard %d COMMITs, want %d", n, test.received)
			}
			if err := say(connect(t, proxy), "COMMIT"); err != nil {
				t.Errorf("on another connection, later: %v", err)
			}
		})
	}
}

func (p echoServer) count(text string) (n int) {
	for {
		select {
		case received := <-p.received:
			if len(received) > 5 && received[5:] == text {
				n++
			}
		default:
			return n
		}
	}
}
