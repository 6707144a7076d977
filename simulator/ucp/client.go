// Package ucp is a buyer's client of the Universal Commerce Protocol, over REST and over MCP, in both versions, with
// Haggle's negotiation capability. Its types are written from the published schemas and not shared with the server.
// Package judge checks every answer; a client reports the problems and still returns the answer. It makes no decisions;
// package buyer does.
package ucp

import (
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"sync/atomic"
	"time"

	"github.com/haggle-commerce/haggle/simulator/exchange"
	"github.com/haggle-commerce/haggle/simulator/ucp/judge"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
	"github.com/haggle-commerce/haggle/simulator/ucp/signature"
)

// Transport is how messages are sent.
type Transport string

// The transports.
const (
	REST Transport = "rest"
	MCP  Transport = "mcp"
)

// SandboxAgent is the profile of a platform with all capabilities. Every sandbox knows it.
const SandboxAgent = "https://haggle.invalid/agent"

// Config is how to reach a shop. Connection and Shop are required.
type Config struct {
	Connection *exchange.Client
	Shop       string             // slug
	Version    schema.Version     // default 2026-08-25
	Transport  Transport          // default REST
	Agent      string             // the platform's profile; default SandboxAgent, "none" sends none
	Key        *signature.Key     // signs every request; default none
	Authority  string             // host in signatures; default the connection's
	Active     judge.Capabilities // default all that UCP and the judge have
	Judge      *judge.Judge       // default the version's judge with Haggle's own rules and the clock
	Observers  []func(Call)
}

// Call is one finished call. Observers measure and check calls.
type Call struct {
	Operation judge.Operation
	ID        string // of the resource, "" for a new one
	At        time.Time
	Request   any
	Response  any // by value; nil if Err is not nil
	Answer    []byte
	Raw       exchange.Response
	Wrong     error // the problems that the judge found
	Err       error
}

// Client calls one shop. It is safe for concurrent use if its observers are.
type Client struct {
	config   Config
	Profile  Profile
	endpoint string // path below the connection's address
	deals    string // path of the negotiation service
	calls    atomic.Int64
}

// everything is the capabilities that the sandbox agent shares with a shop.
var everything = judge.Capabilities{judge.Search, judge.Lookup, judge.Cart, judge.Checkout, judge.Order, judge.Discount, judge.Fulfillment}

// Discover reads the shop's profile and finds its endpoints. It uses only the paths of the endpoints' addresses and calls
// the shop at the connection's address, which may differ from the public one.
func Discover(ctx context.Context, config Config) (*Client, error) {
	c := &Client{config: filled(config)}
	if err := c.discover(ctx); err != nil {
		return nil, fmt.Errorf("discovering %s: %w", config.Shop, err)
	}
	return c, nil
}

func filled(config Config) Config {
	if config.Version == "" {
		config.Version = schema.V20260825
	}
	if config.Transport == "" {
		config.Transport = REST
	}
	if config.Agent == "" {
		config.Agent = SandboxAgent
	}
	if config.Active == nil {
		config.Active = everything
	}
	if config.Judge == nil {
		strict := judge.New(config.Version).House().At(time.Now)
		config.Judge = &strict
	}
	return config
}

// Transcript returns the conversation so far.
func (c *Client) Transcript() *exchange.Transcript { return c.config.Connection.Transcript() }

// CallOption changes one call.
type CallOption func(*outgoing)

// outgoing is a call before it is encoded for its transport.
type outgoing struct {
	operation judge.Operation
	id        string
	body      json.RawMessage // nil: none
	key       string          // idempotency key; "": none
	header    http.Header
}

// IdempotencyKey sets the idempotency key of a call; "" sends none. Without this option every write gets a new key.
func IdempotencyKey(key string) CallOption { return func(o *outgoing) { o.key = key } }

// Header sets a header of a call; an empty value removes it.
func Header(name, value string) CallOption {
	return func(o *outgoing) { o.header[http.CanonicalHeaderKey(name)] = []string{value} }
}

// reads are the operations that change nothing.
var reads = map[judge.Operation]bool{
	judge.SearchCatalog: true, judge.LookupCatalog: true, judge.GetProduct: true, judge.GetCart: true,
	judge.GetCheckout: true, judge.GetOrder: true, judge.GetNegotiation: true,
}

// call sends one request, has the judge check request and answer, and decodes the answer as T.
func call[T any](ctx context.Context, c *Client, operation judge.Operation, id string, in any, options []CallOption) (T, error) {
	var out T
	done := Call{
		Operation: operation,
		ID:        id,
		At:        time.Now(),
		Request:   in,
	}
	answer, raw, err := c.do(ctx, operation, id, in, options)
	done.Answer, done.Raw = answer, raw
	if err == nil {
		done.Wrong = c.config.Judge.Answer(operation, c.config.Active, answer)
		c.report(operation, raw, done.Wrong)
		if outcome := outcomeOf(raw.Status, answer); outcome != nil {
			err = outcome
		} else if err = json.Unmarshal(answer, &out); err != nil {
			err = fmt.Errorf("%s: %w", operation, err)
		}
	}
	done.Err = err
	if err == nil {
		done.Response = out
	}
	for _, observe := range c.config.Observers {
		observe(done)
	}
	return out, err
}

// do sends a request and returns the JSON of the answer without the transport's envelope.
func (c *Client) do(ctx context.Context, operation judge.Operation, id string, in any, options []CallOption) ([]byte, exchange.Response, error) {
	o := outgoing{
		operation: operation,
		id:        id,
		header:    http.Header{},
	}
	if in != nil {
		body, err := json.Marshal(in)
		if err != nil {
			return nil, exchange.Response{}, err
		}
		o.body = body
	}
	if !reads[operation] {
		o.key = newKey()
	}
	for _, option := range options {
		option(&o)
	}
	if c.config.Transport == MCP {
		return c.callTool(ctx, o)
	}
	return c.request(ctx, o)
}

// newKey returns a key that is long enough for 2026-08-25 and a UUID, as MCP requires.
func newKey() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// report reports the judge's problems as a violation.
func (c *Client) report(operation judge.Operation, raw exchange.Response, wrong error) {
	if wrong == nil {
		return
	}
	request := exchange.Request{Method: strings.ToUpper(string(c.config.Transport)), Path: "/" + string(c.config.Version) + "/" + string(operation)}
	var problems schema.Problems
	if !errors.As(wrong, &problems) {
		c.config.Connection.Report(request, raw, wrong.Error())
	}
	for _, problem := range problems {
		c.config.Connection.Report(request, raw, problem.String())
	}
}

// send adds the headers that every request has, signs the request and sends it.
func (c *Client) send(ctx context.Context, method, path string, header http.Header, body []byte) (exchange.Response, error) {
	if c.config.Agent != "none" && header["Ucp-Agent"] == nil {
		header.Set("UCP-Agent", fmt.Sprintf("profile=%q", c.config.Agent))
	}
	if c.config.Key != nil {
		if body != nil {
			header.Set("Content-Type", "application/json")
		}
		target, err := url.Parse(path)
		if err != nil {
			return exchange.Response{}, err
		}
		message := signature.Message{
			Method:    method,
			Authority: c.config.Authority,
			Path:      target.EscapedPath(),
			Query:     target.RawQuery,
			Header:    header,
			Body:      body,
		}
		if err := c.config.Key.Sign(message, time.Now()); err != nil {
			return exchange.Response{}, err
		}
	}
	return c.config.Connection.Do(ctx, exchange.Request{
		Method: method,
		Path:   path,
		Header: header,
		Body:   body,
	})
}
