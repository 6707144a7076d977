package project_test

import (
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
	_ "time/tzdata" // the zones below, wherever the tests run

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
	"github.com/haggle-commerce/haggle/domain/project"
)

var (
	noon  = time.Date(2026, 3, 2, 12, 0, 0, 0, time.UTC)
	later = noon.Add(time.Hour)
)

type settings = project.SettingsPatch

func open(t *testing.T, s settings) *project.Project {
	t.Helper()
	p, err := project.Open(id.New[id.Project]([16]byte{1}), id.New[id.Account]([16]byte{2}),
		project.Draft{
			Name:        "Summit",
			Slug:        "summit",
			Description: "Tents.",
			Settings:    s,
		}, noon)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func fields(err error) []string {
	var e *fault.Error
	if !errors.As(err, &e) || e.Kind != fault.Invalid || e.Code != "validation_error" {
		return nil
	}
	var names []string
	for _, d := range e.Details {
		names = append(names, d.Field)
	}
	return names
}

func TestDefaultSettings(t *testing.T) {
	t.Parallel()
	want := project.Settings{
		Timezone:           "UTC",
		Locale:             "en-US",
		Currency:           money.USD,
		NegotiationEnabled: true,
		MaxDiscount:        200,
		BundleSuggestions:  true,
		MaxTokens:          1024,
		Temperature:        700,
		AlertChannels:      []string{},
		IPAllowlist:        []string{},
		SessionMinutes:     30,
		Retention: project.Retention{
			Messages:   30,
			Sessions:   30,
			Decisions:  180,
			Events:     90,
			Deliveries: 90,
			Logs:       90,
		},
		Protocols: project.Protocols{UCP: true, MCP: true},
	}
	p := open(t, settings{})
	if !reflect.DeepEqual(p.Settings, want) {
		t.Errorf("%+v, want %+v", p.Settings, want)
	}
	if p.Status.String() != "active" || p.Settings.SessionTimeout() != 30*time.Minute || p.Settings.Location() != time.UTC {
		t.Errorf("status %s, timeout %s, zone %s", p.Status, p.Settings.SessionTimeout(), p.Settings.Location())
	}
}

// values has the edges of every setting's range: the accepted values, the refused values, and the path in the error if
// the settings came in their groups. For flat settings, the path is "settings." and the part without the group.
var values = []struct {
	path       string
	good, evil []settings
}{
	{"general.timezone",
		[]settings{{Timezone: patch.To("Europe/Berlin")}, {Timezone: patch.To("UTC")}, {Timezone: patch.To("Asia/Kolkata")}},
		[]settings{{Timezone: patch.To("")}, {Timezone: patch.To("Local")}, {Timezone: patch.To("Mars/Base")}, {Timezone: patch.To("../zone")}}},
	{"general.locale",
		[]settings{{Locale: patch.To("de-DE")}, {Locale: patch.To("en")}, {Locale: patch.To("zh-Hant-TW")}, {Locale: patch.To("es-419")}},
		[]settings{{Locale: patch.To("")}, {Locale: patch.To("english")}, {Locale: patch.To("en_US")}, {Locale: patch.To("EN-us")}}},
	{"general.default_currency",
		[]settings{{Currency: patch.To("EUR")}, {Currency: patch.To("JPY")}},
		[]settings{{Currency: patch.To("eur")}, {Currency: patch.To("")}, {Currency: patch.To("XXX")}}},
	{"commerce.max_discount_percent",
		[]settings{{MaxDiscount: patch.To[money.Percent](0)}, {MaxDiscount: patch.To[money.Percent](900)}},
		[]settings{{MaxDiscount: patch.To[money.Percent](-1)}, {MaxDiscount: patch.To[money.Percent](901)}}},
	{"agents.default_llm_provider",
		[]settings{{LLMProvider: patch.To(strings.Repeat("é", 200))}}, []settings{{LLMProvider: patch.To(strings.Repeat("é", 201))}}},
	{"agents.default_llm_model",
		[]settings{{LLMModel: patch.To(strings.Repeat("é", 200))}}, []settings{{LLMModel: patch.To(strings.Repeat("é", 201))}}},
	{"agents.max_tokens_per_request",
		[]settings{{MaxTokens: patch.To(1)}, {MaxTokens: patch.To(1_000_000)}},
		[]settings{{MaxTokens: patch.To(0)}, {MaxTokens: patch.To(1_000_001)}}},
	{"agents.temperature",
		[]settings{{Temperature: patch.To(0)}, {Temperature: patch.To(2000)}},
		[]settings{{Temperature: patch.To(-1)}, {Temperature: patch.To(2001)}}},
	{"notifications.chat_webhook",
		[]settings{{ChatWebhook: patch.To("https://chat.example.com/hook?x=1")}, {ChatWebhook: patch.To("")}},
		[]settings{{ChatWebhook: patch.To("http://chat.example.com")}, {ChatWebhook: patch.To("https://")}, {ChatWebhook: patch.To("chat")},
			{ChatWebhook: patch.To("https://127.1/")}, {ChatWebhook: patch.To("https://2130706433/")}, {ChatWebhook: patch.To("https://0x7f.0x1/")},
			{ChatWebhook: patch.To("https://me:secret@example.com")}, {ChatWebhook: patch.To("https://example.com/" + strings.Repeat("x", 2000))}}},
	{"notifications.alert_channels.1", nil, []settings{{AlertChannels: patch.To([]string{"email", "pager"})}}},
	{"notifications.alert_channels",
		[]settings{{AlertChannels: patch.To([]string{"email", "chat"})}, {AlertChannels: patch.To([]string{})}},
		[]settings{{AlertChannels: patch.To([]string{"chat", "chat"})}}},
	{"security.ip_allowlist.1", nil, []settings{
		{IPAllowlist: patch.To([]string{"10.0.0.1", "10.0.0"})}, {IPAllowlist: patch.To([]string{"10.0.0.1", "10.0.0.0/33"})},
		{IPAllowlist: patch.To([]string{"10.0.0.1", "example.com"})}}},
	{"security.ip_allowlist",
		[]settings{{IPAllowlist: patch.To([]string{"10.0.0.1", "10.0.0.0/8", "2001:db8::1", "2001:db8::/32"})},
			{IPAllowlist: patch.To(slices.Repeat([]string{"::1"}, 100))}},
		[]settings{{IPAllowlist: patch.To(slices.Repeat([]string{"::1"}, 101))}}},
	{"security.session_timeout_minutes",
		[]settings{{SessionMinutes: patch.To(5)}, {SessionMinutes: patch.To(1440)}},
		[]settings{{SessionMinutes: patch.To(4)}, {SessionMinutes: patch.To(1441)}}},
	{"retention.messages", retained(func(r *retention) *days { return &r.Messages }, 1, 3650), retained(func(r *retention) *days { return &r.Messages }, 0, 3651)},
	{"retention.sessions", retained(func(r *retention) *days { return &r.Sessions }, 1, 180), retained(func(r *retention) *days { return &r.Sessions }, 0, -1)},
	{"retention.decisions", retained(func(r *retention) *days { return &r.Decisions }, 30, 3650), retained(func(r *retention) *days { return &r.Decisions }, 6, 29, 3651)},
	{"retention.events", retained(func(r *retention) *days { return &r.Events }, 90, 3650), retained(func(r *retention) *days { return &r.Events }, 3651)},
	{"retention.deliveries", retained(func(r *retention) *days { return &r.Deliveries }, 1, 90), retained(func(r *retention) *days { return &r.Deliveries }, 0, 91)},
	{"retention.logs", retained(func(r *retention) *days { return &r.Logs }, 1, 3650), retained(func(r *retention) *days { return &r.Logs }, 0, 3651)},
	{"agents.authentication",
		[]settings{{AgentAuthentication: patch.To("open")}, {AgentAuthentication: patch.To("signed")}},
		[]settings{{AgentAuthentication: patch.To("Signed")}, {AgentAuthentication: patch.To("none")}}},
	{"protocols.oai_acp",
		[]settings{{Protocols: protocols{OAIACP: patch.To(false)}}, {Protocols: protocols{UCP: patch.To(false), MCP: patch.To(false)}}},
		[]settings{{Protocols: protocols{OAIACP: patch.To(true)}}}},
}

type (
	retention = project.RetentionPatch
	days      = patch.Field[int]
	protocols = project.ProtocolsPatch
)

// retained returns settings with one retention set to each of the values.
func retained(field func(*retention) *days, values ...int) (list []settings) {
	for _, n := range values {
		var s settings
		*field(&s.Retention) = patch.To(n)
		list = append(list, s)
	}
	return list
}

// Settings that depend on each other can be changed together.
func TestRetention_dependentFields(t *testing.T) {
	t.Parallel()
	s := settings{Retention: retention{
		Sessions:   patch.To(400),
		Decisions:  patch.To(400),
		Events:     patch.To(10),
		Deliveries: patch.To(10),
	}}
	if err := open(t, settings{}).Change(project.Change{Settings: s}, later); err != nil {
		t.Error(err)
	}
}

func TestProject_Change_settingBounds(t *testing.T) {
	t.Parallel()
	for _, v := range values {
		_, name, _ := strings.Cut(v.path, ".")
		for i, good := range v.good {
			if err := open(t, settings{}).Change(project.Change{Settings: good}, later); err != nil {
				t.Errorf("%s, good value %d: %v", v.path, i, err)
			}
		}
		for i, evil := range v.evil {
			flat := open(t, settings{}).Change(project.Change{Settings: evil}, later)
			grouped := open(t, settings{}).Change(project.Change{Settings: evil, Grouped: true}, later)
			_, opened := project.Open(id.Project{}, id.Account{}, project.Draft{
				Name:     "Summit",
				Slug:     "summit",
				Settings: evil,
			}, noon)
			for _, refusal := range []struct {
				path string
				err  error
			}{{"settings." + name, flat}, {"settings." + name, opened}, {v.path, grouped}} {
				if !slices.Equal(fields(refusal.err), []string{refusal.path}) {
					t.Errorf("%s, evil value %d: refused %q", refusal.path, i, fields(refusal.err))
				}
			}
		}
	}
}

func TestProject_Change_nullRestoresDefaults(t *testing.T) {
	t.Parallel()
	all := settings{
		Timezone:            patch.To("Asia/Tokyo"),
		Locale:              patch.To("ja-JP"),
		Currency:            patch.To("JPY"),
		NegotiationEnabled:  patch.To(false),
		MaxDiscount:         patch.To[money.Percent](50),
		BundleSuggestions:   patch.To(false),
		SubscriptionEnabled: patch.To(true),
		LLMProvider:         patch.To("a"),
		LLMModel:            patch.To("b"),
		MaxTokens:           patch.To(5),
		Temperature:         patch.To(5),
		EmailEnabled:        patch.To(true),
		ChatWebhook:         patch.To("https://example.com"),
		AlertChannels:       patch.To([]string{"email"}),
		IPAllowlist:         patch.To([]string{"::1"}),
		MFARequired:         patch.To(true),
		SessionMinutes:      patch.To(5),
		Retention: retention{
			Messages:   patch.To(1),
			Sessions:   patch.To(2),
			Decisions:  patch.To(30),
			Events:     patch.To(5),
			Deliveries: patch.To(4),
			Logs:       patch.To(3),
		},
		Protocols:           protocols{UCP: patch.To(false), MCP: patch.To(false)},
		AgentAuthentication: patch.To("signed"),
	}
	p := open(t, all)
	given, defaults := reflect.ValueOf(p.Settings), reflect.ValueOf(project.DefaultSettings())
	for i := range given.NumField() {
		if reflect.DeepEqual(given.Field(i).Interface(), defaults.Field(i).Interface()) {
			t.Errorf("%s was not changed", given.Type().Field(i).Name)
		}
	}
	nulls := settings{
		Timezone:            patch.Null[string](),
		Locale:              patch.Null[string](),
		Currency:            patch.Null[string](),
		NegotiationEnabled:  patch.Null[bool](),
		MaxDiscount:         patch.Null[money.Percent](),
		BundleSuggestions:   patch.Null[bool](),
		SubscriptionEnabled: patch.Null[bool](),
		LLMProvider:         patch.Null[string](),
		LLMModel:            patch.Null[string](),
		MaxTokens:           patch.Null[int](),
		Temperature:         patch.Null[int](),
		EmailEnabled:        patch.Null[bool](),
		ChatWebhook:         patch.Null[string](),
		AlertChannels:       patch.Null[[]string](),
		IPAllowlist:         patch.Null[[]string](),
		MFARequired:         patch.Null[bool](),
		SessionMinutes:      patch.Null[int](),
		Retention: retention{
			Messages:   patch.Null[int](),
			Sessions:   patch.Null[int](),
			Decisions:  patch.Null[int](),
			Events:     patch.Null[int](),
			Deliveries: patch.Null[int](),
			Logs:       patch.Null[int](),
		},
		Protocols: protocols{
			UCP:    patch.Null[bool](),
			MCP:    patch.Null[bool](),
			OAIACP: patch.Null[bool](),
		},
		AgentAuthentication: patch.Null[string](),
	}
	if err := p.Change(project.Change{Settings: nulls, Grouped: true}, later); err != nil || !reflect.DeepEqual(p.Settings, project.DefaultSettings()) {
		t.Errorf("%+v, %v", p.Settings, err)
	}
}

func TestSettings_Region(t *testing.T) {
	t.Parallel()
	for locale, want := range map[string]string{"en-US": "US", "de-DE": "DE", "zh-Hant-TW": "TW", "en": "", "es-419": "", "zh-Hant": ""} {
		if got := (project.Settings{Locale: locale}).Region(); got != want {
			t.Errorf("%s: %q, want %q", locale, got, want)
		}
	}
}

func TestSettings_Location_fallback(t *testing.T) {
	t.Parallel()
	if got := (project.Settings{Timezone: "Europe/Berlin"}).Location().String(); got != "Europe/Berlin" {
		t.Errorf("got %s", got)
	}
	if got := (project.Settings{Timezone: "Gone/Zone"}).Location(); got != time.UTC {
		t.Errorf("got %s", got)
	}
}

func TestAgentsSign(t *testing.T) {
	for _, c := range []struct {
		setting       string
		sandbox, want bool
	}{
		{"", true, false}, {"", false, true}, {"open", true, false}, {"open", false, false}, {"signed", true, true}, {"signed", false, true},
	} {
		if got := (project.Settings{AgentAuthentication: c.setting}).AgentsSign(c.sandbox); got != c.want {
			t.Errorf("%q, in the sandbox: %v: %v", c.setting, c.sandbox, got)
		}
	}
}
