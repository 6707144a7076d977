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

// shipNotify is the topic of a purchase of labels.
const shipNotify = "SHIP_NOTIFY"

// maxPages limits the pages that News reads for one call, which may name several labels that were bought together.
const maxPages = 25

// Register registers a webhook. Calls of API V1 have no signature. It does not register an address twice for a topic.
func (s *Connector) Register(ctx ports.Outbound, c ports.Connection, topic, address string) (remote, signing string, err error) {
	if usesV2(c) {
		return s.clientV2.register(ctx, c, topic, address)
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
		Other int64 `json:"WebHookID"` // the name in some of ShipStation's documents
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

// Webhooks returns the webhooks of the account.
func (s *Connector) Webhooks(ctx ports.Outbound, c ports.Connection) ([]ports.RemoteWebhook, error) {
	if usesV2(c) {
		return s.clientV2.webhooks(ctx, c)
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
	if _, err := s.askOptional(ctx, c, request{path: "/webhooks"}, &known); err != nil {
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

// Unregister removes a webhook. A webhook that is not there is no error.
func (s *Connector) Unregister(ctx ports.Outbound, c ports.Connection, remote string) error {
	if usesV2(c) {
		return s.clientV2.unregister(ctx, c, remote)
	}
	_, err := s.askOptional(ctx, c, request{method: http.MethodDelete, path: "/webhooks/" + url.PathEscape(remote)}, nil)
	return err
}

// call is the body of a call: the address of the shipments.
type call struct {
	URL   string `json:"resource_url"`
	Topic string `json:"resource_type"`
}

// maxCallSize is more than the size of a call in bytes. It limits the storage for calls, which are unsigned.
const maxCallSize = 8 << 10

var topicForm = regexp.MustCompile(`^[A-Z_]{1,60}$`)

func (c call) valid() bool {
	u, err := url.Parse(c.URL)
	return err == nil && u.Host != "" && len(c.URL) <= 2000 && topicForm.MatchString(c.Topic)
}

// SignatureHeader returns "", because calls are small: they only name what to read.
func (*Connector) SignatureHeader() string { return "" }

// Verify checks the signature of a call of API V2. It accepts every well-formed call of API V1, because those are unsigned. A forged
// call can only cause News to read shipments of the merchant's own account.
func (s *Connector) Verify(hook ports.Call, signing string) (ports.CallStamp, error) {
	switch signing {
	case signingV2:
		return s.clientV2.verify(hook)
	case "": // API V1
	default:
		return ports.CallStamp{}, errNotSigned
	}
	var c call
	if len(hook.Payload) > maxCallSize || json.Unmarshal(hook.Payload, &c) != nil || !c.valid() {
		return ports.CallStamp{}, errNotSigned
	}
	return ports.CallStamp{Topic: c.Topic}, nil
}

// News reads the shipments that a call names. It uses only the query of the address in the call, and only if it
// is an address of ShipStation's shipments. It never connects to that address.
func (s *Connector) News(ctx ports.Outbound, c ports.Connection, topic string, _ time.Time, payload []byte) ([]syncrun.Record, error) {
	var notice call
	err := json.Unmarshal(payload, &notice)
	switch {
	case err != nil || !usesV2(c) && !notice.valid():
		return nil, s.platform.Refused("sent a call that cannot be read")
	case usesV2(c) && topic == shipNotify && notice.Topic == labelCreatedType:
		return s.clientV2.news(ctx, c, notice)
	case usesV2(c) || topic != shipNotify || notice.Topic != shipNotify:
		return nil, nil
	}
	query, ok := s.search(notice.URL)
	if !ok {
		return nil, s.platform.Refused("is not where a call led to")
	}
	var records []syncrun.Record
	for number := 1; number <= maxPages; number++ {
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

// servers matches the other hosts that ShipStation's calls may name.
var servers = regexp.MustCompile(`^ssapi[0-9a-z-]*\.shipstation\.com$`)

// search returns the query of an address of ShipStation's shipments.
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
