package ucp

import (
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/adapters/httpapi/commerce"
	"github.com/haggle-commerce/haggle/app/identity"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/project"
	"github.com/haggle-commerce/haggle/ports"
)

// A message to an agent has the whole order with its returns and refunds, and nothing about the buyer.
func TestHooks_Message(t *testing.T) {
	t.Parallel()
	noon := time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	usd := func(minor int64) money.Amount { return money.Of(minor, money.USD) }
	o := &order.Order{
		ID:           id.New[id.Order]([16]byte{1}),
		Checkout:     id.New[id.Checkout]([16]byte{2}),
		Confirmation: "HG-7K2M-9QXA",
		Status:       order.Canceled,
		Lines: []checkout.Line{{
			ID: 3, Variant: id.New[id.Variant]([16]byte{3}), Name: "Tent", Quantity: 2, Unit: usd(9_000), Original: usd(10_000),
		}},
		Address: checkout.Address{
			First:      "Ada",
			Last:       "Secret",
			Line1:      "12 Hidden Street",
			City:       "Portland",
			State:      "OR",
			PostalCode: "97205",
			Country:    "US",
			Phone:      "+1555",
		},
		Email:    "ada@secret.example",
		Notes:    "hidden notes",
		Subtotal: usd(18_000),
		Savings:  usd(2_000),
		Shipping: usd(500),
		Tax:      usd(100),
		Total:    usd(18_600),
		Fulfillment: order.Fulfillment{
			Status:       order.FulfillmentCanceled,
			ShipsOn:      noon,
			DeliversFrom: noon,
			DeliversBy:   noon,
			CanceledAt:   noon,
		},
		CreatedAt: noon,
	}
	c := &order.Case{
		Order: o,
		Returns: []order.Return{{
			ID: id.New[id.Return]([16]byte{4}), Status: order.Rejected, Allocation: []order.Allocation{{Line: 0, Quantity: 1}},
			Comment: "hidden comment", CreatedAt: noon,
		}},
		Refunds: []order.Refund{{
			ID: id.New[id.Refund]([16]byte{5}), Status: order.RefundSucceeded, Amount: usd(18_600), Reason: "hidden reason", CreatedAt: noon,
		}},
	}
	address := func(slug string) string { return "https://shops.example.com/p/" + slug }
	news := ports.OrderNews{
		Event: id.New[id.Event]([16]byte{0x01, 0x9a, 15: 0xff}),
		Case:  c,
		Shop:  &project.Project{Slug: "demo"},
		At:    noon,
		Now:   noon,
	}
	april, header, err := Hooks{April, address}.Message(news)
	if err != nil || header["UCP-Agent"] != `profile="https://shops.example.com/p/demo/2026-04-08/.well-known/ucp"` ||
		!strings.Contains(string(april), `"version":"2026-04-08"`) || strings.Contains(string(april), "2026-08-25") {
		t.Errorf("2026-04-08: %v %s %v", header, april, err)
	}
	body, header, err := Hooks{August, address}.Message(news)
	if err != nil {
		t.Fatal(err)
	}
	if header["Webhook-Id"] != "019a0000-0000-0000-0000-0000000000ff" {
		t.Errorf("the id of the event is no UUID: %v", header)
	}
	if header["UCP-Agent"] != `profile="https://shops.example.com/p/demo/.well-known/ucp"` || strings.Contains(string(body), "2026-04-08") {
		t.Errorf("header: %v", header)
	}
	for _, secret := range []string{"Ada", "Secret", "Hidden", "hidden", "Portland", "97205", "1555", "secret.example"} {
		if strings.Contains(string(body), secret) {
			t.Errorf("%s is in %s", secret, body)
		}
	}
	var sent orderBody
	if err := json.Unmarshal(body, &sent); err != nil {
		t.Fatal(err)
	}
	if l := sent.LineItems[0]; l.ID != "li_3" || l.Status != "removed" || l.Quantity != (lineQuantity{2, 0, 0}) {
		t.Errorf("line: %+v", l)
	}
	if a := sent.Adjustments; len(a) != 3 || a[0].Status != "failed" || a[1].Totals[0].Amount != -18_600 || a[2].Type != "cancellation" {
		t.Errorf("adjustments: %+v", a)
	}
}

// An agent gets webhooks about its orders if it is verified, or if the shop does not require that.
func TestHookOf(t *testing.T) {
	t.Parallel()
	all := capability.Served(capability.V20260825, capability.Name{})
	active, err := capability.Intersect(all, all)
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		setting  string
		sandbox  bool
		verified bool
		notified bool
	}{
		{setting: "", sandbox: true, notified: true},
		{setting: "", sandbox: false, notified: false},
		{setting: "", sandbox: false, verified: true, notified: true},
		{setting: project.OpenAgents, sandbox: false, notified: true},
		{setting: project.SignedAgents, sandbox: true, notified: false},
		{setting: project.SignedAgents, sandbox: true, verified: true, notified: true},
	} {
		h := &handlers{Services: &commerce.Services{Sandbox: c.sandbox}}
		rq := Request{Caller: commerce.Buyer{
			Shop:  &project.Project{Settings: project.Settings{AgentAuthentication: c.setting}},
			Agent: agentid.Agent{Verified: c.verified},
			Platform: identity.Caller{
				Profile: agentid.Profile{OrderHooks: map[capability.Version]string{capability.V20260825: "https://agent.example/orders"}},
				Active:  active,
			},
		}}
		if got := h.hookOf(rq); (got != checkout.Hook{}) != c.notified {
			t.Errorf("%+v: %+v", c, got)
		}
	}
}
