package agentprofiles

import (
	"bytes"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/capability"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/signing"
)

const address = "https://agent.example/profile.json"

func example(t testing.TB, release capability.Version) []byte {
	t.Helper()
	body, err := os.ReadFile("testdata/platform-" + release.String() + ".json")
	if err != nil {
		t.Fatal(err)
	}
	return body
}

func declared(p agentid.Profile) string {
	var list []string
	for _, d := range p.Declares.Capabilities {
		list = append(list, strings.TrimSpace(fmt.Sprintf("%s %s %s", d.Name, d.Version, strings.Trim(fmt.Sprint(d.Extends), "[]{}"))))
	}
	return strings.Join(list, "\n")
}

// The examples of both versions.
func TestRead(t *testing.T) {
	t.Parallel()
	key, err := signing.ParsePublic("MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4", "4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM")
	if err != nil {
		t.Fatal(err)
	}
	for _, release := range capability.Releases() {
		p, err := Read(example(t, release), address, false)
		if err != nil {
			t.Errorf("%s: %v", release, err)
			continue
		}
		want := strings.ReplaceAll("dev.ucp.common.identity_linking V\ndev.ucp.shopping.checkout V\n"+
			"dev.ucp.shopping.fulfillment V dev.ucp.shopping.checkout\ndev.ucp.shopping.order V", "V", release.String())
		if p.URL != address || p.Declares.Release != release || declared(p) != want {
			t.Errorf("%s: %+v", release, p)
		}
		if len(p.OrderHooks) != 1 || p.OrderHooks[release] != "https://platform.example.com/webhooks/ucp/orders" {
			t.Errorf("%s: the hooks are %v", release, p.OrderHooks)
		}
		if k, ok := p.KeyNamed("platform_2025"); len(p.Keys) != 1 || !ok || k.Public != key {
			t.Errorf("%s: the keys are %+v", release, p.Keys)
		}
		if len(p.Handlers) != 3 || len(slices.Concat(p.Handlers[0].Instruments, p.Handlers[1].Instruments, p.Handlers[2].Instruments)) != 2 {
			t.Errorf("%s: the handlers are %+v", release, p.Handlers)
		}
	}
}

// profile returns a profile with the given ucp.capabilities, and with members after ucp.
func profile(version, capabilities, members string) string {
	return `{"ucp":{"version":"` + version + `","services":{},"payment_handlers":{},"capabilities":{` + capabilities + `}}` + members + `}`
}

func capabilities(entries string) string {
	return profile("2026-08-25", `"dev.ucp.shopping.order":[`+entries+`]`, "")
}

func keys(list string) string { return profile("2026-08-25", "", `,"keys":[`+list+`]`) }

const described = `"version":"2026-08-25","spec":"https://ucp.dev/x","schema":"https://ucp.dev/x"`

// Unusual but valid profiles are accepted.
func TestRead_takes(t *testing.T) {
	t.Parallel()
	const ed = `{"kid":"e","kty":"OKP","crv":"Ed25519","x":"11qYAYKxCrfVS_7TyWQHOg7hcvPapiMlrwIaaPcHURo"`
	for name, test := range map[string]struct {
		body string
		want func(agentid.Profile) bool
	}{
		"no capabilities": {`{"ucp":{"version":"2026-08-25","services":{},"payment_handlers":{}}}`, func(p agentid.Profile) bool { return len(p.Declares.Capabilities) == 0 }},
		"unknown members": {profile("2026-08-25", "", `,"x":[{}],"signing_keys":"no"`), func(p agentid.Profile) bool { return p.Keys == nil }},
		"several parents": {capabilities(`{` + described + `,"extends":["com.a.b","com.a.c"]}`), func(p agentid.Profile) bool { return len(p.Declares.Capabilities[0].Extends) == 2 }},
		"other versions":  {capabilities(`{` + described + `},{` + strings.Replace(described, "2026-08-25", "2026-04-08", 1) + `}`), func(p agentid.Profile) bool { return len(p.Declares.Capabilities) == 2 }},
		"no hook":         {capabilities(`{` + described + `,"config":{}}`), func(p agentid.Profile) bool { return len(p.OrderHooks) == 0 }},
		"a foreign schema": {capabilities(`{` + strings.ReplaceAll(described, "ucp.dev", "evil.example") + `,"config":{"webhook_url":"https://evil.example/"}}`),
			func(p agentid.Profile) bool { return len(p.Declares.Capabilities) == 0 && p.OrderHooks == nil }},
		"another version": {`{"ucp":{"version":"2027-01-01","services":[],"keys":1}}`, func(p agentid.Profile) bool { return p.Declares.Release.String() == "2027-01-01" }},
		"no key":          {keys(""), func(p agentid.Profile) bool { return len(p.Keys) == 0 }},
		"Ed25519":         {keys(ed + `,"alg":"EdDSA","use":"sig","key_ops":["verify"]}`), func(p agentid.Profile) bool { k, ok := p.KeyNamed("e"); return ok && k.Public != nil }},
		"for encryption":  {keys(ed + `,"use":"enc"}`), func(p agentid.Profile) bool { _, ok := p.KeyNamed("e"); return len(p.Keys) == 1 && !ok }},
		"for signing":     {keys(ed + `,"key_ops":["sign"]}`), func(p agentid.Profile) bool { _, ok := p.KeyNamed("e"); return !ok }},
		"RSA":             {keys(`{"kid":"r","kty":"RSA","n":"AQAB","e":"AQAB"}`), func(p agentid.Profile) bool { k, ok := p.KeyNamed("r"); return ok && k.Public == nil }},
		"P-384":           {keys(`{"kid":"p","kty":"EC","crv":"P-384","x":"AA","y":"AA","alg":"ES384"}`), func(p agentid.Profile) bool { k, ok := p.KeyNamed("p"); return ok && k.Public == nil }},
		"EC off the curve": {keys(`{"kid":"business_2025","kty":"EC","crv":"P-256","x":"WbbXwVYGdJoP4Xm3qCkGvBRcRvKtEfXDbWvPzpPS8LA","y":"sP4jHHxYqC89HBo8TjrtVOAGHfJDflYxw7MFMxuFMPY"},` + ed + `}`),
			func(p agentid.Profile) bool {
				_, usable := p.KeyNamed("business_2025")
				_, other := p.KeyNamed("e")
				return !usable && other
			}},
		"short Ed25519": {keys(`{"kid":"k","kty":"OKP","crv":"Ed25519","x":"AAAA"}`), func(p agentid.Profile) bool { _, usable := p.KeyNamed("k"); return len(p.Keys) == 1 && !usable }},
		"an old key without curve": {profile("2026-04-08", "", `,"signing_keys":[{"kid":"k","kty":"EC"}],"keys":[`+ed+`}]`),
			func(p agentid.Profile) bool {
				k, ok := p.KeyNamed("k")
				return ok && k.Public == nil && len(p.Keys) == 1
			}},
		"as deep as may be": {profile("2026-08-25", "", `,"x":`+strings.Repeat("[", 31)+strings.Repeat("]", 31)), func(p agentid.Profile) bool { return true }},
		"as large as may be": {func() string {
			body := profile("2026-08-25", "", `,"x":""`)
			return strings.Replace(body, `""`, `"`+strings.Repeat("x", MaxSize-len(body))+`"`, 1)
		}(), func(p agentid.Profile) bool { return true }},
	} {
		p, err := Read([]byte(test.body), address, false)
		if err != nil || !test.want(p) {
			t.Errorf("%s: %+v, %v", name, p, err)
		}
	}
	// A trusted profile, which the operator supplied, may declare any capability.
	p, err := Read([]byte(capabilities(`{`+strings.ReplaceAll(described, "ucp.dev", "evil.example")+`}`)), address, true)
	if err != nil || len(p.Declares.Capabilities) != 1 {
		t.Errorf("a trusted profile: %+v, %v", p, err)
	}
}

// The error names the first invalid member.
func TestRead_malformed(t *testing.T) {
	t.Parallel()
	const order = "ucp.capabilities.dev.ucp.shopping.order.0"
	const ec = `{"kid":"k","kty":"EC","crv":"P-256","x":"MKBCTNIcKUSDii11ySs3526iDZ8AiTo7Tu6KPAqv7D4"`
	many := func(n int, one string) string { return strings.TrimSuffix(strings.Repeat(one+",", n), ",") }
	var names []string
	for n := range maxNames + 1 {
		names = append(names, fmt.Sprintf(`"com.a.n%d":[]`, n))
	}
	for name, test := range map[string]struct{ body, field string }{
		"empty":                 {"", ""},
		"blank":                 {" \n", ""},
		"HTML":                  {"<!doctype html><p>Hello", ""},
		"cut off":               {`{"ucp":{"version":"2026-08-25"`, ""},
		"two values":            {`{"ucp":{"version":"2027-08-25"}}{}`, ""},
		"a name twice":          {`{"ucp":{"version":"2026-08-25","version":"2026-04-08"}}`, ""},
		"no UTF-8":              {"{\"ucp\":{\"version\":\"2026-08-25\"},\"x\":\"\xff\"}", ""},
		"too large":             {profile("2026-08-25", "", `,"x":"`+strings.Repeat("x", MaxSize)+`"`), ""},
		"too deep":              {profile("2026-08-25", "", `,"x":`+strings.Repeat("[", 32)+strings.Repeat("]", 32)), ""},
		"much too deep":         {strings.Repeat("[", 100_000), ""},
		"a list":                {`[]`, ""},
		"nothing":               {`null`, "ucp.version"},
		"empty object":          {`{}`, "ucp.version"},
		"ucp as text":           {`{"ucp":"2026-08-25"}`, "ucp"},
		"version in other case": {`{"ucp":{"Version":"2026-08-25"}}`, "ucp.version"},
		"version as number":     {`{"ucp":{"version":20260825}}`, "ucp.version"},
		"version of no day":     {`{"ucp":{"version":"draft"}}`, "ucp.version"},
		"no services":           {`{"ucp":{"version":"2026-08-25","payment_handlers":{}}}`, "ucp.services"},
		"no handlers":           {`{"ucp":{"version":"2026-08-25","services":{}}}`, "ucp.payment_handlers"},
		"a list of services":    {`{"ucp":{"version":"2026-08-25","services":[],"payment_handlers":{}}}`, "ucp.services"},
		"service without kind":  {`{"ucp":{"version":"2026-08-25","services":{"com.a.b":[{"version":"2026-08-25"}]},"payment_handlers":{}}}`, "ucp.services.com.a.b.0.transport"},
		"service of a kind":     {`{"ucp":{"version":"2026-08-25","services":{"com.a.b":[{"version":"2026-08-25","transport":"smtp"}]},"payment_handlers":{}}}`, "ucp.services.com.a.b.0.transport"},
		"service by a2a":        {`{"ucp":{"version":"2026-08-25","services":{"com.a.b":[{"version":"2026-08-25","transport":"a2a"}]},"payment_handlers":{}}}`, "ucp.services.com.a.b.0.spec"},
		"service by rest":       {`{"ucp":{"version":"2026-08-25","services":{"com.a.b":[{"version":"2026-08-25","transport":"rest","spec":""}]},"payment_handlers":{}}}`, "ucp.services.com.a.b.0.schema"},
		"handler without id":    {`{"ucp":{"version":"2026-08-25","services":{},"payment_handlers":{"com.a.b":[{` + described + `}]}}}`, "ucp.payment_handlers.com.a.b.0.id"},
		"handler without types": {`{"ucp":{"version":"2026-08-25","services":{},"payment_handlers":{"com.a.b":[{` + described + `,"id":"x","available_instruments":[]}]}}}`, "ucp.payment_handlers.com.a.b.0.available_instruments"},
		"instrument of no type": {`{"ucp":{"version":"2026-08-25","services":{},"payment_handlers":{"com.a.b":[{` + described + `,"id":"x","available_instruments":[{}]}]}}}`, "ucp.payment_handlers.com.a.b.0.available_instruments"},
		"a name of no domain":   {profile("2026-08-25", `"Checkout":[]`, ""), "ucp.capabilities"},
		"many names":            {profile("2026-08-25", strings.Join(names, ","), ""), "ucp.capabilities"},
		"many entries":          {capabilities(many(maxEntries+1, `{`+described+`}`)), "ucp.capabilities.dev.ucp.shopping.order"},
		"an entry, not a list":  {profile("2026-08-25", `"dev.ucp.shopping.order":{}`, ""), "ucp.capabilities.dev.ucp.shopping.order"},
		"an entry of no object": {capabilities(`null`), order + ".version"},
		"an entry of text":      {capabilities(`"x"`), order},
		"no version":            {capabilities(`{"spec":"","schema":""}`), order + ".version"},
		"version of the entry":  {capabilities(`{"version":"1.0","spec":"","schema":""}`), order + ".version"},
		"no spec":               {capabilities(`{"version":"2026-08-25","schema":""}`), order + ".spec"},
		"no schema":             {capabilities(`{"version":"2026-08-25","spec":""}`), order + ".schema"},
		"config as text":        {capabilities(`{` + described + `,"config":"x"}`), order + ".config"},
		"hook as number":        {capabilities(`{` + described + `,"config":{"webhook_url":1}}`), order + ".config.webhook_url"},
		"hook of no host":       {capabilities(`{` + described + `,"config":{"webhook_url":"/orders"}}`), order + ".config.webhook_url"},
		"long hook":             {capabilities(`{` + described + `,"config":{"webhook_url":"https://a.example/` + strings.Repeat("x", maxHookBytes) + `"}}`), order + ".config.webhook_url"},
		"no parent":             {capabilities(`{` + described + `,"extends":[]}`), order + ".extends"},
		"many parents":          {capabilities(`{` + described + `,"extends":[` + many(maxParents+1, `"com.a.b"`) + `]}`), order + ".extends"},
		"parent of no domain":   {capabilities(`{` + described + `,"extends":"checkout"}`), order + ".extends"},
		"parent as number":      {capabilities(`{` + described + `,"extends":1}`), order + ".extends"},
		"keys as object":        {profile("2026-08-25", "", `,"keys":{}`), "keys"},
		"many keys":             {keys(many(maxKeys+1, `{"kid":"k","kty":"RSA"}`)), "keys"},
		"key without id":        {keys(`{"kty":"RSA"}`), "keys.0.kid"},
		"key without type":      {keys(`{"kid":"k"}`), "keys.0.kty"},
		"long id":               {keys(`{"kid":"` + strings.Repeat("k", maxKeyID+1) + `","kty":"RSA"}`), "keys.0.kid"},
		"EC without curve":      {keys(`{"kid":"k","kty":"EC"}`), "keys.0.crv"},
		"EC without y":          {keys(ec + `}`), "keys.0.y"},
		"EC by another name":    {keys(ec + `,"y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","alg":"ES384"}`), "keys.0.alg"},
		"OKP without x":         {keys(`{"kid":"k","kty":"OKP","crv":"Ed25519"}`), "keys.0.x"},
		"a private key":         {keys(ec + `,"y":"4Etl6SRW2YiLUrN5vfvVHuhp7x8PxltmWWlbbM4IFyM","d":"x"}`), "keys.0.d"},
		"a symmetric key":       {keys(`{"kid":"k","kty":"oct","k":"AAAA"}`), "keys.0.k"},
		"an old private key":    {profile("2026-04-08", "", `,"signing_keys":[{"kid":"k","kty":"EC","d":null}]`), "signing_keys.0.d"},
	} {
		_, err := Read([]byte(test.body), address, false)
		if !fault.Is(err, "profile_malformed") || fault.KindOf(err) != fault.Invalid {
			t.Errorf("%s: %v", name, err)
			continue
		}
		if details := err.(*fault.Error).Details; test.field == "" && len(details) > 0 || test.field != "" && (len(details) != 1 || details[0].Field != test.field) {
			t.Errorf("%s: %v, want %s", name, err, test.field)
		}
		if message := err.(*fault.Error).Message; len(message) > 700 || strings.Contains(message, "Hello") {
			t.Errorf("%s: %s", name, message)
		}
	}
}

// Any input is either read within the limits or refused.
func FuzzRead(f *testing.F) {
	for _, release := range capability.Releases() {
		f.Add(example(f, release))
	}
	f.Add([]byte(keys(`{"kid":"k","kty":"oct","k":"AAAA"}`)))
	f.Fuzz(func(t *testing.T, body []byte) {
		p, err := Read(body, address, false)
		if err != nil && !fault.Is(err, "profile_malformed") {
			t.Error(err)
		}
		if len(p.Keys) > maxKeys || len(p.Declares.Capabilities) > maxNames*maxEntries || len(p.OrderHooks) > maxEntries {
			t.Errorf("%+v", p)
		}
		if again, _ := Read(bytes.Clone(body), address, true); err == nil && len(again.Declares.Capabilities) < len(p.Declares.Capabilities) {
			t.Error("trust takes capabilities away")
		}
	})
}
