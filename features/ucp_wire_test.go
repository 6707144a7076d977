package features

import (
	"bytes"
	crand "crypto/rand"
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
)

// wirePlatform is an agent's platform with its own profile and signing key. It sends raw requests; steps check the answers in
// the recorder.
type wirePlatform struct {
	scenario      *scenario
	version       string
	capabilities  []string // of the profile; nil: all
	webhookURL    string   // for order webhooks; "": none
	agent         string   // raw UCP-Agent header; "": names the profile
	key           *wireKey // signs requests
	previousKey   *wireKey // before rotatesKey
	publishedKeys []map[string]string

	mu           sync.Mutex
	status       int    // instead of the profile; 0: serve the profile
	body         []byte // served with status
	hangs        bool   // never answer
	profileReads int    // requests for the profile

	server *http.Server
	url    string
}

// wireCapabilities are the shopping capabilities, in the order of the specification.
var wireCapabilities = []string{
	"catalog.search", "catalog.lookup", "cart", "checkout", "order", "discount", "fulfillment",
}

const wireShopping = "dev.ucp.shopping"

// wireParents are the capabilities that extensions extend.
var wireParents = map[string]any{
	"discount":    []string{wireShopping + ".checkout", wireShopping + ".cart"},
	"fulfillment": wireShopping + ".checkout",
}

func (p *wirePlatform) starts(version string) error {
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	p.version, p.key = version, newWireKey()
	p.publishedKeys = []map[string]string{p.key.public("P-256")}
	// The server caches a profile, or the failure to read it, by URL. An earlier scenario may have had the same port.
	p.url = "http://" + l.Addr().String() + "/" + crand.Text() + "/profile.json"
	p.server = &http.Server{Handler: p, ReadHeaderTimeout: deliveryTimeout}
	go func() { _ = p.server.Serve(l) }() // until the scenario closes
	p.scenario.atEnd(p.server.Close)
	return nil
}

func (p *wirePlatform) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	p.mu.Lock()
	status, body, hangs := p.status, p.body, p.hangs
	p.profileReads++
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
	_, _ = w.Write(body) // steps check what the server does if it stops reading
}

func (p *wirePlatform) profile() []byte {
	p.mu.Lock()
	defer p.mu.Unlock()
	capabilities := map[string]any{}
	for _, short := range wireCapabilities {
		if p.capabilities != nil && !slices.Contains(p.capabilities, short) {
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
		if short == "order" && p.webhookURL != "" {
			declared["config"] = map[string]any{"webhook_url": p.webhookURL}
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
	body[keys] = p.publishedKeys
	text, err := json.Marshal(body)
	if err != nil {
		panic(err) // maps of strings always encode
	}
	return text
}

const aprilVersion = "2026-04-08"

// answersProfile serves another status and body instead of the profile.
func (p *wirePlatform) answersProfile(status int, body string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.status, p.body = status, []byte(p.scenario.expand(body))
}

// rotatesKey replaces the published key by a new one.
func (p *wirePlatform) rotatesKey() {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.previousKey, p.key = p.key, newWireKey()
	p.publishedKeys = []map[string]string{p.key.public("P-256")}
}

func (p *wirePlatform) profileWasRead(times int) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.profileReads != times {
		return fmt.Errorf("it was read %d times", p.profileReads)
	}
	return nil
}

// publishesCurve publishes the key with another curve than P-256.
func (p *wirePlatform) publishesCurve(curve string) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.publishedKeys = []map[string]string{p.key.public(curve)}
}

func (p *wirePlatform) registersWebhook() error {
	r, err := p.scenario.events.eventReceiver()
	if err != nil {
		return err
	}
	p.webhookURL = r.URL()
	return nil
}

// wireRequest is a request that a step's words modify before it is sent.
type wireRequest struct {
	method, path string
	header       http.Header
	body         []byte
	sign         *wireSigning // nil: do not sign
	after        []func(*wireRequest)
}

// sends sends a request, modified by the words in how: "signed, without @query, in DER".
func (p *wirePlatform) sends(how, method, path, body string) error {
	r := &wireRequest{
		method: method,
		path:   p.scenario.expand(path),
		header: http.Header{},
	}
	if body != "" || method != http.MethodGet {
		r.body = []byte(p.scenario.expand(body))
		r.header.Set("Content-Type", "application/json")
	}
	return p.send(r, how)
}

// sendsUntilKnown retries a request until the server has read the profile again. The server limits how often it reads
// profiles, and answers key_not_found meanwhile.
func (p *wirePlatform) sendsUntilKnown(how, method, path, body string) error {
	return within(10, func() error {
		if err := p.sends(how, method, path, body); err != nil {
			return err
		}
		if a := p.scenario.recorder.last(); strings.Contains(string(a.body), "key_not_found") {
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
		if err := p.modify(r, word); err != nil {
			return err
		}
	}
	address, err := url.Parse(p.scenario.app.URL() + "/p/" + p.scenario.shop.Slug + r.path)
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
	request, err := http.NewRequestWithContext(p.scenario.ctx, r.method, address.String(), bytes.NewReader(r.body))
	if err != nil {
		return err
	}
	request.Header = r.header
	answer, err := (&http.Client{Transport: p.scenario.recorder}).Do(request)
	if err != nil {
		return err
	}
	if err := answer.Body.Close(); err != nil {
		return err
	}
	if strings.HasSuffix(r.path, "/mcp") {
		return checkMCPAnswer(r, p.scenario.recorder.last())
	}
	version, plain := ucpVersion(r.path)
	return checkUCPAnswer(version, r.method, plain, answer.StatusCode, p.scenario.recorder.last().body)
}

// callsTool calls an MCP tool. The message's meta names the profile, as UCP requires.
func (p *wirePlatform) callsTool(how, tool, arguments string) error {
	fields := map[string]any{}
	if err := json.Unmarshal([]byte(p.scenario.expand(arguments)), &fields); err != nil {
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
		meta["idempotency-key"] = randomLetters(32)
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
	return p.sendsMCP(how, string(message))
}

// sendsMCP sends an MCP message unchanged.
func (p *wirePlatform) sendsMCP(how, message string) error {
	path := "/mcp"
	if p.version == aprilVersion {
		path = "/" + aprilVersion + path
	}
	return p.send(&wireRequest{
		method: http.MethodPost,
		path:   path,
		body:   []byte(p.scenario.expand(message)),
		header: http.Header{"Content-Type": {"application/json"}, "Accept": {"application/json, text/event-stream"}},
	}, how)
}

// modify applies one of a step's words to a request.
func (p *wirePlatform) modify(r *wireRequest, word string) error {
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
		return r.modifyAfterSigning(rest)
	}
	if r.sign == nil {
		return fmt.Errorf("%q is about a signature, and there is none", word)
	}
	switch word {
	case "by its former key":
		r.sign.key = p.previousKey
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

// modifyAfterSigning adds a change that is applied after the request was signed.
func (r *wireRequest) modifyAfterSigning(what string) error {
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
