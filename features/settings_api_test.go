package features

import "testing"

func TestGetSettings_defaults(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.must(a.shops.openShop("Fresh"))
		a.asMerchant("GET /v1/projects/$shop/settings")
		a.shows(
			"general.name", `"Fresh"`,
			"general.slug", `"$slug"`,
			"general.timezone", `"UTC"`,
			"general.locale", `"en-US"`,
			"general.default_currency", `"USD"`,
			"commerce.negotiation_enabled", `true`,
			"commerce.max_discount_percent", `20`,
			"commerce.bundle_suggestions", `true`,
			"commerce.subscription_enabled", `false`,
			"agents.default_llm_provider", `""`,
			"agents.default_llm_model", `""`,
			"agents.max_tokens_per_request", `1024`,
			"agents.temperature", `0.7`,
			"agents.authentication", `null`,
			"notifications.email_enabled", `false`,
			"notifications.chat_webhook", `""`,
			"notifications.alert_channels", `[]`,
			"security.ip_allowlist", `[]`,
			"security.mfa_required", `false`,
			"security.session_timeout_minutes", `30`,
			"retention.messages", `30`,
			"retention.sessions", `30`,
			"retention.decisions", `180`,
			"retention.events", `90`,
			"retention.deliveries", `90`,
			"retention.logs", `90`,
			"protocols.ucp", `true`,
			"protocols.mcp", `true`,
			"protocols.oai_acp", `false`,
		)
	})
}

// A change touches only what it names.
func TestUpdateSettings_someSettings(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		a.asMerchant("PATCH /v1/projects/$shop/settings {}")
		a.shows("commerce.max_discount_percent", `20`)

		a.must(a.sets("commerce.max_discount_percent", `33.3`))
		a.shows(
			"commerce.max_discount_percent", `33.3`,
			"commerce.negotiation_enabled", `true`,
			"general.slug", `"$slug"`,
			"agents.temperature", `0.7`,
		)
		a.must(a.shops.partReadsTheSame("/settings"))

		a.asMerchant("PATCH /v1/projects/$shop/settings", `
			{"general": {"name": "Renamed", "timezone": "Europe/Berlin"},
			 "agents": {"default_llm_provider": "local", "default_llm_model": "small", "temperature": 0},
			 "notifications": {"alert_channels": ["email", "chat"], "email_enabled": true}}`)
		a.shows(
			"general.name", `"Renamed"`,
			"general.timezone", `"Europe/Berlin"`,
			"general.locale", `"en-US"`,
			"agents.default_llm_provider", `"local"`,
			"agents.default_llm_model", `"small"`,
			"agents.temperature", `0`,
			"notifications.alert_channels", `["email", "chat"]`,
			"notifications.email_enabled", `true`,
			"notifications.chat_webhook", `""`,
		)
		a.must(a.shops.partReadsTheSame("/settings"))
	})
}

// sets sets a setting to a JSON value.
func (a *apiTest) sets(field, value string) error {
	return a.shops.setsPartField("/settings", field, value)
}

// Null restores the default of a setting, or of a whole group.
func TestUpdateSettings_null(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		for _, setting := range []struct{ name, value, byDefault string }{
			{"general.timezone", `"Asia/Tokyo"`, `"UTC"`},
			{"general.locale", `"de-DE"`, `"en-US"`},
			{"general.default_currency", `"EUR"`, `"USD"`},
			{"commerce.negotiation_enabled", `false`, `true`},
			{"commerce.max_discount_percent", `5`, `20`},
			{"commerce.bundle_suggestions", `false`, `true`},
			{"commerce.subscription_enabled", `true`, `false`},
			{"agents.max_tokens_per_request", `5`, `1024`},
			{"agents.temperature", `2`, `0.7`},
			{"notifications.alert_channels", `["chat"]`, `[]`},
			{"security.ip_allowlist", `["127.0.0.0/8"]`, `[]`},
			{"security.session_timeout_minutes", `5`, `30`},
			{"retention.sessions", `7`, `30`},
			{"retention.logs", `400`, `90`},
			{"agents.authentication", `"signed"`, `null`},
			{"protocols.ucp", `false`, `true`},
			{"protocols.mcp", `false`, `true`},
		} {
			a.must(a.sets(setting.name, setting.value))
			a.must(a.sets(setting.name, "null"))
			a.must(a.shops.partFieldIs("/settings", setting.name, setting.byDefault))
		}

		a.must(a.sets("commerce.max_discount_percent", `5`))
		a.must(a.sets("commerce.bundle_suggestions", `false`))
		a.must(a.sets("commerce", `null`))
		a.shows("commerce.max_discount_percent", `20`, "commerce.bundle_suggestions", `true`)

		a.fieldsAreRefused(a.sets, "422 validation_error", [][3]string{
			{"general.name", `null`, "general.name"},
			{"general.slug", `null`, "general.slug"},
		})
	})
}

func TestUpdateSettings_limitsOfFields(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShop()
		for _, setting := range [][2]string{
			{"general.timezone", `"America/New_York"`},
			{"general.locale", `"zh-Hant-TW"`},
			{"general.locale", `"es-419"`},
			{"general.default_currency", `"BHD"`},
			{"commerce.max_discount_percent", `0`},
			{"commerce.max_discount_percent", `0.1`},
			{"commerce.max_discount_percent", `90`},
			{"agents.max_tokens_per_request", `1`},
			{"agents.max_tokens_per_request", `1000000`},
			{"agents.temperature", `0`},
			{"agents.temperature", `2`},
			{"notifications.chat_webhook", `"https://192.0.66.2/hook"`},
			{"notifications.alert_channels", `["chat", "email"]`},
			{"security.ip_allowlist", `["127.0.0.1"]`},
			{"security.ip_allowlist", `["127.0.0.0/8", "::1"]`},
			{"security.session_timeout_minutes", `5`},
			{"security.session_timeout_minutes", `1440`},
			{"retention.messages", `1`},
			{"retention.sessions", `180`},
			{"retention.decisions", `30`},
			{"retention.decisions", `3650`},
			{"retention.deliveries", `90`},
		} {
			a.must(a.sets(setting[0], setting[1]))
			a.must(a.shops.partFieldIs("/settings", setting[0], setting[1]))
			a.must(a.sets(setting[0], `null`)) // the limits of some settings depend on others
		}
	})
}

func TestUpdateSettings_refusals(t *testing.T) {
	a := newAPITest(t)
	a.opensShop()
	a.fieldsAreRefused(a.sets, "422 validation_error", [][3]string{
		{"general.name", `""`, "general.name"},
		{"general.slug", `"x"`, "general.slug"},
		{"general.slug", `"Upper"`, "general.slug"},
		{"general.timezone", `"Local"`, "general.timezone"},
		{"general.timezone", `""`, "general.timezone"},
		{"general.timezone", `"Middle/Earth"`, "general.timezone"},
		{"general.locale", `""`, "general.locale"},
		{"general.locale", `"en_US"`, "general.locale"},
		{"general.default_currency", `"usd"`, "general.default_currency"},
		{"general.default_currency", `"QQQ"`, "general.default_currency"},
		{"commerce.max_discount_percent", `-0.1`, "commerce.max_discount_percent"},
		{"commerce.max_discount_percent", `90.1`, "commerce.max_discount_percent"},
		{"commerce.max_discount_percent", `20.25`, "commerce.max_discount_percent"},
		{"commerce.max_discount_percent", `"20"`, "commerce.max_discount_percent"},
		{"commerce.negotiation_enabled", `1`, "commerce.negotiation_enabled"},
		{"agents.max_tokens_per_request", `0`, "agents.max_tokens_per_request"},
		{"agents.max_tokens_per_request", `1000001`, "agents.max_tokens_per_request"},
		{"agents.max_tokens_per_request", `1.5`, "agents.max_tokens_per_request"},
		{"agents.temperature", `-0.1`, "agents.temperature"},
		{"agents.temperature", `2.1`, "agents.temperature"},
		{"notifications.chat_webhook", `"http://192.0.66.2/hook"`, "notifications.chat_webhook"},
		{"notifications.chat_webhook", `"not a url"`, "notifications.chat_webhook"},
		{"notifications.chat_webhook", `"https://10.1.2.3/hook"`, "notifications.chat_webhook"},
		{"notifications.chat_webhook", `"https://127.0.0.1/hook"`, "notifications.chat_webhook"},
		{"notifications.chat_webhook", `"https://localhost/hook"`, "notifications.chat_webhook"},
		{"notifications.chat_webhook", `"https://169.254.169.254"`, "notifications.chat_webhook"},
		{"notifications.alert_channels", `["pigeon"]`, "notifications.alert_channels.0"},
		{"notifications.alert_channels", `["email", "email"]`, "notifications.alert_channels"},
		{"security.ip_allowlist", `["127.0.0.1", "nowhere"]`, "security.ip_allowlist.1"},
		{"security.ip_allowlist", `["127.0.0.1/33"]`, "security.ip_allowlist.0"},
		{"security.session_timeout_minutes", `4`, "security.session_timeout_minutes"},
		{"security.session_timeout_minutes", `1441`, "security.session_timeout_minutes"},
		{"security.unknown", `true`, "security.unknown"},
		{"retention.messages", `0`, "retention.messages"},
		{"retention.sessions", `3651`, "retention.sessions"},
		{"retention.decisions", `6`, "retention.decisions"},
		{"retention.decisions", `29`, "retention.decisions"},
		{"retention.deliveries", `91`, "retention.deliveries"},
		{"protocols.oai_acp", `true`, "protocols.oai_acp"},
		{"protocols.ucp", `"on"`, "protocols.ucp"},
		{"agents.authentication", `"none"`, "agents.authentication"},
		{"retention.logs", `1.5`, "retention.logs"},
		{"retention.orders", `1`, "retention.orders"},
		{"unknown", `{}`, "unknown"},
		{"commerce", `[]`, "commerce"},
	})

	a.asMerchant("PATCH /v1/projects/$shop/settings", `
		{"general": {"slug": "?", "timezone": "?", "locale": "?", "default_currency": "?"},
		 "commerce": {"max_discount_percent": 100},
		 "agents": {"max_tokens_per_request": 0, "temperature": 3},
		 "notifications": {"chat_webhook": "?", "alert_channels": ["fax"]},
		 "security": {"ip_allowlist": ["?"], "session_timeout_minutes": 1}}`)
	a.refusedNaming("422 validation_error",
		"general.slug",
		"general.timezone",
		"general.locale",
		"general.default_currency",
		"commerce.max_discount_percent",
		"agents.max_tokens_per_request",
		"agents.temperature",
		"notifications.chat_webhook",
		"notifications.alert_channels.0",
		"security.ip_allowlist.0",
		"security.session_timeout_minutes",
	)
	a.must(a.shops.partFieldIs("/settings", "general.timezone", `"UTC"`))
}

func TestUpdateSettings_noNegotiation(t *testing.T) {
	onEngines(t, func(a *apiTest) {
		a.opensShopSelling(product{
			name:  "Trail Tent",
			price: "100.00",
			stock: "5",
		})
		a.must(a.sets("commerce.negotiation_enabled", `false`))
		a.must(a.shops.manifestHas("policies.negotiation_enabled", `false`, "merchant.capabilities", `without "negotiate"`))
		a.must(a.buyers.arrivesLookingAt("Trail Tent"))
		a.shows("negotiable", `false`, "personalized_price.price", `100`)
	})
}
