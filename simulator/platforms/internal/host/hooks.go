package host

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"slices"
	"strings"
	"sync"
	"time"
)

// Hook is a registered webhook.
type Hook struct {
	Number int      `json:"number"`
	Topic  string   `json:"topic"`
	URL    string   `json:"url"`
	Fields []string `json:"fields,omitempty"` // of payloads; empty: all
	Status string   `json:"status,omitempty"` // WooCommerce: paused or disabled, in which case it is not called
	Secret string   `json:"-"`
	Base   string   `json:"-"` // the platform's address in the request that registered it
}

// only returns the part of a payload that the webhook's fields select: "variants.id" selects the id of each variant.
func (h Hook) only(payload any) any {
	if len(h.Fields) == 0 {
		return payload
	}
	below := map[string][]string{}
	for _, field := range h.Fields {
		name, rest, _ := strings.Cut(field, ".")
		below[name] = append(below[name], rest)
	}
	switch p := payload.(type) {
	case map[string]any:
		left := map[string]any{}
		for name, rest := range below {
			if value, is := p[name]; is {
				left[name] = Hook{Fields: slices.DeleteFunc(rest, func(f string) bool { return f == "" })}.only(value)
			}
		}
		return left
	case []any:
		left := make([]any, len(p))
		for n, one := range p {
			left[n] = h.only(one)
		}
		return left
	}
	return payload
}

// hooks are a platform's webhooks. Send signs a delivery.
type hooks struct {
	mu   sync.Mutex
	last int
	all  []Hook
	Send func(Hook, Delivery) (http.Header, error)
}

func (h *hooks) Add(made Hook) Hook {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.last++
	made.Number = h.last
	h.all = append(h.all, made)
	return made
}

func (h *hooks) Remove(number int) bool {
	h.mu.Lock()
	defer h.mu.Unlock()
	before := len(h.all)
	h.all = slices.DeleteFunc(h.all, func(one Hook) bool { return one.Number == number })
	return len(h.all) < before
}

// Replace replaces the webhook with the same number.
func (h *hooks) Replace(changed Hook) {
	h.mu.Lock()
	defer h.mu.Unlock()
	for n := range h.all {
		if h.all[n].Number == changed.Number {
			h.all[n] = changed
		}
	}
}

func (h *hooks) List() []Hook {
	h.mu.Lock()
	defer h.mu.Unlock()
	return slices.Clone(h.all)
}

// Delivery is one call of a webhook.
type Delivery struct {
	Hook     Hook
	ID       string
	Topic    string
	At       time.Time // time of the event
	Body     []byte    // what is sent
	Signed   []byte    // what is signed: the genuine body
	tampered bool
}

// DeliveryID returns a version 4 UUID.
func DeliveryID() string {
	raw := make([]byte, 16)
	_, _ = rand.Read(raw)
	raw[6], raw[8] = raw[6]&0x0f|0x40, raw[8]&0x3f|0x80
	text := hex.EncodeToString(raw)
	return text[:8] + "-" + text[8:12] + "-" + text[12:16] + "-" + text[16:20] + "-" + text[20:]
}

// Webhooks requests changes with calls of the registered webhooks. Shares are from 0 to 1.
type Webhooks struct {
	Platform  string   `json:"platform"`
	Count     int      `json:"count"`     // changes
	Topics    []string `json:"topics"`    // default: all topics with webhooks
	Duplicate float64  `json:"duplicate"` // share sent a second time later, with the same id
	Reorder   float64  `json:"reorder"`   // share sent at another position nearby
	Late      float64  `json:"late"`      // share sent after all others
	Tamper    float64  `json:"tamper"`    // share sent once more with another body and the old signature
	Seed      uint64   `json:"seed"`
	Retries   int      `json:"retries"`  // of calls that are not answered with 2xx
	PauseMS   int      `json:"pause_ms"` // before the first retry, doubled for each further one; default 200
}

// Sent is the result of a [Webhooks] request.
type Sent struct {
	Changes         []Changed   `json:"changes"`
	Sent            int         `json:"sent"` // calls in total, without retries
	Duplicated      int         `json:"duplicated"`
	Reordered       int         `json:"reordered"`
	Late            int         `json:"late"`
	Tampered        int         `json:"tampered"`
	Retried         int         `json:"retried"`
	Answers         map[int]int `json:"answers"`          // genuine calls by status; 0: no answer
	TamperedAnswers map[int]int `json:"tampered_answers"` // tampered calls by status
}

var ErrNoWebhook = errors.New("no webhook is registered for these topics")

// Webhooks makes changes and calls the registered webhooks for them, one after the other.
func (p *Host) Webhooks(ctx context.Context, ask Webhooks) (Sent, error) {
	s := p.Sides[ask.Platform]
	if s == nil || s.Hooks.Send == nil {
		return Sent{}, fmt.Errorf("%q calls no webhooks", ask.Platform)
	}
	registered := s.Hooks.List()
	topics := ask.Topics
	if len(topics) == 0 {
		topics = topicsOf(registered)
	}
	if !slices.ContainsFunc(registered, func(h Hook) bool { return slices.Contains(topics, h.Topic) }) {
		return Sent{}, ErrNoWebhook
	}
	result := Sent{
		Changes:         []Changed{},
		Answers:         map[int]int{},
		TamperedAnswers: map[int]int{},
	}
	genuine, forged, err := p.makeChanges(s, ask, topics, registered, &result)
	if err != nil {
		return Sent{}, err
	}
	m := NewMaker(ask.Seed, 77)
	for _, d := range result.arrange(m, ask, genuine, forged) {
		if ctx.Err() != nil {
			return result, ctx.Err()
		}
		p.deliver(ctx, s, d, ask, &result)
	}
	return result, nil
}

func topicsOf(registered []Hook) (topics []string) {
	for _, h := range registered {
		if !slices.Contains(topics, h.Topic) {
			topics = append(topics, h.Topic)
		}
	}
	return topics
}

// makeChanges makes the changes and the deliveries of each. The forged deliveries have the indexes of the genuine ones.
func (p *Host) makeChanges(s *Side, ask Webhooks, topics []string, registered []Hook, result *Sent) (genuine, forged []Delivery, err error) {
	add := func(changed Changed, at time.Time, body, tampered func(Hook) any) {
		result.Changes = append(result.Changes, changed)
		for _, h := range registered {
			if h.Topic != changed.Topic || h.Status != "" {
				continue
			}
			d := Delivery{
				Hook:  h,
				ID:    DeliveryID(),
				Topic: h.Topic,
				At:    at,
			}
			d.Body, _ = json.Marshal(body(h))
			d.Signed = d.Body
			f := d
			f.tampered = true
			f.Body, _ = json.Marshal(tampered(h))
			genuine, forged = append(genuine, d), append(forged, f)
		}
	}
	if s.Produce != nil {
		s.Produce(ask, add)
		return genuine, forged, nil
	}
	err = s.Shop.Change(ask.Count, ask.Seed, topics, p.Config.Now, func(changed Changed) {
		at := later(p.Config.Now(), s.Shop.updated(changed)) // not before the change's own time
		body, tampered := s.Event(changed, at)
		add(changed, at, func(h Hook) any { return h.only(body) }, func(Hook) any { return tampered })
	})
	return genuine, forged, err
}

// arrange puts the deliveries in the order in which they are sent.
func (r *Sent) arrange(m maker, ask Webhooks, genuine, forged []Delivery) []Delivery {
	type placed struct {
		Delivery
		at float64
	}
	var all []placed
	end := float64(len(genuine))
	for n, d := range genuine {
		at := float64(n)
		switch chance := m.Float64(); {
		case chance < ask.Late:
			at, r.Late = at+end, r.Late+1
		case chance < ask.Late+ask.Reorder:
			at, r.Reordered = at+m.Float64()*20-10, r.Reordered+1
		}
		all = append(all, placed{d, at})
		if m.Float64() < ask.Duplicate {
			all, r.Duplicated = append(all, placed{d, at + m.Float64()*10}), r.Duplicated+1
		}
		if m.Float64() < ask.Tamper { // before or after the genuine one
			all, r.Tampered = append(all, placed{forged[n], at + m.Float64()*4 - 2}), r.Tampered+1
		}
	}
	slices.SortStableFunc(all, func(a, b placed) int { return cmp.Compare(a.at, b.at) })
	list := make([]Delivery, len(all))
	for n, one := range all {
		list[n] = one.Delivery
	}
	return list
}

func (p *Host) deliver(ctx context.Context, s *Side, d Delivery, ask Webhooks, result *Sent) {
	result.Sent++
	status := p.Post(ctx, s, d)
	wait := time.Duration(max(1, ask.PauseMS)) * time.Millisecond
	if ask.PauseMS == 0 {
		wait = 200 * time.Millisecond
	}
	for try := 0; try < ask.Retries && !d.tampered && status/100 != 2; try++ {
		select {
		case <-time.After(wait):
		case <-ctx.Done():
			return
		}
		wait *= 2
		result.Retried++
		status = p.Post(ctx, s, d)
	}
	if d.tampered {
		result.TamperedAnswers[status]++
		return
	}
	result.Answers[status]++
}

// Post sends a delivery once and returns the status, or 0 if there is no answer.
func (p *Host) Post(ctx context.Context, s *Side, d Delivery) int {
	header, err := s.Hooks.Send(d.Hook, d)
	if err != nil {
		return 0
	}
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, d.Hook.URL, bytes.NewReader(d.Body))
	if err != nil {
		return 0
	}
	r.Header = header
	r.Header.Set("Content-Type", "application/json")
	response, err := p.Config.HTTP.Do(r)
	if err != nil {
		return 0
	}
	defer func() { _ = response.Body.Close() }()
	_, _ = io.Copy(io.Discard, io.LimitReader(response.Body, 64<<10))
	return response.StatusCode
}

// Lose stops a platform's webhooks without notifying their receiver.
type Lose struct {
	Platform string `json:"platform"`
	// How is one of: delete, as Shopify does after "8 consecutive failures" (shopify.dev, Troubleshooting webhooks, as
	// quoted on dev.to by webhookadmin.com, checked there on 2026-09-27) and as a merchant may do on any platform; widen,
	// Shopify: removes includeFields; pause and disable, WooCommerce: by the merchant, and after failures.
	How string `json:"how"`
}

// Lose changes all webhooks of a platform as l.How says and returns their number.
func (p *Host) Lose(l Lose) (int, error) {
	s := p.Sides[l.Platform]
	if s == nil {
		return 0, fmt.Errorf("%q calls no webhooks", l.Platform)
	}
	list := s.Hooks.List()
	for _, h := range list {
		switch l.How {
		case "delete":
			s.Hooks.Remove(h.Number)
			continue
		case "widen":
			h.Fields = nil
		case "pause":
			h.Status = "paused"
		case "disable":
			h.Status = "disabled"
		default:
			return 0, fmt.Errorf("webhooks are lost by delete, widen, pause or disable, not by %q", l.How)
		}
		s.Hooks.Replace(h)
	}
	return len(list), nil
}

// Hooks returns the registered webhooks by platform.
func (p *Host) Hooks() map[string]any {
	all := map[string]any{}
	for _, platform := range p.names {
		all[platform] = append([]Hook{}, p.Sides[platform].Hooks.List()...)
	}
	return all
}
