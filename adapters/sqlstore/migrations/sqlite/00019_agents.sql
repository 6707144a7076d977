-- +goose Up
-- Negotiator agents. One of a project's is active.
CREATE TABLE agents (
    project_id     TEXT    NOT NULL REFERENCES projects (id),
    id             TEXT    NOT NULL,
    name           TEXT    NOT NULL,
    status         TEXT    NOT NULL CONSTRAINT agents_status CHECK (status IN ('active', 'draft')),
    handlers       TEXT    NOT NULL,
    model          TEXT    NOT NULL,
    automatic      INTEGER NOT NULL,
    holdout        INTEGER NOT NULL CONSTRAINT agents_holdout CHECK (holdout BETWEEN 0 AND 1000), -- tenths of a percent
    baseline       INTEGER NOT NULL, -- the version that the holdout keeps
    policy_version INTEGER NOT NULL, -- the one in force
    latest         INTEGER NOT NULL,
    secret         BLOB, -- sealed
    created_at     INTEGER NOT NULL,
    updated_at     INTEGER NOT NULL,
    PRIMARY KEY (project_id, id)
) STRICT;
CREATE UNIQUE INDEX agents_active ON agents (project_id) WHERE status = 'active';

-- The versions of agents' policies. What was written stays, but for when it was last put in force.
CREATE TABLE agent_policies (
    project_id   TEXT    NOT NULL,
    agent_id     TEXT    NOT NULL,
    version      INTEGER NOT NULL CONSTRAINT agent_policies_version CHECK (version >= 1),
    policy       TEXT    NOT NULL,
    origin       TEXT    NOT NULL CONSTRAINT agent_policies_origin CHECK (origin IN ('builtin', 'merchant', 'tuned')),
    note         TEXT    NOT NULL,
    created_at   INTEGER NOT NULL,
    activated_at INTEGER,
    PRIMARY KEY (project_id, agent_id, version)
) STRICT;

-- Counts writes of a project's agents.
ALTER TABLE projects ADD COLUMN agent_revision INTEGER NOT NULL DEFAULT 0;

-- Who decided, and the chain that each project's decisions are sealed in, once they are.
ALTER TABLE decisions ADD COLUMN agent_id TEXT NOT NULL DEFAULT '';
ALTER TABLE decisions ADD COLUMN handler TEXT NOT NULL DEFAULT '';
ALTER TABLE decisions ADD COLUMN fallback TEXT NOT NULL DEFAULT '';
ALTER TABLE decisions ADD COLUMN proposal INTEGER;
ALTER TABLE decisions ADD COLUMN client TEXT NOT NULL DEFAULT '';
ALTER TABLE decisions ADD COLUMN position INTEGER CONSTRAINT decisions_position CHECK (position >= 1);
ALTER TABLE decisions ADD COLUMN hash TEXT NOT NULL DEFAULT '';
ALTER TABLE decisions ADD COLUMN prior TEXT NOT NULL DEFAULT '';
CREATE INDEX decisions_newest ON decisions (project_id, at, session_id, seq, agent_id, product_id, response, rule);
CREATE INDEX decisions_of_client ON decisions (project_id, client, at, session_id, product_id) WHERE client <> '';
CREATE INDEX decisions_unsealed ON decisions (project_id, at, session_id, seq) WHERE position IS NULL;
CREATE UNIQUE INDEX decisions_sealed ON decisions (project_id, position) WHERE position IS NOT NULL;

-- The ends of the chains.
CREATE TABLE decision_chains (
    project_id TEXT    NOT NULL PRIMARY KEY REFERENCES projects (id),
    position   INTEGER NOT NULL CONSTRAINT decision_chains_position CHECK (position >= 0),
    hash       TEXT    NOT NULL
) STRICT;

-- Every project begins with the built-in agent and an empty chain.
INSERT INTO decision_chains (project_id, position, hash)
SELECT id, 0, ''
FROM projects;
INSERT INTO agents (project_id, id, name, status, handlers, model, automatic, holdout, baseline, policy_version, latest,
    created_at, updated_at)
SELECT id, 'agent_' || substr(id, -26), 'Negotiator', 'active',
    '{"search":{"kind":"builtin","program":"haggle"},"quote":{"kind":"builtin","program":"haggle"},"checkout":{"kind":"builtin","program":"haggle"},"finalize":{"kind":"builtin","program":"haggle"}}',
    '{"provider":"","name":"","max_tokens":0,"temperature":-1,"wording":false,"strategy":false,"reasons":false}',
    0, 0, 0, 1, 1, created_at, created_at
FROM projects;
INSERT INTO agent_policies (project_id, agent_id, version, policy, origin, note, created_at, activated_at)
SELECT project_id, id, 1,
    '{"enabled":true,"max_discount":900,"min_margin":100,"unverified_share":250,"round_cap":6,"depth":1000,"anchor":0,"curve":{"reach":1110,"markup":1110,"give":[310,670,790,870,940,1000,1000,1000],"take":[375,500,625,750,875,1000,1000,1000]},"leanings":{"tiers":[50,100,150,200],"purchases":[{"from":1,"lean":25},{"from":5,"lean":50},{"from":10,"lean":75}],"volume":[{"from":2,"lean":50},{"from":5,"lean":100},{"from":10,"lean":150}],"flexible":50,"scarce":-250,"plenty":100,"scarce_below":3,"plenty_from":50,"cart":50,"cart_times":2,"competitor":100,"match_competitor":true},"bundles":{"off":false,"share":350},"probing":{"session":40,"client":0,"product":0}}',
    'builtin', '', created_at, created_at
FROM agents;

-- Policies go with their agent, the agent first. Decisions go with their project: its agents first.
-- +goose StatementBegin
CREATE TRIGGER agent_policies_unchanged BEFORE UPDATE OF project_id, agent_id, version, policy, origin, note, created_at
ON agent_policies
BEGIN
    SELECT RAISE(ABORT, 'versions of policies are only added');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER agent_policies_kept BEFORE DELETE ON agent_policies
WHEN EXISTS (SELECT 1 FROM agents WHERE project_id = OLD.project_id AND id = OLD.agent_id)
BEGIN
    SELECT RAISE(ABORT, 'versions of policies are only added');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER decisions_unchanged BEFORE UPDATE OF project_id, session_id, seq, id, quote_id, product_id, variant_id,
    quantity, at, currency, offer, response, price, rule, policy_version, list_price, opening, target, floor, before,
    signals, message, agent_id, handler, fallback, proposal, client
ON decisions
BEGIN
    SELECT RAISE(ABORT, 'decisions are only added, and sealed once');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER decisions_seal BEFORE UPDATE OF position, hash, prior ON decisions
WHEN OLD.position IS NOT NULL OR NEW.position IS NULL
BEGIN
    SELECT RAISE(ABORT, 'decisions are only added, and sealed once');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER decisions_stay BEFORE DELETE ON decisions
WHEN EXISTS (SELECT 1 FROM agents WHERE project_id = OLD.project_id)
BEGIN
    SELECT RAISE(ABORT, 'decisions are only added, and sealed once');
END;
-- +goose StatementEnd

-- As in the second migration: the statistics of a large shop.
INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('agents', 'sqlite_autoindex_agents_1', '20 10 1'),
    ('agents', 'agents_active', '2 1'),
    ('agent_policies', 'sqlite_autoindex_agent_policies_1', '200 100 10 1'),
    ('decision_chains', 'sqlite_autoindex_decision_chains_1', '2 1'),
    ('decisions', 'decisions_newest', '300000 150000 2 1 1 1 1 1 1'),
    ('decisions', 'decisions_of_client', '300000 150000 20 2 1 1'),
    ('decisions', 'decisions_unsealed', '200 100 1 1 1'),
    ('decisions', 'decisions_sealed', '300000 150000 1');
ANALYZE sqlite_schema;
