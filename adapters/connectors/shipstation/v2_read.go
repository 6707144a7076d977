package shipstation

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// pageSizeV2 is the number of labels on a page. The maximum is not documented.
const pageSizeV2 = 100

// voidable is longer than the time in which carriers accept voids. The search for voided labels goes back this far,
// because API V2 cannot search by the time of a void.
const voidable = 60 * 24 * time.Hour

type labelsV2 struct {
	List  []json.RawMessage `json:"labels"`
	Total int               `json:"total"`
	Pages int               `json:"pages"`
}

func (m *clientV2) page(ctx context.Context, c ports.Connection, query url.Values, number int) (labelsV2, error) {
	query.Set("page", strconv.Itoa(number))
	query.Set("page_size", strconv.Itoa(pageSizeV2))
	query.Set("sort_by", "created_at")
	query.Set("sort_dir", "asc")
	var found labelsV2
	err := m.ask(ctx, c, request{path: "/v2/labels", query: query}, &found)
	if err == nil && found.List == nil {
		err = m.platform.Failed("sent a page without labels", nil)
	}
	return found, err
}

func (m *clientV2) phase(ctx context.Context, c ports.Connection, since time.Time, phase string, number int) (ports.RecordPage, error) {
	query := url.Values{}
	switch {
	case phase == voided:
		query.Set("label_status", "voided")
		query.Set("created_at_start", since.Add(-voidable).UTC().Format(time.RFC3339))
	case !since.IsZero():
		query.Set("created_at_start", since.UTC().Format(time.RFC3339))
	}
	found, err := m.page(ctx, c, query, number)
	if err != nil {
		return ports.RecordPage{}, err
	}
	page := ports.RecordPage{Records: connectors.Records(found.List, recordV2), Total: total(found.Total, phase, since)}
	if phase == voided {
		page.Records = slices.DeleteFunc(page.Records, func(r syncrun.Record) bool { return r.Problem == "" && r.At.Before(since) })
	}
	if number < found.Pages && len(found.List) > 0 {
		page.Next = phase + ":" + strconv.Itoa(number+1)
	}
	return page, nil
}

// recordV2 converts a label to an order record.
func recordV2(raw json.RawMessage) syncrun.Record {
	var one labelV2
	r := syncrun.Record{Resource: syncrun.Orders}
	err := json.Unmarshal(raw, &one)
	r.Remote = one.ID
	at := connectors.Moment(one.CreatedAt)
	switch {
	case err != nil || r.Remote == "":
		r.Problem = "The label cannot be read."
		return r
	case at.IsZero():
		r.Problem = "The label does not say when it was created."
		return r
	}
	isVoided := one.isVoided()
	o := &syncrun.Order{Number: one.Number, Status: "shipped"}
	if o.Number == "" {
		o.Number = one.OrderNumber
	}
	if _, err := id.Parse[id.Order](one.Key); err == nil && !one.IsReturn && one.Status != "error" {
		o.Reference = one.Key
		o.Shipment = &syncrun.Shipment{
			Carrier:   one.Carrier,
			Number:    one.TrackingNumber,
			ShippedAt: later(at, connectors.Moment(one.ShipDate)),
			Voided:    isVoided,
		}
	}
	r.At, r.Order = at, o
	switch {
	case isVoided:
		o.Status, r.At = "voided", later(at, connectors.Moment(one.VoidedAt))
	case one.IsReturn:
		o.Status = "return"
	}
	return r
}

// labelCreated is the event of a purchase of labels, and labelCreatedType is the type in its calls.
const (
	labelCreated     = "label_created_v2"
	labelCreatedType = "LABEL_CREATED_V2"
)

// signingV2 is stored as the signing secret of webhooks of API V2, whose calls are signed with a private key of ShipStation.
const signingV2 = "rsa-sha256"

type hookV2 struct {
	ID    string `json:"webhook_id"`
	Event string `json:"event"`
	URL   string `json:"url"`
}

// register registers a webhook. The topic SHIP_NOTIFY of API V1 is the event labelCreated in API V2.
func (m *clientV2) register(ctx context.Context, c ports.Connection, topic, address string) (remote, signing string, err error) {
	known, err := m.webhooks(ctx, c)
	if err != nil {
		return "", "", err
	}
	for _, one := range known {
		if one.Address == address && one.Topic == topic {
			return one.Remote, signingV2, nil
		}
	}
	event := strings.ToLower(topic)
	if topic == shipNotify {
		event = labelCreated
	}
	var made hookV2
	err = m.ask(ctx, c, request{path: hooksV2, body: map[string]any{"url": address, "event": event, "name": "Haggle"}}, &made)
	if err == nil && made.ID == "" {
		err = m.platform.Failed("did not say which webhook it made", nil)
	}
	if err != nil {
		return "", "", err
	}
	return made.ID, signingV2, nil
}

const hooksV2 = "/v2/environment/webhooks"

// webhooks returns the webhooks of the account.
func (m *clientV2) webhooks(ctx context.Context, c ports.Connection) ([]ports.RemoteWebhook, error) {
	var known []hookV2
	if _, err := m.askOptional(ctx, c, request{path: hooksV2}, &known); err != nil {
		return nil, err
	}
	list := make([]ports.RemoteWebhook, len(known))
	for n, one := range known {
		topic := strings.ToUpper(one.Event)
		if one.Event == labelCreated {
			topic = shipNotify
		}
		list[n] = ports.RemoteWebhook{
			Remote:  one.ID,
			Topic:   topic,
			Address: one.URL,
		}
	}
	return list, nil
}

func (m *clientV2) unregister(ctx context.Context, c ports.Connection, remote string) error {
	_, err := m.askOptional(ctx, c, request{method: http.MethodDelete, path: hooksV2 + "/" + url.PathEscape(remote)}, nil)
	return err
}

// verify checks the signature of a call and that its time is within the tolerance.
func (m *clientV2) verify(hook ports.Call) (ports.CallStamp, error) {
	if err := m.keys.verify(hook); err != nil {
		return ports.CallStamp{}, err
	}
	var c call
	if json.Unmarshal(hook.Payload, &c) != nil {
		return ports.CallStamp{}, errNotSigned
	}
	if c.Topic == labelCreatedType {
		c.Topic = shipNotify
	}
	return ports.CallStamp{Topic: c.Topic}, nil
}

// errNotSigned is the error for a call that ShipStation did not sign.
var errNotSigned = fault.New(fault.Unauthenticated, "invalid_signature", "This is no call of ShipStation's.")

var labelID = regexp.MustCompile(`^se-[0-9]{1,20}$`)

// news reads the labels that a call names, with a search or by id. It never connects to the address in the call.
func (m *clientV2) news(ctx context.Context, c ports.Connection, notice call) ([]syncrun.Record, error) {
	path, query, ok := m.search(notice.URL)
	if !ok {
		return nil, m.platform.Refused("is not where a call led to")
	}
	if name := strings.TrimPrefix(path, "/v2/labels/"); name != path {
		if !labelID.MatchString(name) {
			return nil, m.platform.Refused("is not where a call led to")
		}
		var one json.RawMessage
		if err := m.ask(ctx, c, request{path: path}, &one); err != nil {
			return nil, err
		}
		return connectors.Records([]json.RawMessage{one}, recordV2), nil
	}
	var records []syncrun.Record
	for number := 1; number <= maxPages; number++ {
		found, err := m.page(ctx, c, query, number)
		if err != nil {
			return nil, err
		}
		records = append(records, connectors.Records(found.List, recordV2)...)
		if number >= found.Pages || len(found.List) == 0 {
			break
		}
	}
	return records, nil
}

// search returns the path and query of an address of ShipStation's labels.
func (m *clientV2) search(address string) (path string, query url.Values, ok bool) {
	u, err := url.Parse(address)
	if err != nil || u.Scheme != m.base.Scheme || u.User != nil {
		return "", nil, false
	}
	sister := m.base.String() == DefaultURLV2 && strings.EqualFold(u.Host, "api.shipengine.com")
	path, own := strings.CutPrefix(strings.TrimRight(u.Path, "/"), m.base.Path)
	query, err = url.ParseQuery(u.RawQuery)
	labels := path == "/v2/labels" || strings.HasPrefix(path, "/v2/labels/")
	return path, query, err == nil && own && labels && (strings.EqualFold(u.Host, m.base.Host) || sister)
}
