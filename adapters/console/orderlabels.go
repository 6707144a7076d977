package console

import (
	"encoding/json"
	"net/http"
	"net/url"
	"strings"
	"time"
)

// orderLabel is a shipping label that was bought for an order.
type orderLabel struct {
	ID             string      `json:"id"`
	Service        string      `json:"service_code"`
	TrackingNumber string      `json:"tracking_number"`
	Price          json.Number `json:"price"`
	Currency       string      `json:"currency"`
	Test           bool        `json:"test_label"`
	CreatedAt      time.Time   `json:"created_at"`
	VoidedAt       *time.Time  `json:"voided_at"`
}

// labels returns the labels of an order that cost money, and none to a member who may not see integrations.
func (v *memberRequest) labels(of string) ([]orderLabel, error) {
	if !v.may("integrations:read") {
		return nil, nil
	}
	found, err := fetch[list[orderLabel]](v.api, "/v1/orders/"+url.PathEscape(of)+"/labels", nil)
	if err != nil {
		return nil, err
	}
	var real []orderLabel
	for _, l := range found.Data {
		if !l.Test {
			real = append(real, l)
		}
	}
	return real, nil
}

// labelMoments are entries of the order's timeline.
func (v *memberRequest) labelMoments(labels []orderLabel) []moment {
	w := v.shop.words
	var moments []moment
	for _, l := range labels {
		bought := "Label bought"
		if l.Currency != "" {
			bought += " for " + w.amount(l.Price, l.Currency)
		}
		about := strings.TrimSpace(strings.ReplaceAll(l.Service, "_", " ") + " " + l.TrackingNumber)
		moments = append(moments, moment{
			What: bought,
			When: w.clock(l.CreatedAt) + " · " + about,
			at:   l.CreatedAt,
		})
		if l.VoidedAt != nil {
			moments = append(moments, moment{
				What: "Label voided",
				When: w.clock(*l.VoidedAt) + " · " + l.TrackingNumber,
				at:   *l.VoidedAt,
			})
		}
	}
	return moments
}

// label returns the order's label that is not voided, or nil.
func (o *orderDetail) label() *orderLabel {
	for i := range o.labels {
		if o.labels[i].VoidedAt == nil {
			return &o.labels[i]
		}
	}
	return nil
}

func (v *memberRequest) voidLabel() error {
	return v.act("void", "voided", func(order string, c change) error {
		return v.api.post(http.MethodPost, "/v1/orders/"+order+"/labels/"+url.PathEscape(v.r.PathValue("label"))+"/void", c, nil)
	})
}

func (v *memberRequest) askVoid(o *orderDetail, failed *problem) *confirmation {
	l := o.label()
	back := "The carrier is asked to give the price back."
	if l.Currency != "" {
		back = "The carrier is asked to give " + v.shop.words.amount(l.Price, l.Currency) + " back."
	}
	return confirm("void", "Void the label "+l.TrackingNumber+"?", "Void label", v.orderForm(o, "labels/"+l.ID+"/void", failed),
		back, "The order waits to be shipped again, and the buyer's agent is notified. No parcel can be sent with the label.").danger()
}
