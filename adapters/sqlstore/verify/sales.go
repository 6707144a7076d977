package verify

const selectUndecided = `
SELECT (SELECT count(*) FROM checkouts WHERE status = 'processing')
  + (SELECT count(*) FROM refunds WHERE status = 'pending')
  + (SELECT count(*) FROM orphan_charges WHERE status IN ('detected', 'refunding')) AS undecided`

// salePromises are invariants of checkouts and orders, and of their stock and tokens.
var salePromises = []promise{
	{
		holds:   "a completed checkout has exactly one order, and an order a completed checkout",
		checked: `checkouts WHERE status = 'completed'`,
		broken: `
SELECT c.project_id AS project, c.id AS subject, 'completed without an order' AS says
FROM checkouts AS c
WHERE c.status = 'completed'
  AND NOT EXISTS (SELECT 1 FROM orders AS o WHERE o.project_id = c.project_id AND o.checkout_id = c.id)
UNION ALL
SELECT o.project_id, o.id, 'its checkout is ' || COALESCE(c.status, 'missing')
FROM orders AS o
LEFT JOIN checkouts AS c ON c.project_id = o.project_id AND c.id = o.checkout_id
WHERE c.status IS NULL OR c.status <> 'completed'
UNION ALL
SELECT o.project_id, o.checkout_id, 'it has ' || count(*) || ' orders'
FROM orders AS o
GROUP BY o.project_id, o.checkout_id
HAVING count(*) > 1`,
	},
	{
		holds:   "an order has exactly one payment, of its total",
		checked: `orders`,
		broken: `
SELECT o.project_id AS project, o.id AS subject, 'it has no payment' AS says
FROM orders AS o
WHERE NOT EXISTS (SELECT 1 FROM payments AS p WHERE p.project_id = o.project_id AND p.order_id = o.id)
UNION ALL
SELECT p.project_id, p.id, 'it pays ' || p.amount || ' ' || p.currency || ' of ' || COALESCE(o.total || ' ' || o.currency, 'a missing order')
FROM payments AS p
LEFT JOIN orders AS o ON o.project_id = p.project_id AND o.id = p.order_id
WHERE o.id IS NULL OR o.total <> p.amount OR o.currency <> p.currency
UNION ALL
SELECT p.project_id, p.order_id, 'it has ' || count(*) || ' payments'
FROM payments AS p
GROUP BY p.project_id, p.order_id
HAVING count(*) > 1`,
	},
	{
		holds:   "an order's total is the sum of its lines, shipping and tax",
		checked: `orders`,
		broken: `
SELECT o.project_id AS project, o.id AS subject, 'its parts do not sum to its total' AS says
FROM orders AS o
WHERE o.total <> o.subtotal + o.shipping + o.tax
   OR o.subtotal <> (
     SELECT COALESCE(sum(CAST(line.value ->> 'unit' AS BIGINT) * CAST(line.value ->> 'quantity' AS BIGINT)), 0)
     FROM {each o.lines} AS line
   )`,
	},
	{
		holds:   "a payment attempt under way is looked after by somebody",
		checked: `checkouts WHERE status = 'processing'`,
		broken: `
SELECT c.project_id AS project, c.id AS subject, 'nobody has looked after attempt ' || c.attempt || ' for a minute' AS says
FROM checkouts AS c
WHERE c.status = 'processing'
  AND CASE WHEN c.retry_at > c.lease_until THEN c.retry_at ELSE c.lease_until END < $1`,
		timed: true,
	},
	{
		holds:   "stock is never negative, and nothing is for sale where more is held or sold than was counted",
		checked: `stock`,
		broken: `
SELECT s.project_id AS project, s.variant_id AS subject, s.quantity || ' for sale at ' || s.location || ', ' || s.oversold || ' oversold' AS says
FROM stock AS s
WHERE s.quantity < 0
   OR s.oversold < 0
   OR s.quantity > 0 AND s.oversold > 0`,
	},
	{
		holds:   "a checkout holds stock for its lines while it is paid and once it is sold, and no other time",
		checked: `checkouts`,
		broken: `
SELECT h.project_id AS project, h.id AS subject, h.status || ', it holds ' || sum(h.held) || ' pieces of ' || sum(h.needed) || ' of ' || h.variant AS says
FROM (
  SELECT c.project_id, c.id, c.status, take.value ->> 'variant' AS variant, CAST(take.value ->> 'quantity' AS BIGINT) AS held, 0 AS needed
  FROM checkouts AS c
  CROSS JOIN {each c.taken} AS take
  UNION ALL
  SELECT c.project_id, c.id, c.status, line.value ->> 'variant', 0, CAST(line.value ->> 'quantity' AS BIGINT)
  FROM checkouts AS c
  CROSS JOIN {each c.lines} AS line
  WHERE c.status IN ('processing', 'completed')
) AS h
GROUP BY h.project_id, h.id, h.status, h.variant
HAVING sum(h.held) <> sum(h.needed)`,
	},
	{
		holds:   "a token is used up by the order that it was agreed for, and held by a checkout only while that is paid",
		checked: `quotes WHERE claimed_by <> '' OR redeemed_by <> ''`,
		broken: `
SELECT q.project_id AS project, q.id AS subject, 'used up by an order that there is not' AS says
FROM quotes AS q
WHERE q.redeemed_by <> ''
  AND NOT EXISTS (SELECT 1 FROM orders AS o WHERE o.project_id = q.project_id AND o.id = q.redeemed_by)
UNION ALL
SELECT o.project_id, o.id, 'it does not use up the token of ' || (line.value ->> 'quote')
FROM orders AS o
CROSS JOIN {each o.lines} AS line
LEFT JOIN quotes AS q ON q.project_id = o.project_id AND q.id = line.value ->> 'quote'
WHERE COALESCE(line.value ->> 'quote', '') <> ''
  AND COALESCE(q.redeemed_by, '') <> o.id
UNION ALL
SELECT q.project_id, q.id, 'held by a checkout that is ' || COALESCE(c.status, 'missing')
FROM quotes AS q
LEFT JOIN checkouts AS c ON c.project_id = q.project_id AND c.id = q.claimed_by
WHERE q.claimed_by <> ''
  AND q.redeemed_by = ''
  AND COALESCE(c.status, '') <> 'processing'`,
	},
	{
		holds:   "nothing is sold under its floor, but at a price that was named when the floor allowed it, or at a list price that fell since",
		checked: `orders`,
		broken: `
SELECT o.project_id AS project, o.id AS subject, 'it has an item under its floor, for ' || (line.value ->> 'unit') || ' minor units of ' || q.currency AS says
FROM orders AS o
CROSS JOIN {each o.lines} AS line
JOIN quotes AS q ON q.project_id = o.project_id AND q.id = line.value ->> 'quote' AND q.variant_id = line.value ->> 'variant'
WHERE CAST(line.value ->> 'unit' AS BIGINT) <> q.final_price
  AND (CAST(line.value ->> 'unit' AS BIGINT) > q.final_price OR line.value ->> 'unit' <> line.value ->> 'original')
   OR q.final_price < q.floor AND NOT EXISTS (
     SELECT 1 FROM decision_chains AS c WHERE c.project_id = q.project_id AND c.folded_until >= q.created_at)
   AND NOT EXISTS (
     SELECT 1 FROM decisions AS named
     WHERE named.project_id = q.project_id AND named.session_id = q.session_id AND named.variant_id = q.variant_id AND named.quantity = q.quantity
       AND named.price BETWEEN named.floor AND q.final_price)`,
	},
	{
		holds:   "an order is announced by exactly one order.completed event, and nothing else is",
		checked: `outbox WHERE type = 'order.completed'`,
		broken: `
WITH announced AS MATERIALIZED (
  SELECT e.project_id, e.id, CAST({json e.payload} -> 'data' ->> 'order_id' AS TEXT) AS order_id
  FROM outbox AS e
  WHERE e.type = 'order.completed'
)
SELECT o.project_id AS project, o.id AS subject, 'it is announced ' || count(e.id) || ' times' AS says
FROM orders AS o
LEFT JOIN announced AS e ON e.project_id = o.project_id AND e.order_id = o.id
LEFT JOIN retention AS r ON r.project_id = o.project_id
WHERE o.project_id NOT IN (SELECT id FROM projects WHERE status IN ('closing', 'closed'))
GROUP BY o.project_id, o.id, o.created_at
HAVING count(e.id) <> 1 AND (count(e.id) > 1 OR o.created_at >= COALESCE(max(` + eventsKept + `), 0))
UNION ALL
SELECT e.project_id, e.id, 'it announces an order that there is not'
FROM announced AS e
LEFT JOIN orders AS o ON o.project_id = e.project_id AND o.id = e.order_id
WHERE o.id IS NULL`,
	},
}
