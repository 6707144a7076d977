package woocommerce

import (
	"context"
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/syncrun"
	"github.com/haggle-commerce/haggle/ports"
)

type hook struct {
	ID     loose `json:"id"`
	Topic  loose `json:"topic"`
	URL    loose `json:"delivery_url"`
	Status loose `json:"status"`
}

// maxHookPages limits the pages of webhooks that are read.
const maxHookPages = 10

// Register registers a webhook with a new secret. If the webhook exists, it gets that secret. WooCommerce pings the address
// at once, without a signature. Verify refuses that call, which has no effect on the webhook.
func (s *Connector) Register(ctx ports.Outbound, c ports.Connection, topic, address string) (remote, signing string, err error) {
	signing = rand.Text()
	wanted := map[string]string{"name": "Haggle", "topic": topic, "delivery_url": address, "secret": signing, "status": "active"}
	there, err := s.registered(ctx, c, topic, address)
	if err != nil {
		return "", "", err
	}
	r := request(c, "/webhooks", nil)
	if there != "" {
		r = request(c, "/webhooks/"+url.PathEscape(there), nil)
		r.Method = http.MethodPut
	}
	r.JSON = wanted
	var made hook
	err = s.forAccount(c).Ask(ctx, r, &made)
	if err == nil && made.ID == "" {
		err = s.platform.Failed("did not say which webhook it made", nil)
	}
	if err != nil {
		return "", "", err
	}
	return made.ID.String(), signing, nil
}

// registered returns the id of the webhook with a topic and an address, or "" if there is none.
func (s *Connector) registered(ctx context.Context, c ports.Connection, topic, address string) (string, error) {
	list, err := s.webhooks(ctx, c)
	for _, one := range list {
		if one.Address == address && one.Topic == topic {
			return one.Remote, err
		}
	}
	return "", err
}

// Webhooks returns all webhooks of the shop. "status: active (delivers payload), paused (delivery paused by admin), disabled (delivery paused
// by failure)" (woocommerce-rest-api-docs, wp-api-v3/webhooks, read 2026-11-28).
func (s *Connector) Webhooks(ctx ports.Outbound, c ports.Connection) ([]ports.RemoteWebhook, error) {
	return s.webhooks(ctx, c)
}

func (s *Connector) webhooks(ctx context.Context, c ports.Connection) (list []ports.RemoteWebhook, err error) {
	for number := 1; number <= maxHookPages; number++ {
		p, err := s.page(ctx, c, "/webhooks", url.Values{}, number, maxPageSize)
		if err != nil {
			return nil, err
		}
		for _, raw := range p.list {
			var one hook
			if json.Unmarshal(raw, &one) != nil {
				continue
			}
			list = append(list, ports.RemoteWebhook{
				Remote:   one.ID.String(),
				Topic:    one.Topic.String(),
				Address:  one.URL.String(),
				Disabled: one.Status == "disabled",
				Paused:   one.Status == "paused",
			})
		}
		if !p.more {
			break
		}
	}
	return list, nil
}

// Unregister deletes a webhook. WooCommerce requires force=true, because it has no trash for webhooks.
func (s *Connector) Unregister(ctx ports.Outbound, c ports.Connection, remote string) error {
	r := request(c, "/webhooks/"+url.PathEscape(remote), url.Values{"force": {"true"}})
	r.Method = http.MethodDelete
	account := s.forAccount(c)
	answer, err := account.Send(ctx, r)
	if err != nil || answer.Status == http.StatusNotFound || answer.Status == http.StatusGone {
		return err
	}
	return account.Judge(answer)
}

const signatureHeader = "X-WC-Webhook-Signature"

// SignatureHeader returns the name of the header that has a call's signature.
func (*Connector) SignatureHeader() string { return signatureHeader }

var errSignature = fault.New(fault.Unauthenticated, "invalid_signature", "The signature is missing or wrong.")

// Verify checks X-WC-Webhook-Signature: base64 of the HMAC-SHA256 of the body with the webhook's secret as the key. It does not include a time.
func (s *Connector) Verify(call ports.Call, signing string) (ports.CallStamp, error) {
	given, err := base64.StdEncoding.DecodeString(call.Header(signatureHeader))
	sum := hmac.New(sha256.New, []byte(signing))
	sum.Write(call.Payload)
	delivery := call.Header("X-WC-Webhook-Delivery-ID")
	if err != nil || signing == "" || len(delivery) > 200 || !hmac.Equal(given, sum.Sum(nil)) {
		return ports.CallStamp{}, errSignature
	}
	return ports.CallStamp{Delivery: delivery, Topic: call.Header("X-WC-Webhook-Topic")}, nil
}

// News reads the record in a call. For a product it also returns the stock. It reads the variations of a product from the
// API, because a call has none of them.
func (s *Connector) News(ctx ports.Outbound, c ports.Connection, topic string, at time.Time, payload []byte) ([]syncrun.Record, error) {
	thing, happened, _ := strings.Cut(topic, ".")
	of, known := map[string]syncrun.Resource{
		"product": syncrun.Products, "order": syncrun.Orders, "customer": syncrun.Customers,
	}[thing]
	var head struct {
		ID loose `json:"id"`
	}
	switch err := json.Unmarshal(payload, &head); {
	case !known:
		return nil, s.platform.Refused("sent a call with a topic that is not known: " + topic)
	case err != nil || head.ID == "":
		return nil, s.platform.Refused("sent a call that cannot be read")
	case happened == "deleted":
		return []syncrun.Record{{
			Resource: of,
			Remote:   head.ID.String(),
			At:       at,
			Deleted:  true,
		}}, nil
	}
	switch of {
	case syncrun.Orders:
		return []syncrun.Record{orderRecord(payload)}, nil
	case syncrun.Customers:
		return []syncrun.Record{customerRecord(payload)}, nil
	}
	return s.productNews(ctx, c, payload)
}

func (s *Connector) productNews(ctx context.Context, c ports.Connection, payload []byte) ([]syncrun.Record, error) {
	one := parseItem(payload)
	if one.wrong == nil && one.Type == "variation" && one.Parent != "" && one.Parent != "0" {
		var parent json.RawMessage
		if err := s.forAccount(c).Ask(ctx, request(c, "/products/"+url.PathEscape(one.Parent.String()), nil), &parent); err != nil {
			return nil, err
		}
		one = parseItem(parent)
	}
	items := []item{one}
	if err := s.readVariations(ctx, c, items); err != nil {
		return nil, err
	}
	return append(items[0].records(syncrun.Products), items[0].records(syncrun.Inventory)...), nil
}
