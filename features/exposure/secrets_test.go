package exposure

import (
	"context"
	"encoding/base32"
	"encoding/base64"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// tour is a server on which every kind of secret is used.
type tour struct {
	*testing.T
	app      *boot.App
	admin    caller
	database string
	errors   vessel // all error responses
	answers  vessel // all responses
	address  string // of the buyer
	order    string
	outside  *outside
	// connected is the database's content while there are integrations.
	connected string
	// The planted values by kind. Personal data may be in the database only. secrets also contains the credentials, which
	// others issued to us.
	secrets, personal, credentials map[string]string
}

// do sends a request, records the response and checks the status.
func (o *tour) do(c caller, status int, method, path, body string) reply {
	o.Helper()
	r := c.send(method, path, body)
	if r.status != status {
		o.Errorf("%s %s: %d %s, want %d", method, path, r.status, r.body, status)
	}
	fmt.Fprintf(&o.answers, "%v\n%s\n", r.header, r.body)
	if r.status >= 400 {
		fmt.Fprintf(&o.errors, "%v\n%s\n", r.header, r.body)
	}
	return r
}

func (o *tour) plant(kind, value string) string {
	o.secrets[kind] = value
	return value
}

// TestSecretsStaySecret cannot run in parallel, because it sets the trace exporter's environment variables.
func TestSecretsStaySecret(t *testing.T) {
	for i, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			var traces, log vessel
			collector := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
				_, _ = io.Copy(&traces, r.Body)
			}))
			defer collector.Close()
			t.Setenv("OTEL_EXPORTER_OTLP_ENDPOINT", collector.URL)
			t.Setenv("OTEL_EXPORTER_OTLP_COMPRESSION", "none")
			o := &tour{
				T:           t,
				database:    engine.URL(t),
				secrets:     map[string]string{},
				personal:    map[string]string{},
				credentials: map[string]string{},
			}
			o.plant("header of the collector", "Xq8PLANTEDcollector7hWvR")
			t.Setenv("OTEL_EXPORTER_OTLP_HEADERS", "authorization="+o.secrets["header of the collector"])
			stop := o.start(t, &log, []string{"text", "json"}[i])
			o.merchants()
			o.secondFactor()
			o.buyers()
			o.platforms()
			o.strangers()
			o.failures(engine.Name)
			ops := caller{t: t, url: o.app.OpsURL()}
			pages := ops.send("GET", "/metrics", "").body + ops.send("GET", "/readyz", "").body +
				ops.with("Accept", "application/json").send("GET", "/readyz", "").body
			stop()
			o.outside.plantCaptured(o)
			dump := o.dump()

			holds(t, "the log", log.String(), "req-marker-seen")
			holds(t, "the log", log.String(), "Redis does not answer")
			if engine.Name == "postgres" {
				holds(t, "the log", log.String(), "violates check constraint")
			}
			holds(t, "the traces", traces.String(), "req-marker-seen")
			holds(t, "the metrics", pages, "/v1/api-keys")
			holds(t, "the errors", o.errors.String(), "validation_error")
			holds(t, "the database", dump, "Marker Shop")
			for name, value := range o.personal {
				holds(t, "the database: "+name, dump, value)
			}
			findIn(t, "the log", log.String(), o.secrets, o.personal)
			findIn(t, "the traces", traces.String(), o.secrets, o.personal)
			findIn(t, "metrics and health", pages, o.secrets, o.personal)
			findIn(t, "an error", o.errors.String(), o.secrets, o.personal)
			findIn(t, "the database", dump+o.connected, o.secrets)
			findIn(t, "an answer", o.answers.String(), o.credentials)
			findIn(t, "an event", o.outside.events.String(), o.secrets)
			for _, marker := range []string{"sync.completed", "sync.failed", "integration.error"} {
				holds(t, "the events", o.outside.events.String(), marker)
			}
		})
	}
}

// start runs a server that logs everything. Its Redis refuses its password.
func (o *tour) start(t *testing.T, log io.Writer, format string) (stop func()) {
	t.Helper()
	redis, err := url.Parse(boottest.Redis(t))
	if err != nil {
		t.Fatal(err)
	}
	redis.User = url.UserPassword("haggle", o.plant("password of Redis", "Rp5PLANTEDredis0mKzT"))
	if u, _ := url.Parse(o.database); u.Scheme == "postgres" {
		u.User = url.UserPassword(u.User.Username(), o.plant("password of the database", "Dp6PLANTEDdatabase1nLyU"))
		o.database = u.String()
	}
	c := boot.Config{
		Addr:           "127.0.0.1:0",
		OpsAddr:        "127.0.0.1:0",
		DatabaseURL:    o.database,
		Env:            "sandbox",
		RedisURL:       redis.String(),
		BootstrapKey:   o.plant("bootstrap key", "hk_test_Bk1PLANTEDbootstrapPLANTED9gQsZ8fXw2"),
		MasterKey:      o.plant("master key", "Mk2PLANTEDmasterPLANTED3jNxV6cYb5kPt"),
		ACPRate:        "off",
		EnterpriseRate: "100000/100000",
		LogLevel:       "debug",
		LogFormat:      format,
	}
	o.outside = lookOutside(o, &c)
	if o.app, err = boot.New(t.Context(), c, c.Logger(log)); err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(context.Background())
	ended := make(chan error, 1)
	go func() { ended <- o.app.Run(ctx) }()
	stop = sync.OnceFunc(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
		if err := o.app.Close(); err != nil {
			t.Error(err)
		}
	})
	t.Cleanup(stop)
	o.admin = call(t, o.app.URL()).key(c.BootstrapKey).with("X-Request-Id", "req-marker-seen")
	return stop
}

// merchants creates keys, with and without an Idempotency-Key, and uses them.
func (o *tour) merchants() {
	shop := o.do(o.admin, 201, "POST", "/v1/projects", `{"name":"Marker Shop","slug":"shop"}`).field("id")
	o.admin = o.admin.with("X-Project-ID", shop)
	o.do(o.admin, 201, "POST", "/v1/catalog/products", `{"name":"Mug","sku":"mug","price":100,"category":"Kitchen","quantity":50}`)
	const body = `{"name":"ci","scopes":["*"]}`
	keyed := o.admin.with(keyHeader, o.plant("idempotency key", "Ik3PLANTEDidempotency4kMwS"))
	first := o.do(keyed, 201, "POST", "/v1/api-keys", body)
	same(o.T, keyed.send("POST", "/v1/api-keys", body), first)
	o.plant("key that was replayed", first.field("key"))
	other := o.plant("other key", o.do(o.admin, 201, "POST", "/v1/api-keys", body).field("key"))
	o.do(o.admin.key(other), 200, "GET", "/v1/account", "")
	o.do(o.admin.key(other), 404, "GET", "/v1/projects/"+other, "")
	o.do(o.admin, 404, "GET", "/v1/api-keys/"+other, "")
	o.do(o.admin, 422, "POST", "/v1/api-keys", `{"name":"n","scopes":["`+other+`"],"project_ids":["`+other+`"],"expires_at":"`+other+`"}`)
	o.do(o.admin, 200, "GET", "/v1/audit-events", "")
}

// secondFactor enrolls an authenticator, and uses valid, invalid and replayed codes.
func (o *tour) secondFactor() {
	keyed := o.admin.with(keyHeader, "enrol")
	made := o.do(keyed, 201, "POST", "/v1/account/mfa", "")
	same(o.T, keyed.send("POST", "/v1/account/mfa", ""), made)
	secret := o.plant("secret of the second factor", made.field("secret"))
	raw, err := base32.StdEncoding.WithPadding(base32.NoPadding).DecodeString(secret)
	if err != nil {
		o.Fatal(err)
	}
	o.plant("bytes of the second factor", string(raw))
	for i := range 10 {
		o.plant(fmt.Sprint("recovery code ", i), made.field(fmt.Sprint("recovery_codes.", i)))
	}
	wrong := o.plant("wrong code", "Wc7PLANTEDcode5pHvR")
	o.do(o.admin, 422, "POST", "/v1/account/mfa/confirm", `{"code":"`+wrong+`"}`)
	o.do(o.admin, 200, "POST", "/v1/account/mfa/confirm", `{"code":"`+oneTimeCode(secret, time.Now())+`"}`)
	o.do(o.admin.with("X-MFA-Code", wrong), 403, "DELETE", "/v1/account/mfa", "")
	o.do(o.admin.with("X-MFA-Code", o.secrets["recovery code 3"]), 204, "DELETE", "/v1/account/mfa", "")
}

// buyers negotiates and pays with tokens of every kind.
func (o *tour) buyers() {
	for field, value := range map[string]string{
		"name": "Pn1PLANTEDname Ada", "line1": "Pl2PLANTEDline1 Harbor Street 12", "city": "Pc3PLANTEDcity", "postal_code": "Pp4PLANTED97205", "phone": "+1 503 555 0199 77",
	} {
		o.personal[field] = value
		o.address += `"` + field + `":"` + value + `",`
	}
	o.personal["email"] = "pe5planted.ada@example.com"
	buyer := caller{o.T, o.admin.url + "/p/shop", map[string]string{"X-Request-Id": "req-marker-seen"}}
	product := o.do(buyer, 200, "POST", "/acp/search", `{"query":"mug"}`).field("results.0.product_id")
	ready := func(key string) string {
		offer := `{"product_id":"` + product + `","offer_price":100}`
		deal := o.do(buyer.with(keyHeader, key), 200, "POST", "/acp/quote", offer)
		if key != "" {
			same(o.T, buyer.with(keyHeader, key).send("POST", "/acp/quote", offer), deal)
		}
		token := o.plant("checkout token "+key, deal.field("checkout_token"))
		init := func(token, country string) string {
			return `{"session_id":"` + deal.field("session_id") + `","checkout_token":"` + token + `","shipping_address":{` + o.address + `"state":"OR","country":"` + country + `"}}`
		}
		o.do(buyer, 422, "POST", "/acp/checkout/init", init(token, "nowhere"))
		o.do(buyer, 422, "POST", "/acp/checkout/init", init(token+"0", "US"))
		o.do(buyer, 404, "GET", "/acp/checkout/"+token, "")
		return o.do(buyer.with(keyHeader, key), 200, "POST", "/acp/checkout/init", init(token, "US")).field("checkout_id")
	}
	pay := func(status int, checkout, method, token string, headers ...string) reply {
		return o.do(buyer.with(headers...), status, "POST", "/acp/checkout/finalize", `{"checkout_id":"`+checkout+`","payment":{"method":"`+method+
			`","token":"`+token+`"},"buyer_email":"`+o.personal["email"]+`"}`)
	}
	checkout := ready("the-key-of-quote-1")
	pay(422, checkout, o.plant("token as a method", "spt_sandbox_ok_Tm1PLANTEDmethod8r"), "x")
	pay(422, checkout, "psp_spt", strings.Repeat(o.plant("long token", "Tl2PLANTEDlong9sQw2eR4t"), 30))
	pay(200, checkout, "psp_spt", o.plant("unknown token", "spt_live_Tu3PLANTEDunknown0t"), keyHeader, "pay-1")
	pay(200, checkout, "psp_spt", o.plant("declined token", "spt_sandbox_decline_Td4PLANTEDdeclined1u"))
	paid := pay(200, checkout, "psp_spt", o.plant("paid token", "spt_sandbox_ok_Tp5PLANTEDpaid2v"), keyHeader, "pay-2")
	o.order = pay(200, checkout, "psp_spt", o.plant("token sent again", "spt_sandbox_ok_Ta6PLANTEDagain3w")).field("order.id")
	o.do(buyer, 200, "GET", "/acp/orders/"+o.order, "")
	o.rights(buyer, paid)
	pay(200, ready(""), "wallet_ba", o.plant("agreement", "ba_sandbox_ok_Tb7PLANTEDagreement4x"))
	pay(503, ready("the-key-of-quote-3"), "psp_spt", "spt_sandbox_lost_reply")
}

// rights uses a buyer's order credential, correctly and incorrectly.
func (o *tour) rights(buyer caller, paid reply) {
	order, token := "/acp/orders/"+o.order, o.plant("manage token", paid.field("order.manage_token"))
	_, code, _ := strings.Cut(paid.field("receipt_url"), "/receipt/")
	o.plant("receipt code", code)
	o.do(buyer, 200, "GET", order+"?manage_token="+token, "")
	o.do(buyer.with("X-Manage-Token", token), 200, "GET", order, "")
	o.do(buyer, 403, "GET", order+"?manage_token="+token+"0", "")
	o.do(buyer, 200, "GET", order+"/receipt/"+code, "")
	o.do(buyer, 404, "GET", order+"/receipt/"+code+"0", "")
	o.do(buyer, 403, "POST", order+"/cancel", `{"manage_token":"`+token+`0"}`)
	o.do(buyer, 422, "POST", order+"/cancel", `{"manage_token":"`+token+`","reason":1}`)
}

// strangers sends invalid credentials in every place.
func (o *tour) strangers() {
	bad := o.plant("bad key", "hk_test_Sb1PLANTEDbadPLANTED6zJtM3vGh8dLq")
	odd := o.plant("odd credential", "So2PLANTEDodd7aKuN4wHi")
	o.do(o.admin.key(bad), 401, "GET", "/v1/account", "")
	o.do(o.admin.key(odd), 401, "POST", "/v1/api-keys", `{`)
	o.do(o.admin.with("Authorization", "Basic "+base64.StdEncoding.EncodeToString([]byte("user:"+odd))), 401, "GET", "/v1/account", "")
	o.do(o.admin.with("Authorization", odd), 401, "GET", "/v1/account", "")
	o.do(o.admin.with("Authorization", ""), 401, "GET", "/v1/account?api_key="+odd, "")
	o.do(o.admin, 404, "GET", "/v1/"+odd+"?token="+odd, "")
	o.do(o.admin, 400, "GET", "/v1/projects?limit="+odd, "")
	o.do(o.admin, 400, "POST", "/v1/projects", `{"name":`+odd+`}`)
	o.do(o.admin, 404, "POST", "/p/"+strings.ToLower(odd)+"/acp/search", `{"query":"x"}`)
	o.do(o.admin.with("X-Project-ID", odd), 404, "GET", "/v1/catalog/products", "")
	o.do(o.admin.with("Content-Type", "text/"+odd), 400, "POST", "/v1/projects", odd)
}

// failures makes tables refuse writes. Responses and the log report that, without any of the values.
func (o *tour) failures(engine string) {
	if engine != "postgres" {
		return
	}
	o.sql("ALTER TABLE checkouts ADD CONSTRAINT never CHECK (false) NOT VALID; ALTER TABLE api_keys ADD CONSTRAINT never CHECK (name <> 'refused') NOT VALID")
	buyer := caller{o.T, o.admin.url + "/p/shop", nil}
	found := buyer.send("POST", "/acp/search", `{"query":"mug"}`)
	o.do(buyer, 500, "POST", "/acp/checkout/init", `{"session_id":"`+found.field("session_id")+`","items":[{"product_id":"`+
		found.field("results.0.product_id")+`","quantity":1}],"shipping_address":{`+o.address+`"state":"OR","country":"US"}}`)
	o.do(o.admin, 500, "POST", "/v1/api-keys", `{"name":"refused","scopes":["*"]}`)
}

// dump returns the whole database as text; for SQLite, the bytes of its files.
func (o *tour) dump() string {
	var all strings.Builder
	if path, sqlite := strings.CutPrefix(o.database, "sqlite://"); sqlite {
		files, _ := filepath.Glob(path + "*")
		for _, file := range files {
			content, err := os.ReadFile(file)
			if err != nil {
				o.Fatal(err)
			}
			all.Write(content)
		}
		return all.String()
	}
	const tables = "SELECT format('%I.%I', schemaname, tablename) FROM pg_tables WHERE schemaname NOT IN ('pg_catalog', 'information_schema')"
	for table := range strings.Lines(o.sql(tables)) {
		all.WriteString(table + o.sql("SELECT t::text FROM "+table+" t") + "\n")
	}
	return all.String()
}

// sql runs SQL on PostgreSQL as superuser.
func (o *tour) sql(statement string) string {
	out, err := boottest.PSQL(o.T, o.database, statement)
	if err != nil {
		o.Fatal(err)
	}
	return out
}

// A failed start prints no password.
func TestStartsThatFailShowNoPassword(t *testing.T) {
	t.Parallel()
	const password = "Fp9PLANTEDfailing5bLvO"
	fine := boot.Config{
		Addr:        "127.0.0.1:0",
		OpsAddr:     "127.0.0.1:0",
		DatabaseURL: boottest.Engines[0].URL(t),
		Env:         "sandbox",
	}
	for name, change := range map[string]func(*boot.Config){
		"nobody there": func(c *boot.Config) { c.DatabaseURL = "postgres://u:" + password + "@127.0.0.1:1/db?sslmode=disable" },
		"no port":      func(c *boot.Config) { c.DatabaseURL = "postgres://u:" + password + "@127.0.0.1:none/db" },
		"no escape":    func(c *boot.Config) { c.DatabaseURL = "postgres://u:" + password + "%zz@127.0.0.1/db" },
		"a slash": func(c *boot.Config) {
			c.DatabaseURL = "postgres://u:/" + password + "@127.0.0.1:1/db?sslmode=disable&connect_timeout=1"
		},
		"in the query": func(c *boot.Config) {
			c.DatabaseURL = "postgres://127.0.0.1:1/db?user=u&sslmode=disable&password=" + password
		},
		"Redis's port":    func(c *boot.Config) { c.RedisURL = "redis://:" + password + "@127.0.0.1:none" },
		"no Redis":        func(c *boot.Config) { c.RedisURL = "https://:" + password + "@127.0.0.1:1" },
		"a bad bootstrap": func(c *boot.Config) { c.BootstrapKey = "hk_test_" + password + "!" },
		"the other mode":  func(c *boot.Config) { c.BootstrapKey = "hk_live_" + password + password },
	} {
		var log vessel
		c := fine
		change(&c)
		if _, err := boot.New(t.Context(), c, c.Logger(&log)); err == nil {
			t.Fatalf("%s: it started", name)
		} else {
			text := fmt.Sprint(err, &log, boot.Diagnose(t.Context(), c))
			findIn(t, "a start with "+name, text, map[string]string{"password": password})
		}
	}
}
