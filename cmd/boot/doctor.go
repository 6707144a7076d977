package boot

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/url"
	"os"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/adapters/ratelimit"
	"github.com/haggle-commerce/haggle/adapters/sqlstore"
	"github.com/haggle-commerce/haggle/domain/account"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// Verdict of a finding.
type Verdict string

const (
	Fine    Verdict = "ok"
	Doubt   Verdict = "warn" // it works, but is probably not what is wanted
	Trouble Verdict = "fail" // the server would not start, or not serve
)

// Finding is what the doctor says of one thing.
type Finding struct {
	Verdict Verdict
	About   string
	Says    string
}

// Diagnose looks at a configuration and at what it names, and changes nothing: the schema is not
// migrated.
func Diagnose(ctx context.Context, c Config) []Finding {
	if err := CheckEnvironment(os.Environ()); err != nil {
		return []Finding{{Trouble, "environment", err.Error()}}
	}
	if err := c.Check(); err != nil {
		return []Finding{{Trouble, "configuration", err.Error()}}
	}
	d := &doctor{Config: c, ctx: ctx}
	d.env, _ = account.ParseEnvironment(c.Env)
	d.say(Fine, "configuration", "%s environment", c.Env)
	d.secrets()
	d.addresses()
	d.database()
	d.redis()
	d.publishing()
	d.platforms()
	d.embeddings()
	d.agents()
	d.openID()
	return d.findings
}

type doctor struct {
	Config
	ctx      context.Context
	env      account.Environment
	findings []Finding
}

func (d *doctor) say(v Verdict, about, format string, args ...any) {
	d.findings = append(d.findings, Finding{v, about, fmt.Sprintf(format, args...)})
}

func (d *doctor) secrets() {
	switch {
	case d.MasterKey == "":
		d.say(Fine, "master key", "none: the sandbox seals with a public one")
	case d.weakMasterKey() != "" && d.env == account.Production:
		d.say(Trouble, "master key", "%s", d.weakMasterKey())
	case d.weakMasterKey() != "":
		d.say(Doubt, "master key", "%s; production refuses it", d.weakMasterKey())
	default:
		d.say(Fine, "master key", "set")
	}
}

func (d *doctor) addresses() {
	live := d.env == account.Production
	switch u, _ := url.Parse(d.PublicURL); {
	case d.PublicURL == "" && live:
		d.say(Doubt, "public URL", "HAGGLE_PUBLIC_URL is not set: buyers are told to come to %s", d.Addr)
	case d.PublicURL != "" && live && u.Scheme != "https":
		d.say(Doubt, "public URL", "%s is not https: API keys would travel in the open", d.PublicURL)
	case d.PublicURL != "":
		d.say(Fine, "public URL", "%s", d.PublicURL)
	}
	if d.PublicURL != "" && d.TrustedProxies == "" && loopback(d.Addr) {
		d.say(Doubt, "proxies", "a proxy seems to be in front, but HAGGLE_TRUSTED_PROXIES is empty: every client counts as the proxy")
	}
	d.listens("API address", d.Addr)
	d.listens("operations address", d.OpsAddr)
	if !loopback(d.OpsAddr) {
		d.say(Doubt, "operations address", "%s can be reached from other machines: /metrics is for yours alone", d.OpsAddr)
	}
}

func loopback(address string) bool {
	host, _, err := net.SplitHostPort(address)
	ip := net.ParseIP(host)
	return err == nil && (host == "localhost" || ip != nil && ip.IsLoopback())
}

func (d *doctor) listens(about, address string) {
	l, err := net.Listen("tcp", address)
	if err != nil {
		d.say(Doubt, about, "%s is not free: is the server running already?", address)
		return
	}
	_ = l.Close() // nobody has connected
	d.say(Fine, about, "%s", address)
}

func (d *doctor) database() {
	if path, ok := strings.CutPrefix(d.DatabaseURL, "sqlite://"); ok {
		if _, err := os.Stat(path); os.IsNotExist(err) {
			d.say(Fine, "database", "%s is new: the server makes it when it starts", path)
			return
		}
	}
	start := time.Now()
	pooler, _ := d.pooler() // which was checked
	store, err := sqlstore.Open(d.ctx, sqlstore.Config{URL: d.DatabaseURL, Pooler: pooler, AllowNewer: d.AllowNewer})
	if err != nil {
		d.say(Trouble, "database", "cannot be opened: %v", cause(err))
		return
	}
	defer store.Close()
	d.say(Fine, "database", "answers (%s)", time.Since(start).Round(time.Millisecond))
	d.clocks(store)
	d.login(store)
	if err := store.SchemaCurrent(d.ctx); err != nil && pooler == sqlstore.TransactionPooler {
		d.say(Trouble, "schema", "is not current: run `haggle migrate` with HAGGLE_DATABASE_POOLER=none and a URL that leads past the pooler")
		return
	} else if err != nil {
		d.say(Doubt, "schema", "is not current: `haggle migrate`, or the next start, brings it up to date")
		return
	}
	if err := store.SchemaKnown(d.ctx); err != nil {
		d.say(Trouble, "schema", "%v", err)
		return
	}
	d.say(Fine, "schema", "is current")
	d.rootShop(store)
	if _, err := store.Accounts().Oldest(d.ctx, account.Plan{}); err != nil {
		d.say(Doubt, "API keys", "there is no account yet: `haggle keys create`")
	}
}

// rootShop looks for the shop that is also served at the root.
func (d *doctor) rootShop(store *sqlstore.Store) {
	if d.RootShop == "" {
		return
	}
	if _, err := store.Storefronts().BySlug(d.ctx, d.RootShop); err != nil {
		d.say(Doubt, "root shop", "HAGGLE_ROOT_SHOP names no shop: %q", d.RootShop)
		return
	}
	d.say(Fine, "root shop", "%s", d.RootShop)
}

// login looks whether row-level security holds the role that the server logs in as.
func (d *doctor) login(store *sqlstore.Store) {
	role, err := store.UnguardedLogin(d.ctx)
	switch {
	case err != nil:
		d.say(Doubt, "database role", "its rights cannot be read: %v", cause(err))
	case role != "" && d.env == account.Production:
		d.say(Trouble, "database role", "%s", unguarded(role))
	case role != "":
		d.say(Doubt, "database role", "%s; production refuses it", unguarded(role))
	}
}

func (d *doctor) redis() {
	if d.RedisURL == "" {
		d.say(Fine, "rate limits", "counted in this process: with more replicas, set HAGGLE_REDIS_URL")
		return
	}
	limiter, err := ratelimit.New(d.RedisURL, slog.New(slog.DiscardHandler))
	if err == nil {
		defer limiter.Close()
		limiter.Take(d.ctx, "doctor", d.rates().enterprise)
	}
	if err != nil || limiter.Degraded() {
		d.say(Trouble, "Redis", "does not answer: each replica would limit rates by its share alone")
		return
	}
	d.say(Fine, "Redis", "answers")
}

// cause is what the database or the network said.
func cause(err error) error {
	var known *fault.Error
	if errors.As(err, &known) && errors.Unwrap(known) != nil {
		return errors.Unwrap(known)
	}
	return err
}

// rates are those of a configuration that was checked.
func (d *doctor) rates() limits {
	l, _ := d.limits()
	return l
}
