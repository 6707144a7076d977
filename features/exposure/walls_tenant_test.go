package exposure

import (
	"context"
	"crypto/hmac"
	"crypto/sha1"
	"encoding/base32"
	"encoding/binary"
	"fmt"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// tenant is a project with one of everything that has an id. After the first failure its methods do nothing, and err has the
// failure.
type tenant struct {
	caller // with an unbound key of all scopes
	app    *boot.App
	secret string
	ids    map[string]string // by kind, such as product_id and sku; also the slug
	err    error

	other *tenant // another project of the account, or nil
	bound string  // the secret of a key that is bound to the tenant's project
}

var tenants atomic.Int64

// openTenant creates an account with a project, a product and a spare key.
func openTenant(t *testing.T, app *boot.App, url string) *tenant {
	made, err := app.IssueKey(context.Background(), boot.KeyRequest{
		Name:       "admin",
		Scopes:     []string{"*"},
		NewAccount: "Tenant",
	})
	shop := &tenant{
		caller: caller{t, url, nil}.key(made.Secret),
		app:    app,
		secret: made.Secret,
		ids:    map[string]string{},
		err:    err,
	}
	shop.fillProject()
	return shop
}

// sibling creates another project of the tenant's account.
func (s *tenant) sibling() *tenant {
	other := &tenant{
		caller: s.caller,
		app:    s.app,
		secret: s.secret,
		ids:    map[string]string{},
		err:    s.err,
	}
	other.fillProject()
	return other
}

func (s *tenant) fillProject() {
	s.ids["slug"] = fmt.Sprintf("tenant-%06d", tenants.Add(1))
	s.ids["project_id"] = s.post("/v1/projects", `{"name":"Shop","slug":"`+s.ids["slug"]+`"}`).field("id")
	s.ids["sku"] = strings.ReplaceAll(s.ids["slug"], "tenant-", "sku_")
	product := s.post("/v1/catalog/products", `{"name":"Mug","sku":"`+s.ids["sku"]+`","price":100,"category":"`+s.ids["slug"]+`","quantity":90}`)
	s.ids["product_id"], s.ids["variant_id"] = product.field("id"), product.field("variants.0.id")
	s.ids["synonym_id"] = s.post("/v1/catalog/synonyms", `{"words":["mug","`+s.ids["slug"]+`"]}`).field("id")
	s.ids["kid"] = s.get("/v1/signing-keys").field("data.0.kid")
	s.ids["agent_key_id"] = s.post("/v1/agent-keys", `{"name":"Spare","profile":"https://agent.example/`+s.ids["slug"]+`"}`).field("id")
	s.ids["agent_id"] = s.post("/v1/agents", `{"name":"Spare"}`).field("id")
	s.ids["subscription_id"] = s.post("/v1/event-subscriptions", `{"url":"https://127.0.0.1:1/hook","event_types":["*"]}`).field("id")
	sent := s.post("/v1/event-subscriptions/"+s.ids["subscription_id"]+"/test", "")
	s.ids["delivery_id"], s.ids["event_id"] = sent.field("id"), sent.field("event_id")
	s.must("PATCH", "/v1/event-subscriptions/"+s.ids["subscription_id"], `{"status":"disabled"}`) // otherwise its deliveries would keep changing
	_, s.ids["key_id"] = s.newKey(`["keys:read"]`, s.ids["project_id"])
	s.connect()
	s.ids["customer_email"] = s.ids["slug"] + "@example.com"
	s.ids["buyer_token"] = s.post("/v1/buyer-tokens", `{"email":"`+s.ids["customer_email"]+`"}`).field("buyer_token")
}

// work starts a job and cancels it, because a finished job does not change.
func (s *tenant) work() {
	s.ids["job_id"] = s.post("/v1/agents/"+s.ids["agent_id"]+"/market", `{"buyers":5000,"product_ids":["`+s.ids["product_id"]+`"]}`).field("id")
	s.must("POST", "/v1/jobs/"+s.ids["job_id"]+"/cancel", "")
}

// load imports a file with an invalid product and waits, because a finished job does not change.
func (s *tenant) load() {
	if s.err != nil {
		return
	}
	file := s.with("X-Project-ID", s.ids["project_id"], "Content-Type", "text/csv")
	r, err := file.retry("POST", "/v1/imports", "sku,name,price\n"+s.ids["slug"]+",,5\n")
	if s.err = err; err != nil {
		return
	}
	s.ids["import_id"] = r.field("id")
	for s.err == nil {
		switch s.get("/v1/jobs/" + s.ids["import_id"]).field("status") {
		case "queued", "running":
			time.Sleep(20 * time.Millisecond)
		default:
			return
		}
	}
}

// staff adds a member to the account, and invites another one.
func (s *tenant) staff() {
	invite := func(name string) reply {
		return s.post("/v1/members/invitations", `{"email":"`+name+`@`+s.ids["slug"]+`.example","role":"support"}`)
	}
	link := invite("ada").field("link")
	if s.err != nil {
		return
	}
	from := boottest.MemberClient{App: s.app, Address: s.ids["slug"]} // joining is limited by address
	in, err := from.Join(context.Background(), link, "Ada", "correct horse battery")
	if s.err = err; err != nil {
		return
	}
	s.ids["member_id"], s.ids["console_session_id"] = in.Member, in.ID
	s.ids["invitation_id"] = invite("grace").field("id")
}

// newKey adds a key to the tenant's account.
func (s *tenant) newKey(scopes string, projects ...string) (secret, id string) {
	bound := ""
	if len(projects) > 0 {
		bound = `,"project_ids":["` + strings.Join(projects, `","`) + `"]`
	}
	made := s.post("/v1/api-keys", `{"name":"Key","scopes":`+scopes+bound+`}`)
	return made.field("key"), made.field("id")
}

// trade lets a buyer order two mugs, get a partial refund and return one, and leaves a checkout open and a token unused.
func (s *tenant) trade() *tenant {
	acp := "/p/" + s.ids["slug"] + "/acp"
	item := `"product_id":"` + s.ids["product_id"] + `"`
	quote := func(session string) reply {
		deal := s.post(acp+"/quote", `{`+item+`,"quantity":2,"offer_price":100`+session+`}`)
		if s.err == nil && deal.field("checkout_token") == "" {
			s.err = fmt.Errorf("no deal: %s", deal.body)
		}
		return deal
	}
	first := quote("")
	s.ids["session_id"] = first.field("session_id")
	session := `,"session_id":"` + s.ids["session_id"] + `"`
	checkout := func(deal reply) string {
		return s.post(acp+"/checkout/init", `{"checkout_token":"`+deal.field("checkout_token")+`","items":[{`+item+`,"quantity":2}],`+
			`"shipping_address":{"name":"A","line1":"1 St","city":"X","state":"CA","postal_code":"9","country":"US"}`+session+`}`).field("checkout_id")
	}
	paid := s.post(acp+"/checkout/finalize", `{"checkout_id":"`+checkout(first)+`","payment":{"method":"psp_spt","token":"spt_sandbox_ok"},"buyer_email":"a@example.com"}`)
	s.ids["order_id"], s.ids["manage_token"] = paid.field("order.id"), paid.field("order.manage_token")
	_, s.ids["receipt_code"], _ = strings.Cut(paid.field("receipt_url"), "/receipt/")
	s.ids["orphan_id"] = "orphan-of-" + s.ids["slug"] // no request creates one
	s.ids["negotiation_id"] = s.get("/v1/orders/" + s.ids["order_id"]).field("negotiation_id")
	s.ids["payment_id"] = paid.field("payment.id")
	s.ids["refund_id"] = s.post("/v1/finance/payments/"+s.ids["payment_id"]+"/refund", `{"amount":1}`).field("id")
	s.ids["dispute_id"] = s.post("/v1/sandbox/disputes", `{"payment_id":"`+s.ids["payment_id"]+`","amount":1}`).field("id")
	s.ids["transaction_id"] = s.get("/v1/finance/transactions").field("data.0.id")
	s.ids["return_id"] = s.post(acp+"/returns", `{"order_id":"`+s.ids["order_id"]+`","items":[{`+item+`,"quantity":1}]}`).field("return_id")
	s.ids["checkout_id"] = checkout(quote(session))
	s.ids["checkout_token"] = quote(session).field("checkout_token")
	open := s.post(acp+"/quote", `{`+item+session+`}`)
	s.ids["quote_id"] = open.field("quote_id")
	return s
}

// secure gives the tenant's account an active and a pending authenticator.
func (s *tenant) secure() *tenant {
	made := s.post("/v1/account/mfa", "")
	s.post("/v1/account/mfa/confirm", `{"code":"`+oneTimeCode(made.field("secret"), time.Now())+`"}`)
	s.caller = s.with("X-MFA-Code", made.field("recovery_codes.0"))
	s.post("/v1/account/mfa", "")
	s.caller = s.with("X-MFA-Code", "")
	return s
}

// oneTimeCode returns the code of an authenticator app (RFC 6238).
func oneTimeCode(secret string, at time.Time) string {
	key, _ := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	mac := hmac.New(sha1.New, key)
	_ = binary.Write(mac, binary.BigEndian, at.Unix()/30)
	sum := mac.Sum(nil)
	return fmt.Sprintf("%06d", binary.BigEndian.Uint32(sum[sum[19]&15:])&0x7fffffff%1_000_000)
}

// post sends a request that must succeed.
func (s *tenant) post(path, body string) reply { return s.must("POST", path, body) }

// get sends a request that must succeed.
func (s *tenant) get(path string) reply { return s.must("GET", path, "") }

func (s *tenant) must(method, path, body string) reply {
	if s.err != nil {
		return reply{}
	}
	r, err := s.with("X-Project-ID", s.ids["project_id"]).retry(method, path, body)
	if err == nil && r.status >= 300 {
		err = fmt.Errorf("%s %s %s: %d %s", method, path, body, r.status, r.body)
	}
	s.err = err
	return r
}

// settle waits until the server has sealed the tenant's decisions.
func (s *tenant) settle() {
	for s.err == nil && s.get("/v1/agents/"+s.ids["agent_id"]+"/decisions/verify").field("unsealed") != "0" {
		time.Sleep(20 * time.Millisecond)
	}
}

// complete returns an error that names what the tenant lacks.
func (s *tenant) complete() error {
	for kind, value := range s.ids {
		if s.err == nil && value == "" {
			return fmt.Errorf("no %s was made", kind)
		}
	}
	return s.err
}
