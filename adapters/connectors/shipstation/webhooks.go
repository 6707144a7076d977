package shipstation

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// shipNotify tells of labels that were bought.
const shipNotify = "SHIP_NOTIFY"

// mostPages of one call are read; ShipStation tells of what was bought together.
const mostPages = 25

// Register has ShipStation call an address. By API V1 its calls are signed with nothing. An address that it calls
// already is not registered a second time.
func (s *Connector) Register(ctx ports.Outbound, c ports.Connection, topic, address string) (remote, signing string, err error) {
	if speaksV2(c) {
		return s.modern.register(ctx, c, topic, address)
	}
	known, err := s.webhooks(ctx, c)
	if err != nil {
		return "", "", err
	}
	for _, one := range known {
		if one.Address == address && one.Topic == topic {
			return one.Remote, "", nil
		}
	}
	var made struct {
		ID    int64 `json:"id"`
		Other int64 `json:"WebHookID"` // as some of its documents call it
	}
	err = s.ask(ctx, c, request{path: "/webhooks/subscribe", body: map[string]any{
		"target_url": address, "event": topic, "store_id": nil, "friendly_name": "Haggle",
	}}, &made)
	if err == nil && max(made.ID, made.Other) <= 0 {
		err = s.platform.Failed("did not say which webhook it made", nil)
	}
	if err != nil {
		return "", "", err
	}
	return strconv.FormatInt(max(made.ID, made.Other), 10), "", nil
}

// Webhooks are those of the account.
func (s *Connector) Webhooks(ctx ports.Outbound, c ports.Connection) ([]ports.RemoteWebhook, error) {
	if speaksV2(c) {
		return s.modern.webhooks(ctx, c)
	}
	return s.webhooks(ctx, c)
}

func (s *Connector) webhooks(ctx context.Context, c ports.Connection) ([]ports.RemoteWebhook, error) {
	var known struct {
		List []struct {
			ID    int64  `json:"WebHookID"`
			Topic string `json:"HookType"`
			URL   string `json:"Url"`
		} `json:"webhooks"`
	}
	if _, err := s.missing(ctx, c, request{path: "/webhooks"}, &known); err != nil {
		return nil, err
	}
	list := make([]ports.RemoteWebhook, len(known.List))
	for n, one := range known.List {
		list[n] = ports.RemoteWebhook{
			Remote:  strconv.FormatInt(one.ID, 10),
			Topic:   one.Topic,
			Address: one.URL,
		}
	}
	return list, nil
}

// Unregister ends it.
func (s *Connector) Unregister(ctx ports.Outbound, c ports.Connection, remote string) error {
	if speaksV2(c) {
		return s.modern.unregister(ctx, c, remote)
	}
	_, err := s.missing(ctx, c, request{method: http.MethodDelete, path: "/webhooks/" + url.PathEscape(remote)}, nil)
	return err
}

// call is the body of a call: where to look.
type call struct {
	URL   string `json:"resource_url"`
	Topic string `json:"resource_type"`
}

// longestCall is more than a call has. Nobody signs it, and so nobody is to have more of it stored.
const longestCall = 8 << 10

var topicForm = regexp.MustCompile(`^[A-Z_]{1,60}$`)

func (c call) valid() bool {
	u, err := url.Parse(c.URL)
	return err == nil && u.Host != "" && len(c.URL) <= 2000 && topicForm.MatchString(c.Topic)
}

// SignatureHeader is empty: calls only name what to read.
func (*Connector) SignatureHeader() string { return "" }

// Verify checks the signature of a call by API V2. By API V1 it takes what looks like one, for none is signed. Whoever makes one up can have us
// read shipments of the merchant's own account, and nothing else: see News.
func (s *Connector) Verify(hook ports.Call, signing string) (ports.CallStamp, error) {
	switch signing {
	case signingV2:
		return s.modern.verify(hook)
	case "": // API V1
	default:
		return ports.CallStamp{}, errNotSigned
	}
	var c call
	if len(hook.Payload) > longestCall || json.Unmarshal(hook.Payload, &c) != nil || !c.valid() {
		return ports.CallStamp{}, errNotSigned
	}
	return ports.CallStamp{Topic: c.Topic}, nil
}

// News reads the shipments that a call names. Of its address only what is searched for is taken, and only if
// it is one of ShipStation's shipments: it is never connected to.
func (s *Connector) News(ctx ports.Outbound, c ports.Connection, topic string, _ time.Time, payload []byte) ([]syncrun.Record, error) {
	var told call
	err := json.Unmarshal(payload, &told)
	switch {
	case err != nil || !speaksV2(c) && !told.valid():
		return nil, s.platform.Refused("sent a call that cannot be read")
	case speaksV2(c) && topic == shipNotify && told.Topic == labelCreatedType:
		return s.modern.news(ctx, c, told)
	case speaksV2(c) || topic != shipNotify || told.Topic != shipNotify:
		return nil, nil
	}
	query, ok := s.search(told.URL)
	if !ok {
		return nil, s.platform.Refused("is not where a call led to")
	}
	var records []syncrun.Record
	for number := 1; number <= mostPages; number++ {
		found, err := s.page(ctx, c, query, number)
		if err != nil {
			return nil, err
		}
		records = append(records, s.records(found.List)...)
		if number >= found.Pages || len(found.List) == 0 {
			break
		}
	}
	return records, nil
}

// servers are the names of those that ShipStation's calls lead to, beside the one that is asked.
var servers = regexp.MustCompile(`^ssapi[0-9a-z-]*\.shipstation\.com$`)

// search is what an address of ShipStation's shipments searches for.
func (s *Connector) search(address string) (url.Values, bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != s.base.Scheme || u.User != nil {
		return nil, false
	}
	own := strings.EqualFold(u.Host, s.base.Host)
	sister := s.base.String() == DefaultURL && servers.MatchString(strings.ToLower(u.Host))
	if !own && !sister || strings.TrimRight(u.Path, "/") != s.base.Path+"/shipments" {
		return nil, false
	}
	query, err := url.ParseQuery(u.RawQuery)
	return query, err == nil
}
