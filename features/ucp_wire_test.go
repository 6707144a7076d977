package features

import (
	"bytes"
	"context"
	crand "crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"

	"github.com/cucumber/godog"
)

// wirePlatform is an agent's platform that has a profile of its own and signs its requests. It sends raw requests and keeps
// nothing of the answers: steps judge the tape.
type wirePlatform struct {
	w       *world
	version string
	only    []string // capabilities that the profile has; nil: all
	hook    string   // where it hears of orders; "": nowhere
	agent   string   // the raw field UCP-Agent; "": the profile's
	key     *wireKey // that it signs with
	former  *wireKey // that it signed with before
	listed  []map[string]string

	mu     sync.Mutex
	status int    // of the profile's answer; 0: the profile
	body   []byte // instead of the profile
	hangs  bool   // it is never answered
	asked  int    // how often the profile was read

	server *http.Server
	url    string
}

// wireCapabilities are those of shopping, in the order of the specification.
var wireCapabilities = []string{
	"catalog.search", "catalog.lookup", "cart", "checkout", "order", "discount", "fulfillment",
}

const wireShopping = "dev.ucp.shopping"

// wireParents are what extensions extend.
var wireParents = map[string]any{
	"discount":    []string{wireShopping + ".checkout", wireShopping + ".cart"},
	"fulfillment": wireShopping + ".checkout",
}

func (p *wirePlatform) opens(version string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	p.version, p.key = version, newWireKey()
	p.listed = []map[string]string{p.key.public("P-256")}
	// The server remembers a profile, or its failure, by the address. Another scenario may have had the same port.
	p.url = "http://" + l.Addr().String() + "/" + crand.Text() + "/profile.json"
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: hearingPatience}
	go func() { _ = p.server.Serve(l) }() // until close
	return nil
}

func (p *wirePlatform) close(ctx context.Context, _ *godog.Scenario, _ error) (context.Context, error) {
	if p.server == nil {
		return ctx, nil
	}
	return ctx, p.server.Close()
}

func (p *wirePlatform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	status, body, hangs := p.status, p.body, p.hangs
	p.asked++
	p.mu.Unlock()
	if hangs {
		<-r.Context().Done()
		return
	}
	if status == 0 {
		status, body = http.StatusOK, p.profile()
	}
	w.Header().Set("Content-Type", "application/json")
	w.Header().Set("Cache-Control", "public, max-age=60")
	w.WriteHeader(status)
	_, _ = w.Write(body) // a server that stops reading is judged by its answer
}

func (p *wirePlatform) profile() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	capabilities := map[string]any{}
	for _, short := range wireCapabilities {
		if p.only != nil && !slices.Contains(p.only, short) {
			continue
		}
		declared := map[string]any{
			"version": p.version,
			"spec":    "https://ucp.dev/" + p.version + "/specification/overview",
			"schema":  "https://ucp.dev/" + p.version + "/schemas/shopping/" + strings.ReplaceAll(short, ".", "_") + ".json",
		}
		if parents := wireParents[short]; parents != nil {
			declared["extends"] = parents
		}
		if short == "order" && p.hook != "" {
			declared["config"] = map[string]any{"webhook_url": p.hook}
		}
		capabilities[wireShopping+"."+short] = []any{declared}
	}
	body := map[string]any{"ucp": map[string]any{
		"version": p.version,
		"services": map[string]any{wireShopping: []any{map[string]any{
			"version":   p.version,
			"transport": "rest",
			"spec":      "https://ucp.dev/" + p.version + "/specification/overview",
			"schema":    "https://ucp.dev/" + p.version + "/services/shopping/rest.openapi.json",
		}}},
		"capabilities":     capabilities,
		"payment_handlers": map[string]any{},
	}}
	keys := "keys"
	if p.version == aprilVersion {
		keys = "signing_keys"
	}
	body[keys] = p.listed
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // of maps of text
	}
	return text
}

const aprilVersion = "2026-04-08"

// answersProfile has the profile's address answer something else.
func (p *wirePlatform) answersProfile(status int, body string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status, p.body = status, []byte(p.w.expand(body))
}

// replaces publishes a new key in the place of the one that signed until now.
func (p *wirePlatform) replaces() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.former, p.key = p.key, newWireKey()
	p.listed = []map[string]string{p.key.public("P-256")}
}

// publishesOther publishes its key as one of a curve that is not P-256.
func (p *wirePlatform) publishesOther(curve string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.listed = []map[string]string{p.key.public(curve)}
}

func (p *wirePlatform) hears() error {
	r, err := p.w.listener()
	if err != nil {
		return err
	}
	p.hook = r.URL()
	return nil
}

// wireRequest is a request that steps bend before it is sent.
type wireRequest struct {
	method, path string
	header       http.Header
	body         []byte
	sign         *wireSigning // nil: it is not signed
	after        []func(*wireRequest)
}

// sends sends a request as its words say, one after the other: "signed", "without @query", "in DER".
func (p *wirePlatform) sends(how, method, path, body string) error {
	r := &wireRequest{
		method: method,
		path:   p.w.expand(path),
		header: http.Header{},
	}
	if body != "" || method != http.MethodGet {
		r.body = []byte(p.w.expand(body))
		r.header.Set("Content-Type", "application/json")
	}
	return p.send(r, how)
}

// sendsUntilKnown sends a request as often as it takes the server to read the profile anew: it reads few in a second, and
// takes an unknown key for unknown meanwhile.
func (p *wirePlatform) sendsUntilKnown(how, method, path, body string) error {
	return within(10, func() error {
		if err := p.sends(how, method, path, body); err != nil {
			return err
		}
		if a := p.w.tape.last(); strings.Contains(string(a.body), "key_not_found") {
			return fmt.Errorf("it answered %d: %s", a.status, a.body)
		}
		return nil
	})
}

func (p *wirePlatform) send(r *wireRequest, how string) error {
	agent := p.agent
	if agent == "" {
		agent = fmt.Sprintf("profile=%q", p.url)
	}
	r.header.Set("UCP-Agent", agent)
	for _, word := range strings.Split(how, ",") {
		if word = strings.TrimSpace(word); word == "" {
			continue
		}
		if err := p.bend(r, word); err != nil {
			return err
		}
	}
	address, err := url.Parse(p.w.app.URL() + "/p/" + p.w.shop.Slug + r.path)
	if err != nil {
		return err
	}
	if r.sign != nil {
		if err := r.sign.sign(r, address); err != nil {
			return err
		}
	}
	for _, change := range r.after {
		change(r)
	}
	request, err := http.NewRequestWithContext(p.w.ctx, r.method, address.String(), bytes.NewReader(r.body))
	if err != nil {
		return err
	}
	request.Header = r.header
	answer, err := (&http.Client{Transport: p.w.tape}).Do(request)
	if err != nil {
		return err
	}
	if err := answer.Body.Close(); err != nil {
		return err
	}
	if strings.HasSuffix(r.path, "/mcp") {
		return judgeMCP(r, p.w.tape.last())
	}
	version, plain := ucpVersion(r.path)
	return judgeUCP(version, r.method, plain, answer.StatusCode, p.w.tape.last().body)
}

// calls calls a tool. The message names the profile, as UCP wants it.
func (p *wirePlatform) calls(how, tool, arguments string) error {
	fields := map[string]any{}
	if err := json.Unmarshal([]byte(p.w.expand(arguments)), &fields); err != nil {
		return err
	}
	meta, _ := fields["meta"].(map[string]any)
	if meta == nil {
		meta = map[string]any{}
	}
	if _, said := meta["ucp-agent"]; !said {
		meta["ucp-agent"] = map[string]any{"profile": p.url}
	}
	if _, said := meta["idempotency-key"]; !said {
		meta["idempotency-key"] = letters(32)
	}
	fields["meta"] = meta
	message, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0",
		"id":      1,
		"method":  "tools/call",
		"params":  map[string]any{"name": tool, "arguments": fields},
	})
	if err != nil {
		return err
	}
	return p.says(how, string(message))
}

// says sends a message of MCP as it is.
func (p *wirePlatform) says(how, message string) error {
	path := "/mcp"
	if p.version == aprilVersion {
		path = "/" + aprilVersion + path
	}
	return p.send(&wireRequest{
		method: http.MethodPost,
		path:   path,
		body:   []byte(p.w.expand(message)),
		header: http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}},
	}, how)
}

// bend changes a request by one of the words of a step.
func (p *wirePlatform) bend(r *wireRequest, word string) error {
	verb, rest, _ := strings.Cut(word, " ")
	if strings.HasPrefix(rest, `"`) {
		rest = strings.Trim(rest, `"`)
	}
	switch verb {
	case "signed":
		r.sign = &wireSigning{key: p.key}
		return nil
	case "keyed":
		r.header.Set("Idempotency-Key", rest)
		return nil
	case "typed":
		r.header.Set("Content-Type", rest)
		return nil
	case "then":
		return r.bendAfter(rest)
	}
	if r.sign == nil {
		return fmt.Errorf("%q is about a signature, and there is none", word)
	}
	switch word {
	case "by its former key":
		r.sign.key = p.former
	case "by another's key":
		r.sign.key, r.sign.kid = newWireKey(), p.key.id
	case "in DER":
		r.sign.der = true
	case "with the digest of other bytes":
		r.sign.digest = wireDigest([]byte("other"))
	case "with a digest by SHA-512":
		r.sign.digest = wireDigest512(r.body)
	default:
		switch verb {
		case "without":
			r.sign.without = append(r.sign.without, rest)
		case "saying":
			r.sign.parameters += ";" + rest
		case "naming":
			r.sign.kid = rest
		default:
			return fmt.Errorf("nothing is known of %q", word)
		}
	}
	return nil
}

// bendAfter changes a request that was signed before.
func (r *wireRequest) bendAfter(what string) error {
	verb, name, _ := strings.Cut(what, " ")
	changes := map[string]func(*wireRequest){
		"without": func(r *wireRequest) { r.header.Del(name) },
		"another": func(r *wireRequest) { r.header.Set(name, r.header.Get(name)+"x") },
		"more":    func(r *wireRequest) { r.body = append(r.body, ' ') },
	}
	change := changes[verb]
	if change == nil {
		return fmt.Errorf("nothing is known of %q", what)
	}
	r.after = append(r.after, change)
	return nil
}
