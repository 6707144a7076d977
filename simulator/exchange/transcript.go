package exchange

import (
	"fmt"
	"io"
	"regexp"
	"strings"
	"sync"
	"time"
)

const (
	defaultEntries = 200
	keptBody       = 4096
)

// Entry is one request and its response, without secrets.
type Entry struct {
	Method, Path, Request string
	Status                int
	RequestID, Response   string
	Elapsed               time.Duration
	Failure               string // transport error, instead of a response
}

// Transcript keeps the latest part of a conversation. It is safe for concurrent use.
type Transcript struct {
	mu      sync.Mutex
	limit   int
	dropped int
	entries []Entry
}

// NewTranscript returns a transcript of the newest limit entries; 0 means 200.
func NewTranscript(limit int) *Transcript {
	if limit <= 0 {
		limit = defaultEntries
	}
	return &Transcript{limit: limit}
}

func (t *Transcript) add(request Request, response Response, failure error) {
	entry := Entry{
		Method:    request.Method,
		Path:      request.Path,
		Request:   clip(request.Body),
		Status:    response.Status,
		RequestID: response.RequestID,
		Response:  clip(response.Body),
		Elapsed:   response.Elapsed,
	}
	if failure != nil {
		entry.Failure = failure.Error()
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if len(t.entries) >= t.limit {
		t.entries = append(t.entries[:0], t.entries[1:]...)
		t.dropped++
	}
	t.entries = append(t.entries, entry)
}

func clip(body []byte) string {
	if len(body) <= keptBody {
		return string(body)
	}
	return fmt.Sprintf("%s… (%d bytes)", body[:keptBody], len(body))
}

// Entries returns the conversation, oldest first, without secrets.
func (t *Transcript) Entries() []Entry {
	t.mu.Lock()
	entries := append([]Entry(nil), t.entries...)
	t.mu.Unlock()
	for i := range entries {
		entries[i].Request, entries[i].Response = redact(entries[i].Request), redact(entries[i].Response)
	}
	return entries
}

// Last returns the newest entries, at most n of them.
func (t *Transcript) Last(n int) []Entry {
	entries := t.Entries()
	return entries[max(0, len(entries)-n):]
}

// Print writes entries as a conversation.
func Print(w io.Writer, entries []Entry) error {
	for _, e := range entries {
		answer := fmt.Sprintf("%d %s", e.Status, strings.TrimSpace(e.Response))
		if e.Failure != "" {
			answer = "no answer: " + e.Failure
		}
		_, err := fmt.Fprintf(w, "> %s %s %s\n< %s (%s, request %s)\n",
			e.Method, e.Path, e.Request, answer, e.Elapsed.Round(10*time.Microsecond), e.RequestID)
		if err != nil {
			return err
		}
	}
	return nil
}

// String returns the whole conversation.
func (t *Transcript) String() string {
	var text strings.Builder
	t.mu.Lock()
	dropped := t.dropped
	t.mu.Unlock()
	if dropped > 0 {
		fmt.Fprintf(&text, "(%d earlier exchanges left out)\n", dropped)
	}
	_ = Print(&text, t.Entries())
	return text.String()
}

var (
	secretFields = regexp.MustCompile(`("(?i:token|api_key|api_secret|secret)"\s*:\s*")(?:[^"\\]|\\.)*`)
	secretValues = regexp.MustCompile(`\b(?:hk_(?:test|live)|spt|ba|whsec)_[A-Za-z0-9_\-]+`)
)

// redact removes payment tokens, keys and secrets from a body, even if it is malformed.
func redact(body string) string {
	return secretValues.ReplaceAllString(secretFields.ReplaceAllString(body, "${1}[redacted]"), "[redacted]")
}
