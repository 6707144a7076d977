package custom

import (
	"crypto/rand"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	standardwebhooks "github.com/standard-webhooks/standard-webhooks/libraries/go"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

// tolerance is how far the time of a signature may be from ours.
const tolerance = 5 * time.Minute

// Register registers a webhook with a new secret. If the system already has the webhook, it replaces the secret.
func (s *Connector) Register(ctx ports.Outbound, c ports.Connection, topic, address string) (remote, signing string, err error) {
	var secret [32]byte
	rand.Read(secret[:]) // never fails: it ends the program instead (crypto/rand, since Go 1.24)
	signing = "whsec_" + base64.StdEncoding.EncodeToString(secret[:])
	r := request(c, "/webhooks")
	r.JSON = map[string]string{"topic": topic, "url": address, "secret": signing}
	var answer map[string]json.RawMessage
	if err := s.platform.Ask(ctx, r, &answer); err != nil {
		return "", "", err
	}
	if remote = fieldsOf(answer).id("id"); remote == "" {
		return "", "", s.platform.Failed("has registered the webhook and does not say as what: its answer has no id", nil)
	}
	return remote, signing, nil
}

// Unregister removes a webhook. A webhook that is not there is no error.
func (s *Connector) Unregister(ctx ports.Outbound, c ports.Connection, remote string) error {
	r := request(c, "/webhooks/"+url.PathEscape(remote))
	r.Method = http.MethodDelete
	answer, err := s.platform.Send(ctx, r)
	if err != nil || answer.Status == http.StatusNotFound || answer.Status == http.StatusGone {
		return err
	}
	return s.platform.Judge(answer)
}

const signatureHeader = "webhook-signature"

// SignatureHeader returns the name of the header that has a call's signature.
func (*Connector) SignatureHeader() string { return signatureHeader }

var errSignature = fault.New(fault.Unauthenticated, "invalid_signature", "The signature is missing, wrong or too old.")

// Verify checks a call's signature as in Standard Webhooks. It checks the timestamp itself, because the library
// uses the machine's clock.
func (s *Connector) Verify(call ports.Call, signing string) (ports.CallStamp, error) {
	key, err := standardwebhooks.NewWebhook(signing)
	if err != nil || strings.TrimPrefix(signing, "whsec_") == "" {
		return ports.CallStamp{}, errSignature
	}
	header := http.Header{}
	for _, name := range []string{
		standardwebhooks.HeaderWebhookID, standardwebhooks.HeaderWebhookTimestamp, standardwebhooks.HeaderWebhookSignature,
	} {
		header.Set(name, call.Header(name))
	}
	sent, err := strconv.ParseInt(header.Get(standardwebhooks.HeaderWebhookTimestamp), 10, 64)
	off := call.Now.Sub(time.Unix(sent, 0)).Abs()
	delivery := header.Get(standardwebhooks.HeaderWebhookID)
	if err != nil || off > tolerance || utf8.RuneCountInString(delivery) > longestID || key.VerifyIgnoringTimestamp(call.Payload, header) != nil {
		return ports.CallStamp{}, errSignature
	}
	stamp := ports.CallStamp{Delivery: delivery}
	if t, err := parseCall(call.Payload); err == nil {
		stamp.Topic, stamp.At = t.topic, t.at
	}
	return stamp, nil
}

// callBody is the body of a call.
type callBody struct {
	topic       string
	at          time.Time
	wholeSecond bool // at has a precision of one second
	data        json.RawMessage
}

var errUnreadable = &ports.PlatformRefusal{Reason: `Your system sent a call that cannot be read: it must be {"type", "timestamp", "data"}.`}

func parseCall(payload []byte) (callBody, error) {
	var values map[string]json.RawMessage
	if err := json.Unmarshal(payload, &values); err != nil {
		return callBody{}, errUnreadable
	}
	f := fieldsOf(values)
	t := callBody{
		topic:       f.text("type"),
		at:          f.moment("timestamp"),
		wholeSecond: f.wholeSecond("timestamp"),
		data:        f.raw("data"),
	}
	if f.problem() != "" || t.data == nil {
		return callBody{}, errUnreadable
	}
	return t, nil
}

// News reads the record in a call.
func (s *Connector) News(_ ports.Outbound, _ ports.Connection, topic string, at time.Time, payload []byte) ([]syncrun.Record, error) {
	t, err := parseCall(payload)
	if err != nil {
		return nil, err
	}
	thing, happened, _ := strings.Cut(topic, "/")
	if thing == "inventory_levels" {
		thing = syncrun.Inventory.String()
	}
	of, known := syncrun.ParseResource(thing)
	if !known {
		return nil, s.platform.Refused("sent a call with a topic that is not known: " + topic)
	}
	if at.IsZero() {
		at = t.at
	}
	if happened == "delete" {
		return []syncrun.Record{deletion(of, t.data, instant{at, t.wholeSecond})}, nil
	}
	return []syncrun.Record{record(of, t.data, instant{at, t.wholeSecond})}, nil
}

// deletion returns a deleted record. It reads the id only, because updated_at is not the time of the deletion.
func deletion(of syncrun.Resource, raw json.RawMessage, happened instant) syncrun.Record {
	var values map[string]json.RawMessage
	_ = json.Unmarshal(raw, &values) // a value that is no object has no id either
	r := syncrun.Record{
		Resource:    of,
		Remote:      fieldsOf(values).id("id"),
		At:          happened.at,
		WholeSecond: happened.wholeSecond,
		Deleted:     true,
	}
	if r.Remote == "" {
		return syncrun.Record{
			Resource: of,
			At:       happened.at,
			Problem:  "It cannot be read: id is required.",
		}
	}
	return r
}
