package console

import (
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/domain/personalization"
	"github.com/haggle-commerce/haggle/domain/project"
)

// setting is one of a shop's, as the API names it.
type setting struct {
	name     string
	label    string
	kind     string // as of a field; "lines": a list, one value a line
	help     string
	standard string // its default, in words; "": it has none
	options  []option
}

// settingGroup is what is set together.
type settingGroup struct {
	word, about string
	settings    []setting
}

var standards, kept = project.DefaultSettings(), project.DefaultRetention()

var settingGroups = []settingGroup{
	{"General", "", []setting{
		{
			name:  "general.name",
			label: "Name",
			kind:  "text",
			help:  "Buyers' agents show it.",
		},
		{
			name:  "general.slug",
			label: "Short name",
			kind:  "text",
			help:  "Part of the shop's address. Agents that know the old one no longer find the shop.",
		},
		{
			name:     "general.timezone",
			label:    "Time zone",
			kind:     "text",
			help:     "Days, periods and times of the console are in it. Such as Europe/Berlin.",
			standard: standards.Timezone,
		},
		{
			name:     "general.locale",
			label:    "Locale",
			kind:     "text",
			help:     "How amounts are written. Such as en-US.",
			standard: standards.Locale,
		},
		{
			name:     "general.default_currency",
			label:    "Currency",
			kind:     "text",
			help:     "Three letters. It cannot be changed once products have prices.",
			standard: standards.Currency.Code(),
		},
	}},
	{"Haggling", "", []setting{
		{
			name:     "commerce.negotiation_enabled",
			label:    "Haggle with buyers",
			kind:     "check",
			help:     "Off: every product sells at list price.",
			standard: "on",
		},
		{
			name:     "commerce.max_discount_percent",
			label:    "Most discount",
			kind:     "number",
			help:     "Per cent of list. No policy goes further.",
			standard: "20",
		},
		{
			name:     "commerce.bundle_suggestions",
			label:    "Suggest bundles",
			kind:     "check",
			help:     "Offer a second product when a price is stuck.",
			standard: "on",
		},
		{
			name:     "commerce.subscription_enabled",
			label:    "Subscriptions",
			kind:     "check",
			standard: "off",
		},
	}},
	{"Buyers' agents", "", []setting{
		{
			name:     "protocols.ucp",
			label:    "Universal Commerce Protocol",
			kind:     "check",
			help:     "Off: its addresses answer 404.",
			standard: "on",
		},
		{
			name:     "protocols.mcp",
			label:    "Tools over the Model Context Protocol",
			kind:     "check",
			help:     "Off: the endpoint answers 404, and no profile names it.",
			standard: "on",
		},
		{
			name:  "agents.authentication",
			label: "To read an order, agents must",
			kind:  "select",
			help:  "Searching, haggling and buying are open always.",
			options: []option{
				{Value: "", Word: "Sign in production, not in the sandbox"},
				{Value: "signed", Word: "Sign their requests"},
				{Value: "open", Word: "Not sign"},
			},
			standard: "sign in production, not in the sandbox",
		},
	}},
	{"Security", "", []setting{
		{
			name:     "security.mfa_required",
			label:    "Ask for a code",
			kind:     "check",
			help:     "Refunds, keys and people's access need a code of an authenticator. Switching it off needs one too.",
			standard: "off",
		},
		{
			name:     "security.session_timeout_minutes",
			label:    "Buyers' sessions end after",
			kind:     "number",
			help:     "Minutes without a request, 5 to 1,440.",
			standard: strconv.Itoa(standards.SessionMinutes),
		},
		{
			name:     "security.ip_allowlist",
			label:    "Addresses that may manage this shop",
			kind:     "lines",
			help:     "One address or block, such as 203.0.113.0/24, a line. Without yours you are locked out of this shop.",
			standard: "empty, which admits all",
		},
	}},
	{"How long data is kept", "In days. Orders and money are kept for good.", []setting{
		{
			name:     "retention.messages",
			label:    "Buyers' messages",
			kind:     "number",
			standard: strconv.Itoa(kept.Messages),
		},
		{
			name:     "retention.sessions",
			label:    "Sessions without an order",
			kind:     "number",
			help:     "With their quotes and checkouts.",
			standard: strconv.Itoa(kept.Sessions),
		},
		{
			name:     "retention.decisions",
			label:    "Haggling decisions",
			kind:     "number",
			help:     "Price paths, replay and tuning reach back that far.",
			standard: strconv.Itoa(kept.Decisions),
		},
		{
			name:     "retention.events",
			label:    "Events",
			kind:     "number",
			standard: strconv.Itoa(kept.Events),
		},
		{
			name:     "retention.deliveries",
			label:    "Deliveries of events",
			kind:     "number",
			help:     "No longer than events.",
			standard: strconv.Itoa(kept.Deliveries),
		},
		{
			name:     "retention.logs",
			label:    "Logs",
			kind:     "number",
			help:     "Of webhook calls, syncs and stock changes.",
			standard: strconv.Itoa(kept.Logs),
		},
	}},
}

var storefrontGroups = []settingGroup{
	{"What buyers read", "", []setting{
		{
			name:  "storefront.description",
			label: "About the shop",
			kind:  "area",
		},
		{
			name:  "storefront.logo_url",
			label: "Logo",
			kind:  "url",
			help:  "An https address.",
		},
		{
			name:  "storefront.checkout_instructions",
			label: "How to go on by hand",
			kind:  "area",
			help:  "On the page of a checkout that an agent began. Plain text.",
		},
	}},
	{"Returns", "", []setting{
		{
			name:     "storefront.return_window_days",
			label:    "Days to ask for a return",
			kind:     "number",
			help:     "After delivery, 0 to 3,650.",
			standard: strconv.Itoa(project.DefaultStorefront(standards).ReturnWindowDays),
		},
		{
			name:  "storefront.return_conditions",
			label: "Conditions",
			kind:  "area",
		},
	}},
	{"Shipping", "", []setting{
		{
			name:     "storefront.free_shipping_threshold",
			label:    "Free shipping from",
			kind:     "number",
			help:     "In the shop's currency.",
			standard: "empty, which is never",
		},
		{
			name:  "storefront.shipping_regions",
			label: "Countries",
			kind:  "lines",
			help:  "Two letters, such as DE, a line.",
		},
	}},
	{"Personal prices", "Prices moved by loyalty, purchases or urgency. Some places require a text or forbid them.", []setting{
		{
			name:     "storefront.personalization.default",
			label:    "Do personal signals count?",
			kind:     "select",
			help:     "In regions without a line below. A buyer whose region is unknown counts as one from the shop's country.",
			standard: "yes",
			options:  []option{{Value: "allowed", Word: "Yes"}, {Value: "disclosed", Word: "Yes, with the text"}, {Value: "off", Word: "No"}},
		},
		{
			name:     "storefront.personalization.disclosure_text",
			label:    "Disclosure text",
			kind:     "area",
			help:     "Buyers see it with a price that personal signals moved.",
			standard: strings.TrimSuffix(personalization.DefaultRules().Disclosure, "."),
		},
		{
			name:  "storefront.personalization.regions",
			label: "Regions",
			kind:  "regions",
			help:  "A line each: EU, a country such as DE, or a part of one such as US-NY; then allowed, disclosed or off; then a text of its own, if it has one.",
		},
	}},
}
