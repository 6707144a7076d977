package main

import (
	"bytes"
	"cmp"
	"context"
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"path"
	"slices"
	"strconv"
	"time"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/haggle-commerce/haggle/cmd/version"
	"github.com/haggle-commerce/haggle/domain/event"
)

type listenCmd struct {
	atServer
	ForwardTo string   `placeholder:"URL" help:"URL to send each event to by POST, in the format of webhook deliveries."`
	Events    []string `placeholder:"TYPE,…" help:"Types of events, such as order.completed, or a pattern such as order.*. Default: all."`
	Secret    string   `placeholder:"SECRET" help:"Secret, whsec_…, that signs forwarded events. Default: a new secret, which the command prints."`
	JSON      bool     `name:"json" help:"Print each event as one line of JSON."`
}

func (listenCmd) Help() string {
	return `The command polls GET /v1/events and creates nothing on the server. The API key needs the scope events:read. The command shows only
events that occur after it is ready. Stop it with Ctrl-C.

With --forward-to, the command sends events one at a time with the body of webhook deliveries, and signs them as Standard Webhooks
requires (headers webhook-id, webhook-timestamp, webhook-signature). It retries an event until the URL responds with any status.`
}

const (
	// pollEvery is the time between two polls of the event log.
	pollEvery = time.Second
	// overlap is how far each poll reads back before the previous one. An event's time is when its transaction wrote it, but
	// the event is visible only once the transaction commits, seconds later at most, and clocks may differ by a minute.
	overlap = 2 * time.Minute
	// forwardTime is the timeout of the local program's response.
	forwardTime = 30 * time.Second
)

// loggedEvent is an event of the log.
type loggedEvent struct {
	ID   string    `json:"id"`
	Type string    `json:"type"`
	At   time.Time `json:"created_at"`
	body json.RawMessage
}

func (l listenCmd) Run(ctx context.Context) error {
	f, err := l.forwarder()
	if err != nil {
		return fmt.Errorf("%w%w", err, errUsage)
	}
	events := &eventLog{server: l.atServer, seen: map[string]time.Time{}}
	if _, err := events.news(ctx); err != nil {
		return l.ended(ctx, err)
	}
	if l.ForwardTo != "" {
		fmt.Fprintf(os.Stderr, "Ready. Forwarding events to %s. Signing secret:\n%s\n", l.ForwardTo, f.secret)
	} else {
		fmt.Fprintln(os.Stderr, "Ready.")
	}
	for {
		select {
		case <-ctx.Done():
			return nil
		case <-time.After(pollEvery):
		}
		list, err := events.news(ctx)
		var no refusedRequest
		if errors.As(err, &no) && no.status < http.StatusInternalServerError && no.status != http.StatusTooManyRequests {
			return l.ended(ctx, err)
		}
		if err != nil && ctx.Err() == nil { // the next poll begins where this one did
			fmt.Fprintln(os.Stderr, oneLine(err.Error())+"; retrying")
			wait(ctx, no)
			continue
		}
		for _, e := range list {
			if err := f.handle(ctx, e); err != nil {
				return l.ended(ctx, err)
			}
		}
	}
}

// ended returns the command's error, or nil if the user stopped it.
func (l listenCmd) ended(ctx context.Context, err error) error {
	var no refusedRequest
	switch {
	case ctx.Err() != nil:
		return nil
	case errors.As(err, &no) && no.status == http.StatusForbidden:
		return fmt.Errorf("%w. The API key needs the scope events:read for the project", err)
	}
	return err
}

// wait waits as long as the server's Retry-After says.
func wait(ctx context.Context, no refusedRequest) {
	seconds := 0
	if no.header != nil {
		seconds, _ = strconv.Atoi(no.header.Get("Retry-After"))
	}
	select {
	case <-ctx.Done():
	case <-time.After(time.Duration(min(seconds, 60)) * time.Second):
	}
}

// eventLog polls the project's event log.
type eventLog struct {
	server atServer
	until  time.Time            // the server's time of the last complete poll
	seen   map[string]time.Time // events since until minus overlap
}

// news returns the events since the last poll, oldest first. The first poll returns none and records the old ones.
func (l *eventLog) news(ctx context.Context) ([]loggedEvent, error) {
	var now time.Time
	var fresh []loggedEvent
	first := l.until.IsZero()
	for offset, more := 0, true; more; offset += atOnce {
		page, at, err := l.page(ctx, offset)
		if err != nil {
			return nil, err
		}
		if now.IsZero() {
			now = at
		}
		since := cmp.Or(l.until, now).Add(-overlap)
		more = len(page) == atOnce
		for _, e := range page {
			_, known := l.seen[e.ID]
			switch {
			case e.At.Before(since):
				more = false
			case !known:
				l.seen[e.ID] = e.At
				fresh = append(fresh, e)
			}
		}
	}
	l.until = now
	for name, at := range l.seen {
		if at.Before(now.Add(-2 * overlap)) {
			delete(l.seen, name)
		}
	}
	if first {
		return nil, nil
	}
	slices.SortStableFunc(fresh, func(a, b loggedEvent) int { return cmp.Or(a.At.Compare(b.At), cmp.Compare(a.ID, b.ID)) })
	return fresh, nil
}

// page returns a page of the log, newest first, and the server's time.
func (l *eventLog) page(ctx context.Context, offset int) (page []loggedEvent, now time.Time, err error) {
	header := http.Header{}
	if l.server.Project != "" {
		header.Set("X-Project-ID", l.server.Project)
	}
	query := url.Values{"limit": {strconv.Itoa(atOnce)}, "offset": {strconv.Itoa(offset)}}
	response, text, err := l.server.call(ctx, http.MethodGet, "/v1/events?"+query.Encode(), header, nil)
	if err != nil {
		return nil, now, err
	}
	if now, err = http.ParseTime(response.Header.Get("Date")); err != nil {
		return nil, now, fmt.Errorf("the response of %s has no valid Date header: %w", l.server.address(), err)
	}
	var list struct{ Data []json.RawMessage }
	if err := json.Unmarshal(text, &list); err != nil {
		return nil, now, fmt.Errorf("the response of %s is not from a Haggle server: %w", l.server.address(), err)
	}
	for _, body := range list.Data {
		e := loggedEvent{body: body}
		if err := json.Unmarshal(body, &e); err != nil {
			return nil, now, fmt.Errorf("the response of %s is not from a Haggle server: %w", l.server.address(), err)
		}
		page = append(page, e)
	}
	return page, now, nil
}

// forwarder prints events and posts them to a local program.
type forwarder struct {
	to      string
	secret  string
	key     *standardwebhooks.Webhook
	types   []string
	json    bool
	client  *http.Client
	out     io.Writer
	problem io.Writer
}

func (l listenCmd) forwarder() (*forwarder, error) {
	f := &forwarder{
		to:      l.ForwardTo,
		secret:  l.Secret,
		types:   l.Events,
		json:    l.JSON,
		client:  &http.Client{Timeout: forwardTime},
		out:     os.Stdout,
		problem: os.Stderr,
	}
	for _, pattern := range l.Events {
		if !slices.ContainsFunc(event.Types, func(t event.Type) bool { return matches(pattern, t.String()) }) {
			return nil, fmt.Errorf("--events: %q must be %s, or a pattern such as order.*", pattern, event.KnownTypes())
		}
	}
	if u, err := url.Parse(l.ForwardTo); l.ForwardTo != "" && (err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https") {
		return nil, fmt.Errorf("--forward-to is %q: it must be an http or https URL", l.ForwardTo)
	}
	if f.secret == "" {
		bits := make([]byte, 32)
		rand.Read(bits)
		f.secret = "whsec_" + base64.StdEncoding.EncodeToString(bits)
	}
	var err error
	if f.key, err = standardwebhooks.NewWebhook(f.secret); err != nil {
		return nil, errors.New("--secret must be whsec_ followed by base64")
	}
	return f, nil
}

func matches(pattern, of string) bool {
	found, err := path.Match(pattern, of)
	return err == nil && found
}

// handle prints an event and posts it. It returns an error once ctx ends, or where standard output cannot be written.
func (f *forwarder) handle(ctx context.Context, e loggedEvent) error {
	if len(f.types) > 0 && !slices.ContainsFunc(f.types, func(p string) bool { return matches(p, e.Type) }) {
		return nil
	}
	var body bytes.Buffer
	if err := json.Compact(&body, e.body); err != nil {
		return err
	}
	line := fmt.Sprintf("%s  %-20s %s", e.At.UTC().Format(time.RFC3339), e.Type, e.ID)
	if f.json {
		line = body.String()
	}
	if _, err := fmt.Fprintln(f.out, line); err != nil || f.to == "" {
		return err
	}
	for tries := 1; ; tries++ {
		status, err := f.post(ctx, e.ID, body.Bytes())
		if err == nil {
			fmt.Fprintf(f.problem, "  %s responded with %s\n", f.to, status)
			return nil
		}
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if tries == 1 {
			fmt.Fprintf(f.problem, "  %s does not respond (%v); retrying every second\n", f.to, err)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(pollEvery):
		}
	}
}

func (f *forwarder) post(ctx context.Context, name string, body []byte) (status string, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, f.to, bytes.NewReader(body))
	if err != nil {
		return "", err
	}
	now := time.Now()
	signature, err := f.key.Sign(name, now, body)
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("User-Agent", "Haggle/"+version.Number)
	request.Header.Set(standardwebhooks.HeaderWebhookID, name)
	request.Header.Set(standardwebhooks.HeaderWebhookTimestamp, strconv.FormatInt(now.Unix(), 10))
	request.Header.Set(standardwebhooks.HeaderWebhookSignature, signature)
	answer, err := f.client.Do(request)
	if err != nil {
		var failed *url.Error
		if errors.As(err, &failed) {
			err = failed.Err
		}
		return "", err
	}
	defer answer.Body.Close()
	_, _ = io.Copy(io.Discard, io.LimitReader(answer.Body, 1<<20)) // only the status counts
	return answer.Status, nil
}
