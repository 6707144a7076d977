package provider

import (
	"crypto/rand"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"io"
	"net"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/provider/ledger"
)

const bodyLimit = 1 << 20

// call is one authenticated request to either provider.
type call struct {
	dialect   *dialect
	operation string
	account   string
	live      bool
	key       string // Idempotency-Key or PayPal-Request-Id; empty: none
	request   *http.Request
	id        string // of the request
	form      url.Values
	body      []byte
	token     func(*ledger.State, *call) string
	plan      plan
}

// answer is the response to a call.
type answer struct {
	status int
	body   any // JSON; nil: none
	header map[string]string
	kept   bool // execution began: a repeat with the same key gets this answer
	order  string
	refund string
}

// dialect is how a provider writes the answers that both have, and how it treats idempotency keys.
type dialect struct {
	provider    string
	rateLimited func(*call) answer
	inUse       func(*call) answer
	internal    func(*call) answer
	otherUse    func(*call, ledger.KeptAnswer) answer // the key was used for another request
	replay      func(*ledger.State, *call, ledger.KeptAnswer) answer
	keyAge      func(Config) time.Duration
	scope       func(*call) string
	keepsErrors bool // a 500 is kept under the key too
}

// serve handles a call: it replays an earlier answer, applies faults before execution, executes, and applies faults after
// it.
func (p *Provider) serve(w http.ResponseWriter, call *call, execute func(*change, *call) answer) {
	known, done, err := p.claim(call)
	if err != nil || done {
		p.reply(w, call, known, err)
		return
	}
	defer p.release(call)
	if refused, stop := beforeFault(call); stop {
		p.reply(w, call, refused, nil)
		return
	}
	p.pause(call.plan.wait)
	given, early, err := p.execute(call, execute)
	p.release(call)
	if err == nil {
		p.sendEarly(early)
	}
	if err != nil || given.status >= 300 {
		p.reply(w, call, given, err)
		return
	}
	p.afterFault(w, call, given)
}

// claim marks the call's key as in use and determines the call's plan, unless there is an answer to the key already.
func (p *Provider) claim(call *call) (known answer, done bool, err error) {
	position, err := p.change(func(c *change) {
		if known, done = c.known(call); done {
			return
		}
		if call.key != "" {
			p.inFlight[call.dialect.scope(call)] = true
		}
		call.plan = c.planFor(call)
	})
	if err == nil {
		err = p.journal.Sync(position)
	}
	if err != nil {
		p.release(call)
	}
	return known, done, err
}

// known returns the answer to a call whose key was used before.
func (c *change) known(call *call) (answer, bool) {
	if call.key == "" {
		return answer{}, false
	}
	scope := call.dialect.scope(call)
	if c.p.inFlight[scope] {
		call.key = "" // another call holds the key, so this one must not release it
		return call.dialect.inUse(call), true
	}
	kept, ok := c.Keys[scope]
	if !ok || c.now.Sub(time.UnixMilli(kept.AtMS)) >= call.dialect.keyAge(c.p.config) {
		return answer{}, false
	}
	if kept.Print != call.fingerprint() {
		return call.dialect.otherUse(call, kept), true
	}
	return call.dialect.replay(c.State, call, kept), true
}

func (p *Provider) release(call *call) {
	if call.key == "" {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	delete(p.inFlight, call.dialect.scope(call))
	call.key = ""
}

// execute executes the call and keeps the answer, in one line of the ledger.
func (p *Provider) execute(call *call, execute func(*change, *call) answer) (given answer, early []string, err error) {
	position, err := p.change(func(c *change) {
		if call.plan.fault == "error_kept" {
			given = call.dialect.internal(call)
			given.kept = call.dialect.keepsErrors
		} else {
			given = execute(c, call)
		}
		if call.plan.fault == "error_after" && given.status < 300 {
			order, refund := given.order, given.refund
			given = call.dialect.internal(call)
			given.kept, given.order, given.refund = true, order, refund
		}
		c.keepAnswer(call, given)
		early = c.early
	})
	if err == nil {
		err = p.journal.Sync(position)
	}
	return given, early, err
}

func (c *change) keepAnswer(call *call, given answer) {
	if call.key == "" || !given.kept {
		return
	}
	body, err := json.Marshal(given.body)
	if err != nil {
		panic(err) // cannot happen: bodies are plain maps
	}
	c.entry.Keys = append(c.entry.Keys, ledger.KeptAnswer{
		Scope:  call.dialect.scope(call),
		Print:  call.fingerprint(),
		Path:   call.request.Method + " " + call.request.URL.Path,
		AtMS:   c.now.UnixMilli(),
		Status: given.status,
		Body:   body,
		Order:  given.order,
		Refund: given.refund,
	})
}

// fingerprint returns a hash that distinguishes requests with the same key. It ignores the order of form fields and white
// space in JSON.
func (c *call) fingerprint() string {
	content := c.form.Encode()
	var value any
	if c.form == nil && json.Unmarshal(c.body, &value) == nil {
		compact, _ := json.Marshal(value)
		content = string(compact)
	}
	sum := sha256.Sum256([]byte(c.request.Method + " " + c.request.URL.Path + "\n" + content))
	return hex.EncodeToString(sum[:])
}

// beforeFault returns the answer of a fault that prevents execution.
func beforeFault(call *call) (answer, bool) {
	switch call.plan.fault {
	case "rate_limited":
		return call.dialect.rateLimited(call), true
	case "in_use":
		return call.dialect.inUse(call), true
	case "error_before":
		return call.dialect.internal(call), true
	}
	return answer{}, false
}

// afterFault answers a successful call as its fault says.
func (p *Provider) afterFault(w http.ResponseWriter, call *call, given answer) {
	switch call.plan.fault {
	case "hang_after":
		select {
		case <-call.request.Context().Done():
		case <-time.After(p.config.Hang):
		case <-p.closed:
		}
		cut(w)
	case "reset_after":
		cut(w)
	case "malformed":
		body, _ := json.Marshal(given.body)
		head(w, call, given)
		_, _ = w.Write(body[:len(body)/2])
	default:
		p.reply(w, call, given, nil)
	}
}

// reply writes the answer. If the ledger failed, it cuts the connection without an answer.
func (p *Provider) reply(w http.ResponseWriter, call *call, given answer, err error) {
	if err != nil {
		cut(w)
		return
	}
	var body []byte
	if given.body != nil {
		body, _ = json.Marshal(given.body)
		w.Header().Set("Content-Length", strconv.Itoa(len(body)))
	}
	head(w, call, given)
	_, _ = w.Write(body)
}

func head(w http.ResponseWriter, call *call, given answer) {
	header := w.Header()
	if given.body != nil {
		header.Set("Content-Type", "application/json")
	}
	if call.dialect.provider == "stripe" {
		header.Set("Request-Id", call.id)
		if key := call.request.Header.Get("Idempotency-Key"); key != "" {
			header.Set("Idempotency-Key", key)
		}
	} else {
		header.Set("Paypal-Debug-Id", call.id)
	}
	for name, value := range given.header {
		header.Set(name, value)
	}
	w.WriteHeader(given.status)
}

// cut closes the connection without further output.
func cut(w http.ResponseWriter) {
	connection, _, err := http.NewResponseController(w).Hijack()
	if err != nil {
		panic(http.ErrAbortHandler)
	}
	if tcp, ok := connection.(*net.TCPConn); ok {
		_ = tcp.SetLinger(0)
	}
	_ = connection.Close()
}

// pause waits even if the client is gone, because a provider finishes what it has begun.
func (p *Provider) pause(wait time.Duration) {
	if wait == 0 {
		return
	}
	select {
	case <-time.After(wait):
	case <-p.closed:
	}
}

func readBody(r *http.Request) ([]byte, error) { return io.ReadAll(io.LimitReader(r.Body, bodyLimit)) }

// newID returns the prefix and random letters and digits.
func newID(prefix string, length int) string {
	text := rand.Text()
	for len(text) < length {
		text += rand.Text()
	}
	return prefix + text[:length]
}

// derived returns a hex hash of the text, cut to the length.
func derived(text string, length int) string {
	sum := sha256.Sum256([]byte(text))
	return strings.ToUpper(hex.EncodeToString(sum[:]))[:length]
}
