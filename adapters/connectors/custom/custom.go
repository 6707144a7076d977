package custom

import (
	"encoding/json"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	pageSize      = 250
	longestPage   = 500  // records
	longestCursor = 2000 // characters
	longestID     = 200
	mostRecords   = 1_000_000_000
)

// Config holds the dependencies of a Connector.
type Config struct {
	Client *http.Client // for addresses that merchants enter; nil: http.DefaultClient
	Clock  ports.Clock
}

// Connector connects merchants' own systems.
type Connector struct{ platform *connectors.Platform }

var (
	_ ports.Connector       = (*Connector)(nil)
	_ ports.CalledConnector = (*Connector)(nil)
)

// New returns a connector for any such system. The connection says which one.
func New(c Config) *Connector {
	return &Connector{connectors.New("Your system", c.Client, c.Clock)}
}

func request(c ports.Connection, path string) connectors.Request {
	return connectors.Request{
		URL:    strings.TrimRight(c.BaseURL, "/") + path,
		Header: map[string]string{"Authorization": "Bearer " + c.Credentials.Key},
	}
}

// Inspect reads whose system it is.
func (s *Connector) Inspect(ctx ports.Outbound, c ports.Connection) (integration.Config, error) {
	var answer map[string]json.RawMessage
	if err := s.platform.Ask(ctx, request(c, "/account"), &answer); err != nil {
		return integration.Config{}, err
	}
	f := fieldsOf(answer)
	account := integration.Config{
		Account:        f.id("id"),
		BaseURL:        c.BaseURL,
		Currency:       f.currency("currency"),
		MayWriteOrders: f.boolean("writes_orders"),
	}
	if account.Account == "" {
		return integration.Config{}, s.platform.Failed("does not say whose account it is: /account has no id", nil)
	}
	return account, nil
}

// page is the body of a system's answer. Nil Data is an error: if it counted as a page without records, a
// full sync would remove everything.
type page struct {
	Data  []json.RawMessage `json:"data"`
	Next  *string           `json:"next_cursor"`
	Total json.RawMessage   `json:"total"`
}

// Read reads one page.
func (s *Connector) Read(ctx ports.Outbound, c ports.Connection, r ports.PageRequest) (ports.RecordPage, error) {
	query := url.Values{"limit": {strconv.Itoa(pageSize)}}
	if !r.Full && !r.Since.IsZero() {
		query.Set("updated_since", r.Since.UTC().Format("2006-01-02T15:04:05.000Z07:00"))
	}
	if r.Cursor != "" {
		query.Set("cursor", r.Cursor)
	}
	var answer page
	if err := s.platform.Ask(ctx, request(c, "/"+r.Resource.String()+"?"+query.Encode()), &answer); err != nil {
		return ports.RecordPage{}, err
	}
	if err := s.check(answer, r.Resource); err != nil {
		return ports.RecordPage{}, err
	}
	all := ports.RecordPage{Records: connectors.Records(answer.Data, func(raw json.RawMessage) syncrun.Record {
		return record(r.Resource, raw, instant{})
	})}
	if answer.Next != nil {
		all.Next = *answer.Next
	}
	if json.Unmarshal(answer.Total, &all.Total.Count) != nil || all.Total.Count > mostRecords {
		all.Total.Count = 0 // the total is for display only, so an unreadable one is ignored
	}
	return all, nil
}

func (s *Connector) check(p page, r syncrun.Resource) error {
	switch {
	case p.Data == nil:
		return s.platform.Failed("sent a page of "+r.String()+" that has no data", nil)
	case len(p.Data) > longestPage:
		return s.platform.Failed(fmt.Sprintf("sent %d %s on one page: %d were asked for", len(p.Data), r, pageSize), nil)
	case p.Next != nil && utf8.RuneCountInString(*p.Next) > longestCursor:
		return s.platform.Failed(fmt.Sprintf("sent a next_cursor of more than %d characters", longestCursor), nil)
	}
	return nil
}
