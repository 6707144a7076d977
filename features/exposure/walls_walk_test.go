package exposure

import (
	"cmp"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/haggle-commerce/haggle/cmd/boot"
)

// walls tries every documented operation as every caller.
type walls struct {
	t   *testing.T
	app *boot.App
	url string

	operations      []*operation
	victim, sibling *tenant // nobody else may access their data; the sibling is another project of the same account
	strangers       *tenant
	keys            map[string]string // secrets of invalid keys of the victim's account, by what is wrong with them
	idle            chan *tenant      // tenants whose requests have changed nothing so far

	mu       sync.Mutex
	findings []string
	cases    atomic.Int64
	// addresses counts the addresses of callers without keys, because the server limits each.
	addresses atomic.Int64
}

// visits is how many operations are tried concurrently.
const visits = 8

// walk returns the violations of the server at url, and how many responses were judged.
func walk(t *testing.T, app *boot.App, url string) (findings []string, cases int64) {
	t.Helper()
	w := &walls{
		t:    t,
		app:  app,
		url:  url,
		keys: map[string]string{},
		idle: make(chan *tenant, visits),
	}
	if err := w.prepare(); err != nil {
		return []string{err.Error()}, 0
	}
	days := aroundToday()
	before := w.dump(days)
	var all sync.WaitGroup
	places := make(chan struct{}, visits)
	for _, o := range w.operations {
		places <- struct{}{}
		all.Go(func() {
			defer func() { <-places }()
			w.visit(o)
		})
	}
	all.Wait()
	after := w.dump(days)
	for name, then := range before {
		if now := after[name]; now != then {
			w.report("%s: the victim's data changed from\n%s\nto\n%s", name, then, now)
		}
	}
	slices.Sort(w.findings)
	return slices.Compact(w.findings), w.cases.Load()
}

func (w *walls) report(format string, args ...any) {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.findings = append(w.findings, fmt.Sprintf(format, args...))
}

// open creates a tenant that has what the operation names.
func (w *walls) open(o *operation) *tenant { return o.equip(openTenant(w.t, w.app, w.url)) }

// openIdle is open for requests that must change nothing, so an idle tenant can be reused.
func (w *walls) openIdle(o *operation) *tenant {
	select {
	case s := <-w.idle:
		return o.equip(s)
	default:
		return w.open(o)
	}
}

// release makes a tenant idle if its requests have changed nothing.
func (w *walls) release(s *tenant) {
	if s.err != nil {
		return
	}
	select {
	case w.idle <- s:
	default:
	}
}

// equip lets the tenant create what the operation names: with its platforms, or else by trading.
func (o *operation) equip(s *tenant) *tenant {
	lacks := func(kind string) bool {
		return slices.ContainsFunc(o.places(), func(p place) bool {
			named := o.kindOf(p.name)
			return s.ids[named] == "" && (kind == "" || kind == named)
		})
	}
	for kind, make := range map[string]func(){
		"sync_id": s.synchronise, "webhook_id": s.listen, "log_id": s.listen, "shipper_id": s.ship, "state": s.consent,
		"member_id": s.staff, "invitation_id": s.staff, "console_session_id": s.staff,
		"job_id": s.work, "import_id": s.load, "label_id": s.label,
	} {
		if lacks(kind) {
			make()
		}
	}
	if strings.HasPrefix(o.path, "/p/") || lacks("") {
		s.trade()
	}
	return s
}

// equipFully lets the tenant create everything.
func (s *tenant) equipFully() *tenant {
	s.trade()
	for _, make := range []func(){s.synchronise, s.listen, s.ship, s.consent, s.staff, s.work, s.load} {
		make()
	}
	s.label()
	return s
}

// label buys the shipping label of the order.
func (s *tenant) label() {
	if s.ids["shipper_id"] == "" {
		s.ship()
	}
	if s.ids["order_id"] == "" {
		s.trade()
	}
	const parcel = `{"weight_grams":500,"carrier_code":"stamps_com","service_code":"usps_priority_mail"}`
	s.ids["label_id"] = s.post("/v1/orders/"+s.ids["order_id"]+"/labels", parcel).field("id")
}

func (w *walls) prepare() (err error) {
	if w.operations, err = operations(w.url); err != nil {
		return err
	}
	w.victim = openTenant(w.t, w.app, w.url).secure().equipFully()
	w.strangers = openTenant(w.t, w.app, w.url)
	w.sibling = w.victim.sibling().equipFully()
	for _, s := range []*tenant{w.victim, w.sibling, w.strangers} {
		s.settle()
		if err := s.complete(); err != nil {
			return err
		}
	}
	return w.cutKeys()
}

// groups are the scopes' groups (features/MANAGEMENT.md#keys).
var groups = []string{"projects", "catalog", "agents", "integrations", "finance", "analytics", "events", "keys"}

// cutKeys creates the victim's keys.
func (w *walls) cutKeys() error {
	v := w.victim
	end := time.Now().Add(5 * time.Second).UTC().Format(time.RFC3339Nano) // later than a busy machine creates the key
	w.keys["expired"] = v.post("/v1/api-keys", `{"name":"Short","scopes":["*"],"expires_at":"`+end+`"}`).field("key")
	for _, group := range groups {
		var others []string
		for _, other := range groups {
			if other != group {
				others = append(others, `"`+other+`:write"`)
			}
		}
		w.keys["without "+group+":read"], _ = v.newKey("[" + strings.Join(others, ",") + "]")
		w.keys["without "+group+":write"], _ = v.newKey("[" + strings.Join(append(others, `"`+group+`:read"`), ",") + "]")
		w.keys["only "+group+":read"], _ = v.newKey(`["` + group + `:read"]`)
	}
	w.keys["without finance:read and agents:read"], _ = v.newKey(`["projects:write","catalog:write","integrations:write","analytics:write","events:write","keys:write"]`)
	w.keys["without agents:read and catalog:read"], _ = v.newKey(`["projects:write","integrations:write","finance:write","analytics:write","events:write","keys:write"]`)
	w.keys["without agents:write and catalog:write"], _ = v.newKey(`["agents:read","catalog:read","projects:write","integrations:write","finance:write","analytics:write","events:write","keys:write"]`)
	w.keys["only catalog:write"], _ = v.newKey(`["catalog:write"]`)
	w.keys["sibling"], _ = v.newKey(`["*"]`, w.sibling.ids["project_id"])
	w.keys["both"], _ = v.newKey(`["*"]`, w.sibling.ids["project_id"], v.ids["project_id"])
	var revoked string
	w.keys["revoked"], revoked = v.newKey(`["*"]`)
	if r, err := v.try("DELETE", "/v1/api-keys/"+revoked, ""); err != nil || r.status != 204 {
		return fmt.Errorf("revoking: %w %d", err, r.status)
	}
	for v.err == nil {
		if r, err := v.key(w.keys["expired"]).try("GET", "/v1/projects", ""); err != nil || r.status == 401 {
			return err
		}
		time.Sleep(20 * time.Millisecond)
	}
	return v.err
}

// alive matches fields that change because of reading, a key's use, or background work.
var alive = regexp.MustCompile(`"(last_used_at|last_activity|expires_at|memory_bytes)":(null|[0-9]+|"[^"]*")`)

// aroundToday is the time from yesterday to tomorrow. A report without a time range covers the days up to the current one, and
// would change at midnight.
func aroundToday() map[place]string {
	today := time.Now().UTC().Truncate(24 * time.Hour)
	return map[place]string{
		{"query", "from"}: today.AddDate(0, 0, -1).Format(time.RFC3339),
		{"query", "to"}:   today.AddDate(0, 0, 2).Format(time.RFC3339),
	}
}

// dump returns everything that can be read of the victim and its sibling, in reports of the given days.
func (w *walls) dump(days map[place]string) map[string]string {
	all := map[string]string{}
	for _, s := range []*tenant{w.victim, w.sibling} {
		for _, o := range w.operations {
			if o.method != "GET" {
				continue
			}
			of := days
			if !o.has("query", "to") {
				of = nil
			}
			r, err := o.request(s.ids, of)
			if err != nil {
				continue // visit reports it
			}
			reply, err := w.send(s.caller, r)
			all[o.name()+" of "+s.ids["slug"]] = fmt.Sprint(reply.status, err, alive.ReplaceAllString(reply.body, ""))
		}
	}
	return all
}

func (w *walls) send(c caller, r request) (reply, error) {
	return c.with("X-Request-Id", "walk").with(r.headers...).retry(r.method, r.path, r.body)
}

// visit tries one operation as every caller.
func (w *walls) visit(o *operation) {
	if strings.HasPrefix(o.path, "/p/") {
		w.visitShop(o)
		return
	}
	if o.scope() == "" || !slices.Contains(groups, strings.Split(o.scope(), ":")[0]) {
		w.report("%s: the document names no scope", o.name())
		return
	}
	r, err := o.request(w.victim.ids, nil)
	if err != nil {
		w.report("%s: %v", o.name(), err)
		return
	}
	w.control(o)
	w.refuseStrangers(o, r)
	w.refuseScopes(o, r)
	if o.onProject() {
		w.refuseProjects(o)
	}
	for _, p := range o.places() {
		w.compare(o, "of another account", w.stranger, p)
		if !wholeAccount[o.ID] {
			w.compare(o, "of another project, by a bound key", w.bound, p)
		}
	}
	if all := o.places(); len(all) > 1 {
		w.compare(o, "of another account", w.stranger, all...)
	}
}

// onProject reports whether requests name their project, in the path or in the header.
func (o *operation) onProject() bool {
	return o.has("path", "project_id") || o.has("header", "X-Project-ID")
}

// expect judges one response.
func (w *walls) expect(o *operation, who string, got reply, err error, status int, code string) {
	w.cases.Add(1)
	if err != nil || got.status != status || got.code() != code {
		w.report("%s, %s: %v %d %s, want %d %q", o.name(), who, err, got.status, got.body, status, code)
	}
}

func (w *walls) try(o *operation, who string, c caller, r request, status int, code string) reply {
	got, err := w.send(c, r)
	w.expect(o, who, got, err, status, code)
	return got
}

// noKeys are invalid values of Authorization that contain parts of a valid key.
func (w *walls) noKeys(secret string) map[string]string {
	return map[string]string{
		"without a key":              "",
		"an unknown key":             "Bearer hk_test_" + strings.Repeat("0", 32),
		"a key without scheme":       secret,
		"a key after Basic":          "Basic " + secret,
		"a scheme without key":       "Bearer",
		"a scheme glued to the key":  "Bearer" + secret,
		"two keys in one":            "Bearer " + secret + " " + secret,
		"a key with a comma":         "Bearer " + secret + ", Bearer " + secret,
		"a key in capitals":          "Bearer " + strings.ToUpper(secret),
		"a key cut short":            "Bearer " + secret[:len(secret)-1],
		"a key of 10,000 characters": "Bearer hk_test_" + strings.Repeat("0", 10_000),
		"a key of production":        "Bearer hk_live_" + strings.TrimPrefix(secret, "hk_test_"),
		"a revoked key":              "Bearer " + w.keys["revoked"],
		"an expired key":             "Bearer " + w.keys["expired"],
	}
}

// refuseStrangers tries everything that is not a valid key. All get the same response, which does not reveal what is wrong.
func (w *walls) refuseStrangers(o *operation, r request) {
	body := ""
	stranger := w.victim.with("X-Forwarded-For", fmt.Sprintf("2001:db8:%x::1", w.addresses.Add(1)))
	for who, authorization := range w.noKeys(w.victim.secret) {
		got := w.try(o, who, stranger.with("Authorization", authorization), r, 401, "unauthenticated")
		body = cmp.Or(body, got.body)
		if challenge := got.header.Get("WWW-Authenticate"); challenge != "Bearer" || got.body != body {
			w.report("%s, %s: WWW-Authenticate %q and %s, want Bearer and %s", o.name(), who, challenge, got.body, body)
		}
	}
}

func (w *walls) refuseScopes(o *operation, r request) {
	group, verb, _ := strings.Cut(o.scope(), ":")
	if o.or() != "" {
		w.try(o, "without "+o.scope()+" and "+o.or(), w.victim.key(w.keys["without "+o.scope()+" and "+o.or()]), r, 403, "insufficient_scope")
		alone, status, code := r, 200, ""
		if o.has("path", "job_id") { // keys with only the catalogue's scopes see only imports
			alone, _ = o.request(w.victim.ids, map[place]string{{"path", "job_id"}: w.victim.ids["import_id"]})
		}
		if o.ID == "cancel-job" {
			status, code = 409, "job_finished"
		}
		w.try(o, "with "+o.or()+" alone", w.victim.key(w.keys["only "+o.or()]), alone, status, code)
		return
	}
	w.try(o, "with every scope but "+o.scope(), w.victim.key(w.keys["without "+o.scope()]), r, 403, "insufficient_scope")
	if verb == "write" {
		w.try(o, "with "+group+":read alone", w.victim.key(w.keys["only "+group+":read"]), r, 403, "insufficient_scope")
	}
}

// refuseProjects tries keys on projects that they do not reach, and on unknown projects. All get the same response.
func (w *walls) refuseProjects(o *operation) {
	in := place{"header", "X-Project-ID"}
	if o.has("path", "project_id") {
		in.in, in.name = "path", "project_id"
	}
	type refused struct{ who, secret, project string }
	victims, body := w.victim.ids["project_id"], ""
	onSlugs := []refused{{"on a slug", w.victim.secret, w.victim.ids["slug"]}}
	if in.in == "header" { // accepts slugs of the caller's own projects
		onSlugs = []refused{
			{"the key of another account, on a slug", w.strangers.secret, w.victim.ids["slug"]},
			{"on another account's slug", w.victim.secret, w.strangers.ids["slug"]},
			{"a key bound to another project, on a slug", w.keys["sibling"], w.victim.ids["slug"]},
			{"on an unknown slug", w.victim.secret, "no-such-shop"},
		}
	}
	for _, c := range append(onSlugs, []refused{
		{"the key of another account", w.strangers.secret, victims},
		{"on another account's project", w.victim.secret, w.strangers.ids["project_id"]},
		{"a key bound to another project", w.keys["sibling"], victims},
		{"on an unknown project", w.victim.secret, unknownLike(victims)},
		{"on an unknown project, bound", w.keys["sibling"], unknownLike(victims)},
		{"on a malformed project", w.victim.secret, "proj_x"},
		{"on all projects", w.victim.secret, "*"},
		{"on a project in capitals", w.victim.secret, strings.ToUpper(victims)},
		{"on two projects", w.victim.secret, victims + "," + w.sibling.ids["project_id"]},
	}...) {
		r, err := o.request(w.victim.ids, map[place]string{in: c.project})
		if err != nil {
			w.report("%s: %v", o.name(), err)
			return
		}
		got := w.try(o, c.who, w.victim.key(c.secret), r, 404, "project_not_found")
		if body = cmp.Or(body, got.body); got.body != body {
			w.report("%s, %s: %s, others get %s", o.name(), c.who, got.body, body)
		}
	}
	if in.in == "header" {
		w.requireProject(o)
	}
}

func (w *walls) requireProject(o *operation) {
	r, err := o.request(w.victim.ids, nil)
	if err != nil {
		return
	}
	r.headers = append(r.headers, "X-Project-ID", "")
	w.try(o, "without a project", w.victim.caller, r, 400, "project_required")
	w.try(o, "bound to two, without a project", w.victim.key(w.keys["both"]), r, 400, "project_required")
}
