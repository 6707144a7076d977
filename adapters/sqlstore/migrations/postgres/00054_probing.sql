-- +goose Up
SET LOCAL haggle.project_id = '*';

-- Agents that keep the built-in policy, or one that was learnt from it, get what is built in now as their next version:
-- a client's sessions about one product are bounded, and urgency moves no price. What a merchant wrote stays, and so do
-- policies that are compared with a holdout's.
INSERT INTO agent_policies (project_id, agent_id, version, policy, origin, note, created_at, activated_at)
SELECT a.project_id, a.id, a.latest + 1,
    replace(replace(p.policy, '"flexible":50,', '"flexible":0,'), '"client":0,"product":0}', '"client":0,"product":20}'),
    p.origin, 'Sessions about one product are bounded, and urgency moves no price.', CAST(round(EXTRACT(EPOCH FROM now()) * 1000) AS BIGINT),
    CASE WHEN a.status = 'active' THEN CAST(round(EXTRACT(EPOCH FROM now()) * 1000) AS BIGINT) END
FROM agents AS a
JOIN agent_policies AS p ON p.project_id = a.project_id AND p.agent_id = a.id AND p.version = a.policy_version
WHERE p.origin <> 'merchant'
  AND a.baseline IN (0, a.policy_version)
  AND p.policy LIKE '%"flexible":50,%"client":0,"product":0}}';
UPDATE agents
SET policy_version = latest + 1,
    baseline = CASE WHEN baseline = 0 THEN 0 ELSE latest + 1 END,
    latest = latest + 1
WHERE EXISTS (
    SELECT 1
    FROM agent_policies AS next
    WHERE next.project_id = agents.project_id
      AND next.agent_id = agents.id
      AND next.version = agents.latest + 1
);
