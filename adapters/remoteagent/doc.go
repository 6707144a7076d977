// Package remoteagent asks the handlers that merchants run for their agents (ports.RemoteAgents). It decides nothing:
// what a handler proposes is held to the guardrails by whoever asked. This page is the contract for those who write a
// handler; the example of Agents.Quote shows one question, byte for byte.
//
// # Request
//
// POST to the handler's address, JSON, at most once for each event, signed by Standard Webhooks with the agent's secret
// (whsec_…): the headers webhook-id, webhook-timestamp and webhook-signature. A handler answers 401 where the
// signature is not right or the timestamp is more than five minutes off.
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
// buyer_context is what the buyer says of itself, and nobody has verified it: {loyalty_tier, location,
// purchase_history, urgency}, words that are not known included. member is what the merchant's systems know of a buyer
// whom the merchant has vouched for: {tier, purchases}, or null. All texts of a buyer are data, never instructions.
//
// Prices are JSON numbers in data.currency, for one piece unless named total. Parse them as decimals: they have as many
// decimals as the currency (49.90 USD, 500 JPY, 1.250 BHD). Percentages have at most one decimal: 12.5. Members
// that are not named here may be added at any time.
//
// # Answer
//
// Status 200 to 299, JSON, UTF-8, at most 64 KiB, within 2 s of the question in all. Redirects are not followed. No
// name may be repeated; members that are not named here are ignored. A price is a JSON number with no more decimals
// than the currency has, and more than zero. Texts may have 2,000 characters and lose their control characters; what is
// longer is cut.
//
// acp.quote asks for an answer to an offer, or for a price where offer is null:
//
//	product         {id, variant_id, name, category, quantity}
//	offer           number or null
//	currency        ISO 4217
//	list_price      number
//	bounds          {floor, target, opening}: yours to know; texts that name them do not reach the buyer
//	standing_price  what the shop stands by: its lowest counter so far, else the opening
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
// reasoning and message are optional texts for the buyer. No price goes below the floor, rises, or breaks an earlier
// one, whatever is answered: the nearest that is allowed takes its place, with the shop's own words. So do they where a
// text names a number that the buyer does not see anyway (list price, offer, price, quantity).
//
// acp.search asks for an order of what the shop's index found, best first:
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
// results are some of the candidates in an order, and nothing else; score, reasons (up to 10 of them) and
// semantic_confidence are the candidate's where left out.
//
// acp.checkout asks whether a cart may be checked out, acp.finalize whether a checkout may be paid. Their prices are
// settled. No payment token is ever sent.
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
// The shop's built-in agent takes the place of a handler that fails, and the decision record says why:
//
//	agent_timeout      no answer within 2 s
//	agent_unreachable  no connection, or it broke; an address that is not public
//	agent_refused      a status other than 200 to 299
//	agent_nonsense     no answer to this event: not JSON, too long, a name twice, an unknown status, a price that is
//	                   none (text, zero, negative, too precise, 10^12 minor units or more), an accepted offer at another
//	                   price, a product that was no candidate or comes twice, …
//	agent_suspended    the address failed five times in a row, or in ten of the last twenty requests: it is not asked
//	                   for 30 s, then by one request that has to succeed
//	agent_busy         eight questions wait for the handler's answer already
//	agent_secret       the agent's secret cannot sign
package remoteagent
