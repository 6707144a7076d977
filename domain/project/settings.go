package project

import (
	"fmt"
	"net/netip"
	"net/url"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/money"
	"github.com/haggle-commerce/haggle/domain/patch"
)

// Settings are the settings of a project (features/MANAGEMENT.md#settings). Its groups exist in the API only.
type Settings struct {
	Timezone string // IANA
	Locale   string // BCP 47
	Currency money.Currency

	NegotiationEnabled  bool
	MaxDiscount         money.Percent // of the list price
	BundleSuggestions   bool
	SubscriptionEnabled bool

	LLMProvider string
	LLMModel    string
	MaxTokens   int
	Temperature int // thousandths

	AgentAuthentication string // of buyers' agents; "": depends on the environment (AgentsSign)

	EmailEnabled  bool
	ChatWebhook   string
	AlertChannels []string

	IPAllowlist    []string
	MFARequired    bool
	SessionMinutes int

	Retention Retention

	Protocols Protocols
}

// DefaultSettings returns the default settings of a project (features/MANAGEMENT.md#settings).
func DefaultSettings() Settings {
	return Settings{
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
		Retention:          DefaultRetention(),
		Protocols:          DefaultProtocols(),
	}
}

// SessionTimeout returns how long a buyer's session lives without a request.
func (s Settings) SessionTimeout() time.Duration {
	return time.Duration(s.SessionMinutes) * time.Minute
}

// Region returns the country of the locale, "US" for en-US, or "" if it has none.
func (s Settings) Region() string {
	for _, part := range strings.Split(s.Locale, "-")[1:] {
		if len(part) == 2 {
			return part
		}
	}
	return ""
}

// Location returns the time zone of dates on orders and receipts.
func (s Settings) Location() *time.Location {
	zone, err := time.LoadLocation(s.Timezone)
	if err != nil {
		return time.UTC
	}
	return zone
}

// SettingsPatch is a partial change of settings.
type SettingsPatch struct {
	Timezone patch.Field[string]
	Locale   patch.Field[string]
	Currency patch.Field[string]

	NegotiationEnabled  patch.Field[bool]
	MaxDiscount         patch.Field[money.Percent]
	BundleSuggestions   patch.Field[bool]
	SubscriptionEnabled patch.Field[bool]

	LLMProvider patch.Field[string]
	LLMModel    patch.Field[string]
	MaxTokens   patch.Field[int]
	Temperature patch.Field[int]

	AgentAuthentication patch.Field[string]

	EmailEnabled  patch.Field[bool]
	ChatWebhook   patch.Field[string]
	AlertChannels patch.Field[[]string]

	IPAllowlist    patch.Field[[]string]
	MFARequired    patch.Field[bool]
	SessionMinutes patch.Field[int]

	Retention RetentionPatch

	Protocols ProtocolsPatch
}

// groups has the check of each group of settings.
type groups struct {
	general, commerce, agents, notifications, security, retention, protocols fault.Check
}

// change applies a patch with flat fields, as in a project's own settings.
func (s *Settings) change(p SettingsPatch, c fault.Check) {
	s.apply(p, groups{c, c, c, c, c, c, c})
}

// changeGrouped applies a patch with fields in groups.
func (s *Settings) changeGrouped(p SettingsPatch, c fault.Check) {
	s.apply(p, groups{
		general:       c.In("general"),
		commerce:      c.In("commerce"),
		agents:        c.In("agents"),
		notifications: c.In("notifications"),
		security:      c.In("security"),
		retention:     c.In("retention"),
		protocols:     c.In("protocols"),
	})
}

func (s *Settings) apply(p SettingsPatch, g groups) {
	defaults := DefaultSettings()
	s.applyCurrency(p.Currency, g.general)
	p.Timezone.Apply(&s.Timezone, defaults.Timezone)
	p.Locale.Apply(&s.Locale, defaults.Locale)
	p.NegotiationEnabled.Apply(&s.NegotiationEnabled, defaults.NegotiationEnabled)
	p.MaxDiscount.Apply(&s.MaxDiscount, defaults.MaxDiscount)
	p.BundleSuggestions.Apply(&s.BundleSuggestions, defaults.BundleSuggestions)
	p.SubscriptionEnabled.Apply(&s.SubscriptionEnabled, defaults.SubscriptionEnabled)
	p.LLMProvider.Apply(&s.LLMProvider, defaults.LLMProvider)
	p.LLMModel.Apply(&s.LLMModel, defaults.LLMModel)
	p.MaxTokens.Apply(&s.MaxTokens, defaults.MaxTokens)
	p.Temperature.Apply(&s.Temperature, defaults.Temperature)
	p.AgentAuthentication.Apply(&s.AgentAuthentication, defaults.AgentAuthentication)
	p.EmailEnabled.Apply(&s.EmailEnabled, defaults.EmailEnabled)
	p.ChatWebhook.Apply(&s.ChatWebhook, defaults.ChatWebhook)
	p.AlertChannels.Apply(&s.AlertChannels, defaults.AlertChannels)
	p.IPAllowlist.Apply(&s.IPAllowlist, defaults.IPAllowlist)
	p.MFARequired.Apply(&s.MFARequired, defaults.MFARequired)
	p.SessionMinutes.Apply(&s.SessionMinutes, defaults.SessionMinutes)
	s.Retention.apply(p.Retention, g.retention)
	s.Protocols.apply(p.Protocols, g.protocols)
	s.check(g)
}

func (s *Settings) applyCurrency(f patch.Field[string], c fault.Check) {
	code := s.Currency.Code()
	f.Apply(&code, money.USD.Code())
	currency, err := money.ParseCurrency(code)
	if c.That(err == nil, "default_currency", "must be an ISO 4217 currency code, in capitals") {
		s.Currency = currency
	}
}

var localeForm = regexp.MustCompile(`^[a-z]{2,3}(-[A-Z][a-z]{3})?(-([A-Z]{2}|[0-9]{3}))?$`)

func (s *Settings) check(g groups) {
	_, err := time.LoadLocation(s.Timezone)
	g.general.That(err == nil && s.Timezone != "" && s.Timezone != "Local", "timezone", "must be an IANA time zone")
	g.general.That(localeForm.MatchString(s.Locale), "locale", "must be a BCP 47 language tag such as en-US")
	g.commerce.That(s.MaxDiscount >= 0 && s.MaxDiscount <= 900, "max_discount_percent", "must be between 0 and 90")
	g.agents.That(utf8.RuneCountInString(s.LLMProvider) <= 200, "default_llm_provider", "must have at most 200 characters")
	g.agents.That(utf8.RuneCountInString(s.LLMModel) <= 200, "default_llm_model", "must have at most 200 characters")
	g.agents.That(s.MaxTokens >= 1 && s.MaxTokens <= 1_000_000, "max_tokens_per_request", "must be between 1 and 1,000,000")
	g.agents.That(s.Temperature >= 0 && s.Temperature <= 2000, "temperature", "must be between 0 and 2")
	s.checkAuthentication(g.agents)
	g.notifications.That(s.ChatWebhook == "" || isHTTPS(s.ChatWebhook), "chat_webhook", "must be an https URL")
	for i, channel := range s.AlertChannels {
		g.notifications.In("alert_channels").That(channel == "email" || channel == "chat",
			fmt.Sprint(i), "must be email or chat")
	}
	g.notifications.That(!repeats(s.AlertChannels), "alert_channels", "must not repeat a channel")
	g.security.That(len(s.IPAllowlist) <= 100, "ip_allowlist", "must have at most 100 entries")
	for i, entry := range s.IPAllowlist {
		g.security.In("ip_allowlist").That(isNetwork(entry), fmt.Sprint(i), "must be an IP address or a CIDR block")
	}
	g.security.That(s.SessionMinutes >= 5 && s.SessionMinutes <= 1440, "session_timeout_minutes", "must be between 5 and 1,440")
}

func isHTTPS(text string) bool {
	u, err := url.Parse(text)
	return err == nil && u.Scheme == "https" && plainHost(u.Hostname()) && u.User == nil && utf8.RuneCountInString(text) <= 2000
}

// plainHost accepts names and addresses, but not the other spellings of an address that some clients read: 127.1,
// 2130706433, 0x7f.1.
func plainHost(host string) bool {
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	last := host[strings.LastIndexByte(host, '.')+1:]
	return last != "" && (last[0] < '0' || last[0] > '9')
}

func isNetwork(text string) bool {
	if _, err := netip.ParseAddr(text); err == nil {
		return true
	}
	_, err := netip.ParsePrefix(text)
	return err == nil
}

func repeats(list []string) bool {
	return len(slices.Compact(slices.Sorted(slices.Values(list)))) < len(list)
}
