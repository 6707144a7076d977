package exposure

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
)

// control is the expected response to a permitted request.
type control struct {
	status int
	code   string
}

func (o *operation) control() control {
	if other, ok := controls[o.ID]; ok {
		return other
	}
	return control{status: o.succeeds()}
}

// controls are the responses to permitted requests that lack something else, or have one of several success statuses. All
// others return their documented success status.
var controls = map[string]control{
	"confirm-mfa": {404, "mfa_not_found"},
	"disable-mfa": {404, "mfa_not_found"},
	// The tenant's member has no second factor, and the caller would need one.
	"reset-member-mfa": {409, "mfa_not_enrolled"},

	"cancel-order":     {409, "return_open"},
	"acp-order-cancel": {409, "return_open"},

	"resolve-payment": {409, "payment_decided"},
	"resolve-refund":  {409, "refund_decided"},
	"resolve-orphan":  {404, "orphan_not_found"},
	// The shop exports its orders to no platform.
	"get-platform-order":   {404, "platform_order_not_found"},
	"retry-platform-order": {404, "platform_order_not_found"},
	"get-crm-deal":         {404, "crm_deal_not_found"},
	"retry-crm-deal":       {404, "crm_deal_not_found"},

	"cancel-sync": {409, "sync_ended"},
	"cancel-job":  {409, "job_finished"},
	// The next key must have been published for ten minutes.
	"rotate-signing-keys": {409, "signing_key_too_new"},

	"create-shipping-label": {201, ""}, // 200 for a label that was bought before

	"tune-agent":        {409, "too_few_negotiations"},
	"get-agent-holdout": {409, "no_holdout"},

	"send-test-buyers": {409, "buyers_unavailable"}, // the test has no haggle-sim

	"redeliver-event":         {409, "subscription_disabled"},
	"redeliver-failed-events": {409, "subscription_disabled"},
	"test-event-subscription": {409, "subscription_disabled"},
}

// aboutMembers are operations that require, besides their scope, all scopes of the member.
var aboutMembers = map[string]bool{
	"create-invitation":    true,
	"update-member":        true,
	"remove-member":        true,
	"create-password-link": true,
	"reset-member-mfa":     true,
	"end-console-session":  true,
	"end-console-sessions": true,
}

// wholeAccount are operations that name something and are refused to all keys that are bound to projects: see
// TestBoundKeysDoNotActForTheWholeAccount.
var wholeAccount = map[string]bool{
	"create-password-link":  true,
	"reset-member-mfa":      true,
	"list-console-sessions": true,
	"end-console-session":   true,
	"end-console-sessions":  true,
}

// control sends each operation as a permitted caller with the minimal scope, because refusals alone would prove nothing. A key
// bound to one project need not name it.
func (w *walls) control(o *operation) {
	group, _, _ := strings.Cut(o.scope(), ":")
	scopes := `["` + group + `:write"]`
	if aboutMembers[o.ID] {
		scopes = `["*"]`
	}
	open := w.open
	if o.method == "GET" {
		open = w.openIdle
	}
	shop := open(o)
	secret, _ := shop.newKey(scopes)
	w.permit(o, shop, secret)
	if o.has("header", "X-Project-ID") {
		shop = open(o)
		secret, _ = shop.newKey(scopes, shop.ids["project_id"])
		w.permit(o, shop, secret, "X-Project-ID", "")
	}
}

// permit expects the operation to succeed, with a response that contains no id of the victim.
func (w *walls) permit(o *operation, shop *tenant, secret string, headers ...string) {
	r, err := o.request(shop.ids, nil)
	if err = cmp.Or(shop.complete(), err); err != nil {
		w.report("%s: %v", o.name(), err)
		return
	}
	r.headers = append(r.headers, headers...)
	want := o.control()
	got := w.try(o, "as its owner", shop.key(secret), r, want.status, want.code)
	for kind, value := range w.victim.ids {
		if strings.Contains(got.body, value) {
			w.report("%s: tells another account's %s: %s", o.name(), kind, got.body)
		}
	}
	if o.method == "GET" {
		w.release(shop)
	}
}

// unknownLike returns a value of the same form that nothing has.
func unknownLike(known string) string {
	mark, rest, found := strings.Cut(known, "_")
	if !found || rest == "" { // a secret may end with a separator
		mark, rest = "", known
	} else {
		mark += "_"
	}
	letters := []byte(rest)
	slices.Reverse(letters)
	if letters[0] == letters[len(letters)-1] { // a reversed value must differ
		letters[0] = map[bool]byte{true: '7', false: '6'}[letters[0] != '7']
	}
	return mark + string(letters)
}

// side is a tenant that sends requests as a caller, and the ids of others that it puts into them.
type side struct {
	*tenant
	as     caller
	others map[string]string
	idle   bool // the tenant can be reused if the request changes nothing
}

// stranger returns a tenant with the ids of another account.
func (w *walls) stranger(o *operation, harmless bool) side {
	s := w.attacker(o, harmless)
	return side{s, s.caller, w.victim.ids, harmless}
}

// bound returns a key that is bound to one project, with the ids of another project of its account.
func (w *walls) bound(o *operation, harmless bool) side {
	s := w.attacker(o, harmless)
	if s.other == nil {
		s.other = s.sibling()
		s.bound, _ = s.newKey(`["*"]`, s.ids["project_id"])
	}
	s.err = cmp.Or(s.err, o.equip(s.other).complete())
	return side{s, s.key(s.bound), s.other.ids, harmless}
}

// attacker returns a tenant: a reused one if its requests must be refused or only read (harmless), otherwise a new one.
func (w *walls) attacker(o *operation, harmless bool) *tenant {
	if harmless {
		return w.openIdle(o)
	}
	return w.open(o)
}

// compare sends an operation with another tenant's ids in the places, and with unknown ids, from a tenant that owns everything
// else in the request. The responses must not differ. One tenant sends both requests, unless the first may change something.
func (w *walls) compare(o *operation, whose string, open func(_ *operation, harmless bool) side, places ...place) {
	what := fmt.Sprint(places, " ", whose)
	inPath := slices.ContainsFunc(places, func(p place) bool { return p.in == "path" })
	harmless := inPath || o.method == "GET"
	var seen [2]string
	var s side
	for i := range seen {
		if s.tenant == nil {
			s = open(o, harmless)
		}
		if err := s.complete(); err != nil {
			w.report("%s, %s: %v", o.name(), what, err)
			return
		}
		changed := map[place]string{}
		for _, p := range places {
			known := s.others[o.kindOf(p.name)]
			if known == "" {
				w.report("%s: the walk knows no value for %s", o.name(), p)
				return
			}
			if changed[p] = known; i == 1 {
				changed[p] = unknownLike(known)
			}
		}
		r, err := o.request(s.ids, changed)
		if err != nil {
			w.report("%s, %s: %v", o.name(), what, err)
			return
		}
		got, err := w.send(s.as, r)
		w.cases.Add(1)
		seen[i] = fmt.Sprint(err, " ", anonymous(got, s.tenant, changed))
		if got.status >= 500 || got.status == http.StatusUnauthorized || inPath && got.status != http.StatusNotFound {
			w.report("%s, %s: %d %s", o.name(), what, got.status, got.body)
		}
		if !harmless {
			s = side{} // the next tenant must be in the same state
		}
	}
	if s.idle {
		w.release(s.tenant)
	}
	if seen[0] != seen[1] {
		w.report("%s, %s: it is told from an unknown one:\n%s\n%s", o.name(), what, seen[0], seen[1])
	}
}

var (
	newID  = regexp.MustCompile(`\b[a-z]+_[0-9a-z]{26}\b`)
	moment = regexp.MustCompile(`\d{4}-\d\d-\d\dT[0-9:.]+Z`)
	secret = regexp.MustCompile(`\b(hk_test_\w+|bt_[\w-]+)`)
)

// anonymous returns a response without what differs each time: the given ids, the caller's ids, new ids and times.
func anonymous(r reply, shop *tenant, changed map[place]string) string {
	body := r.body
	for _, value := range changed {
		body = strings.ReplaceAll(body, value, "GIVEN")
	}
	kinds := slices.Sorted(maps.Keys(shop.ids))
	slices.SortStableFunc(kinds, func(a, b string) int { return len(shop.ids[b]) - len(shop.ids[a]) }) // an email before the slug in it
	for _, kind := range kinds {
		body = strings.ReplaceAll(body, shop.ids[kind], kind)
	}
	body = secret.ReplaceAllString(body, "SECRET")
	body = newID.ReplaceAllString(body, "ID")
	body = moment.ReplaceAllString(body, "TIME")
	h := r.header.Clone()
	for _, moving := range []string{"Date", "Content-Length", "Ratelimit-Remaining", "Ratelimit-Reset"} {
		h.Del(moving)
	}
	var lines []string
	for _, name := range slices.Sorted(maps.Keys(h)) {
		lines = append(lines, fmt.Sprint(name, h[name]))
	}
	return fmt.Sprint(r.status, " ", body, " ", lines)
}

// visitShop tries an operation of buyers, who have no keys: they may use what they know the id of, in its own shop. A key of
// another shop's owner makes no difference.
func (w *walls) visitShop(o *operation) {
	if len(o.Security) != 1 || len(o.Security[0]) != 0 {
		w.report("%s: the document asks buyers for a key", o.name())
	}
	shop := w.open(o)
	r, err := o.request(shop.ids, nil)
	if err = cmp.Or(shop.complete(), err); err != nil {
		w.report("%s: %v", o.name(), err)
		return
	}
	buyer := shop.with("Authorization", "")
	anybody := func(*operation, bool) side { return side{shop, buyer, w.victim.ids, false} }
	owner := func(*operation, bool) side { return side{shop, shop.key(w.victim.secret), w.victim.ids, false} }
	for _, p := range o.places() {
		w.compare(o, "of another shop", anybody, p)
		w.compare(o, "of another shop, by its owner", owner, p)
	}
	if all := o.places(); len(all) > 1 {
		w.compare(o, "of another shop", anybody, all...)
	}
	unknown := r
	unknown.path = strings.Replace(r.path, shop.ids["slug"], "no-such-shop", 1)
	w.try(o, "in an unknown shop", buyer, unknown, 404, "project_not_found")
	want := o.control()
	w.try(o, "with a key that nobody asks for", shop.with("Authorization", "Bearer nonsense"), r, want.status, want.code)
}
