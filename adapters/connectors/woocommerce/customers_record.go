package woocommerce

import (
	"encoding/json"
	"strings"

	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// customerRecord converts a customer. The API says whether the customer has purchased, but not how often.
func customerRecord(raw json.RawMessage) syncrun.Record {
	var c struct {
		ID       loose  `json:"id"`
		Email    loose  `json:"email"`
		First    loose  `json:"first_name"`
		Last     loose  `json:"last_name"`
		Paying   bool   `json:"is_paying_customer"`
		Modified loose  `json:"date_modified_gmt"`
		Meta     []meta `json:"meta_data"`
	}
	r := syncrun.Record{Resource: syncrun.Customers}
	if err := json.Unmarshal(raw, &c); err != nil || c.ID == "" {
		r.Remote, r.Problem = c.ID.String(), "It is no customer of WooCommerce's."
		return r
	}
	r.Remote = c.ID.String()
	r.At, r.WholeSecond = moment(c.Modified)
	r.Customer = &syncrun.Customer{
		Email: c.Email.String(),
		Name:  strings.TrimSpace(c.First.String() + " " + c.Last.String()),
		Tier:  metaValue(c.Meta, "loyalty_tier"),
	}
	if c.Paying {
		r.Customer.Purchases = 1
	}
	return r
}
