package publishing

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/event"
	"github.com/haggle-commerce/haggle/ports"
)

// Failures of this server. Another attempt, or another replica, may succeed.
var (
	errEmpty  = errors.New("the event could not be read")
	errNoBus  = errors.New("this server has no event bus")
	errNoMail = errors.New("this server has no mail server")
)

// deliver sends a parcel to its target. It reports whether the target still exists.
func (p *Publisher) deliver(ctx ports.Outbound, parcel ports.Parcel, now time.Time) (r event.Result, deliverable bool) {
	switch to := parcel.Delivery.Target; {
	case len(parcel.Body) == 0:
		return failed(errEmpty), true
	case to == event.Stream && p.Stream == nil:
		return failed(errNoBus), true
	case to == event.Email && p.Mailer == nil:
		return failed(errNoMail), true
	case to.Hook():
		return p.postToHook(ctx, parcel, now)
	case parcel.Subscription != nil:
		if parcel.Subscription.Status != event.Active {
			return r, false
		}
		return p.postToSubscription(ctx, parcel, now), true
	case to == event.Stream:
		return failed(p.Stream.Publish(ctx, ports.Announced{
			ID:      parcel.Delivery.Event,
			Project: parcel.Delivery.Project,
			Type:    parcel.Delivery.Type,
			Body:    parcel.Body,
		})), true
	case parcel.Shop == nil:
		return r, false
	case to == event.Email && parcel.Shop.Settings.EmailEnabled:
		subject, text := alert(parcel)
		return failed(p.Mailer.Send(ctx, ports.Mail{
			To:      parcel.Email,
			Subject: subject,
			Text:    subject + "\n\n" + text,
		})), true
	case to == event.Chat && parcel.Shop.Settings.ChatWebhook != "":
		subject, text := alert(parcel)
		return p.Chats.Say(ctx, parcel.Shop.Settings.ChatWebhook, subject+"\n"+text), true
	}
	return r, false
}

func (p *Publisher) postToSubscription(ctx ports.Outbound, parcel ports.Parcel, now time.Time) event.Result {
	s := parcel.Subscription
	var secrets ports.SharedSecrets
	for _, sealed := range s.Secrets(now) {
		secret, err := p.Vault.Open(sealed, Purpose(s.ID))
		if err != nil {
			return failed(errors.New("the subscription's secret cannot be decrypted: rotate it"))
		}
		secrets = append(secrets, string(secret))
	}
	return p.Webhooks.Post(ctx, ports.Webhook{
		URL:   s.URL,
		ID:    parcel.Delivery.Event,
		At:    now,
		Body:  parcel.Body,
		Proof: secrets,
	})
}

func failed(err error) (r event.Result) {
	if err != nil {
		r.Error = err.Error()
	}
	return r
}

// headlines are the subjects of alerts.
var headlines = map[event.Type]string{
	event.PaymentUnresolvedType:    "The outcome of a payment is unknown",
	event.RefundUnresolvedType:     "The outcome of a refund is unknown",
	event.PaymentOrphanedType:      "A payment was captured without an order",
	event.MoneyUnexplainedType:     "A payment provider's books differ from yours",
	event.RefundFailedType:         "A refund failed: the buyer does not have the money",
	event.DisputeOpenedType:        "A buyer disputes a payment",
	event.DisputeClosedType:        "A dispute is closed",
	event.ReturnRequestType:        "A buyer requests a return",
	event.InventoryLowType:         "The stock of a product is low",
	event.IntegrationErrorType:     "An integration has an error",
	event.SyncFailedType:           "A sync run failed",
	event.CustomerDataRequestType:  "A customer requests their data",
	event.SubscriptionDisabledType: "An event subscription was disabled",
}

// alert returns the subject of an alert, and the event's data as text with one line per field.
func alert(parcel ports.Parcel) (subject, text string) {
	kind := parcel.Delivery.Type
	subject = fmt.Sprintf("[%s] %s", parcel.Shop.Name, headlines[kind])
	var body struct{ Data map[string]any }
	decoder := json.NewDecoder(strings.NewReader(string(parcel.Body)))
	decoder.UseNumber()
	if err := decoder.Decode(&body); err != nil {
		return subject, ""
	}
	var lines []string
	for name, value := range body.Data {
		switch value.(type) {
		case string, json.Number, bool:
			lines = append(lines, fmt.Sprintf("%s: %v", name, value))
		}
	}
	slices.Sort(lines)
	lines = append(lines, "event: "+parcel.Delivery.Event.String()+" ("+kind.String()+")")
	return subject, strings.Join(lines, "\n")
}
