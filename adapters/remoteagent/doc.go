// Package remoteagent sends requests to the handlers that merchants run for their agents (ports.RemoteAgents). It decides
// nothing: the caller applies the guardrails to a handler's answer. This page is the contract for authors of handlers; the
// example of Agents.Quote shows one request, byte for byte.
//
// # Request
//
// POST to the handler's address, JSON, at most once for each event, signed by Standard Webhooks with the agent's secret
// (whsec_…): the headers webhook-id, webhook-timestamp and webhook-signature. A handler should answer 401 if the signature
// is wrong or the timestamp is more than five minutes off.
//
//	id          of this request, evt_…; equal to webhook-id
//	type        acp.search, acp.quote, acp.checkout or acp.finalize
//	created_at  RFC 3339, UTC
//	project_id  the shop
//	agent_id    the agent that the handler belongs to; null: none is set up
//	session     null where there is none: {session_id, created_at, buyer_context, member}
//	policy      what binds every answer: {version, negotiable, max_discount_percent, min_margin_percent,
//	            unverified_share_percent, round_cap}
//	data        of the event, below
//
// buyer_context contains the buyer's own, unverified claims: {loyalty_tier, location, purchase_history, urgency}, which may
// have unknown values. member is the merchant's own data about a buyer whom the merchant has verified: {tier, purchases}, or
// null. For quotes, both are empty but for the location where the shop's rules for the buyer's region turn personal signals
// off. All texts of a buyer are data, never instructions.
//
// Prices are JSON numbers in data.currency, per unit unless named total. Parse them as decimals: they have as many decimals
// as the currency (49.90 USD, 500 JPY, 1.250 BHD). Percentages have at most one decimal: 12.5. Members that are not listed
// here may be added at any time.
//
// # Answer
//
// Status 200 to 299, JSON, UTF-8, at most 64 KiB, completed within 2 s of the request. Redirects are not followed. Names must
// not be repeated; members that are not listed here are ignored. A price is a JSON number above zero with at most as many
// decimals as the currency. Texts are cut to 2,000 characters, and control characters are removed.
//
// acp.quote asks for an answer to an offer, or for a price if offer is null:
//
//	product         {id, variant_id, name, category, quantity}
//	offer           number or null
//	currency        ISO 4217
//	list_price      number
//	bounds          {floor, target, opening}: yours to know; texts that name them do not reach the buyer
//	standing_price  the shop's current price: its lowest counter so far, else the opening
//	progress        {rounds, moves, best_offer}: counters given; moves of the buyer, which are its first offer and
//	                those at least 1 % of list_price above the move before and no less than 3/4 of the floor; the
//	                offer of the last move, or null
//	suggestion      {status, price}: the answer of the built-in rules
//	message         the buyer's, "" where there is none
//	buyer_context   the session's, or null
//	history         the session's last 20 answers, oldest first: {at, product_id, variant_id, quantity, offer,
//	                response, price}, offer and price null where there is none
//
//	{"status": "quote", "price": 99.00}          where offer is null, and only there
//	{"status": "accept"}                         the offer; price may repeat it
//	{"status": "counter_offer", "price": 92.50}
//	{"status": "reject"}                         no: the buyer is countered with price, where given, else standing_price
//
// reasoning and message are optional texts for the buyer. A price that goes below the floor, rises, or breaks an earlier one is
// replaced by the nearest allowed price, with the shop's own texts. The shop's own texts are also used if a text contains a
// number other than those that the buyer sees anyway (list price, offer, price, quantity).
//
// acp.search asks for an order of the products that the shop's index found, best first:
//
//	query        the buyer's words, "" where it only filters
//	filters      {category, price_max, size, colors}, null or empty where not asked for, and {brands, price_min, in_stock,
//	             attributes, rating_min} where asked for
//	sort         price_asc, price_desc, newest, rating or best_selling; left out by relevance
//	prefers      colours that the buyer likes
//	limit        number of results that will be shown
//	currency     ISO 4217
//	total        number of matches in all
//	candidates   [{product_id, name, brand, category, list_price, score, in_stock, reasons}], score between 0 and 1
//
//	{"results": [{"product_id": "prod_…", "score": 0.93, "reasons": ["…"]}], "semantic_confidence": 0.9}
//
// results may contain only candidates, in any order. If score, reasons (up to 10 of them) or semantic_confidence are omitted,
// the index's own are kept.
//
// acp.checkout asks whether a cart may be checked out, acp.finalize whether a checkout may be paid. Their prices are final.
// Payment tokens are never sent.
//
//	acp.checkout  session_id, currency, lines [{product_id, variant_id, sku, name, quantity, unit_price, list_price}]
//	acp.finalize  checkout_id, total, currency
//
//	{"approve": true}
//	{"approve": false, "reason": "We do not ship this to you."}   the buyer reads the reason
//	{"approve": false, "review": true, "reason": "We call you."}  a person of the shop has to look at it first
//
// # Failure
//
// If a handler fails, the shop's built-in agent answers instead, and the decision record has the reason:
//
//	agent_timeout      no answer within 2 s
//	agent_unreachable  no connection, or it broke; an address that is not public
//	agent_refused      a status other than 200 to 299
//	agent_nonsense     no answer to this event: not JSON, too long, a name twice, an unknown status, a price that is
//	                   none (text, zero, negative, too precise, 10^12 minor units or more), an accepted offer at another
//	                   price, a product that was no candidate or comes twice, …
//	agent_suspended    the address failed five times in a row, or in ten of the last twenty requests: it gets no requests for
//	                   30 s, and then a single one, which must succeed
//	agent_busy         eight requests wait for the handler's response already
//	agent_secret       the agent's secret cannot sign
package remoteagent
