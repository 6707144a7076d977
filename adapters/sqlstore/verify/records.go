package verify

// eventsKept is the time from which all events are kept, by the project's row r of retention. The minute allows for the
// clocks of servers, which date orders, and for events that were made at the same time.
const eventsKept = `CASE WHEN COALESCE(r.events_until, 0) = 0 THEN 0 ELSE r.events_until + 60000 END`

// recordPromises find backups and copies with missing rows: every record needs its counterpart in other tables.
var recordPromises = []promise{
	{
		// A dump by a role that is subject to row-level security has only the projects, whose table has none.
		holds:   "every shop has the records that it was opened with",
		checked: `projects`,
		broken: `
SELECT p.id AS project, p.id AS subject, 'the shop ' || p.slug || ' has no rows in ' || begun.name AS says
FROM projects AS p
JOIN (
  SELECT 'decision_chains' AS name UNION ALL
  SELECT 'agents' UNION ALL
  SELECT 'agent_policies' UNION ALL
  SELECT 'retention'
) AS begun ON TRUE
LEFT JOIN (
  SELECT 'decision_chains' AS name, project_id FROM decision_chains UNION
  SELECT 'agents', project_id FROM agents UNION
  SELECT 'agent_policies', project_id FROM agent_policies UNION
  SELECT 'retention', project_id FROM retention
) AS held ON held.name = begun.name AND held.project_id = p.id
WHERE p.status = 'active'
  AND held.project_id IS NULL`,
	},
	{
		holds:   "every quote was decided, decisions are numbered without gaps, and each is about a quote",
		checked: `decisions`,
		broken: `
SELECT q.project_id AS project, q.id AS subject, 'nothing was decided about it' AS says
FROM quotes AS q
WHERE q.project_id NOT IN (SELECT id FROM projects WHERE status IN ('closing', 'closed'))
  AND NOT EXISTS (SELECT 1 FROM decision_chains AS c WHERE c.project_id = q.project_id AND c.folded_until >= q.created_at)
  AND NOT EXISTS (SELECT 1 FROM decisions AS d WHERE d.project_id = q.project_id AND d.session_id = q.session_id AND d.quote_id = q.id)
UNION ALL
SELECT d.project_id, d.id, 'it decides about a quote that there is not'
FROM decisions AS d
WHERE d.project_id NOT IN (SELECT id FROM projects WHERE status IN ('closing', 'closed'))
  AND NOT EXISTS (SELECT 1 FROM retention AS r WHERE r.project_id = d.project_id AND r.sessions_until >= d.at)
  AND NOT EXISTS (SELECT 1 FROM quotes AS q WHERE q.project_id = d.project_id AND q.id = d.quote_id)
UNION ALL
SELECT d.project_id, d.session_id, 'it has ' || count(*) || ' decisions of ' || min(d.seq) || ' to ' || max(d.seq)
FROM decisions AS d
WHERE d.project_id NOT IN (SELECT id FROM projects WHERE status IN ('closing', 'closed'))
GROUP BY d.project_id, d.session_id
HAVING count(*) <> max(d.seq) - min(d.seq) + 1
  OR min(d.seq) > 1 AND NOT EXISTS (SELECT 1 FROM decision_chains AS c WHERE c.project_id = d.project_id AND c.folded > 0)
UNION ALL
SELECT c.project_id, c.project_id,
  'its chain has ' || count(d.position) || ' decisions of ' || (COALESCE(max(d.position), c.position) - c.folded)
FROM decision_chains AS c
LEFT JOIN decisions AS d ON d.project_id = c.project_id
WHERE c.project_id NOT IN (SELECT id FROM projects WHERE status IN ('closing', 'closed'))
GROUP BY c.project_id, c.position, c.folded
HAVING count(d.position) <> COALESCE(max(d.position), c.position) - c.folded`,
	},
	{
		// An older event may remain alone, while it is still to be delivered and later ones have been removed: it is
		// not counted. Earlier releases did not number their events: such an event counts as the first of its order.
		holds:   "the events of an order are numbered without gaps, up to the order's sequence, as far as events are kept",
		checked: `orders`,
		broken: `
WITH numbered AS MATERIALIZED (
  SELECT e.project_id, {json e.payload} -> 'data' ->> 'order_id' AS order_id, CAST({json e.payload} -> 'data' ->> 'sequence' AS BIGINT) AS n,
    e.created_at
  FROM outbox AS e
  WHERE e.type LIKE 'order.%' OR e.type LIKE 'return.%' OR e.type = 'refund.failed' OR e.type LIKE 'dispute.%'
)
SELECT o.project_id AS project, o.id AS subject,
  'of events 2 to ' || o.sequence || ' it has ' || count(DISTINCT e.n) || ' in ' || count(e.n) || ', up to ' || COALESCE(max(e.n), 1) AS says
FROM orders AS o
LEFT JOIN retention AS r ON r.project_id = o.project_id
LEFT JOIN numbered AS e ON e.project_id = o.project_id AND e.order_id = o.id AND e.n > 1 AND e.created_at >= ` + eventsKept + `
WHERE o.project_id NOT IN (SELECT id FROM projects WHERE status IN ('closing', 'closed'))
GROUP BY o.project_id, o.id, o.sequence, o.created_at
HAVING count(e.n) <> count(DISTINCT e.n)
  OR count(e.n) <> o.sequence - 1 AND o.created_at >= COALESCE(max(` + eventsKept + `), 0)
  OR count(e.n) > 0 AND (count(e.n) <> max(e.n) - min(e.n) + 1 OR max(e.n) <> o.sequence)`,
	},
	{
		holds:   "money that was taken without an order is given back",
		checked: `orphan_charges`,
		broken: `
SELECT o.project_id AS project, o.id AS subject, 'nobody gives back ' || o.amount || ' ' || o.currency || ' of charge ' || o.charge AS says
FROM orphan_charges AS o
WHERE o.due_at < $1
UNION ALL
SELECT o.project_id, o.id, o.amount || ' ' || o.currency || ' of charge ' || o.charge || ' could not be given back: ' || o.failure
FROM orphan_charges AS o
WHERE o.status = 'failed'
UNION ALL
SELECT o.project_id, o.id, 'it is a charge of checkout ' || o.checkout_id || ', which is missing'
FROM orphan_charges AS o
WHERE NOT EXISTS (SELECT 1 FROM checkouts AS c WHERE c.project_id = o.project_id AND c.id = o.checkout_id)`,
		timed: true,
	},
}
