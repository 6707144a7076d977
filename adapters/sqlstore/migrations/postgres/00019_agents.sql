-- +goose Up
SET LOCAL haggle.project_id = '*';

-- Negotiator agents. One of a project's is active.
CREATE TABLE agents (
    project_id     TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id             TEXT COLLATE "C" NOT NULL,
    name           TEXT    NOT NULL,
    status         TEXT    NOT NULL CONSTRAINT agents_status CHECK (status IN ('active', 'draft')),
    handlers       TEXT    NOT NULL,
    model          TEXT    NOT NULL,
    automatic      BOOLEAN NOT NULL,
    holdout        INTEGER NOT NULL CONSTRAINT agents_holdout CHECK (holdout BETWEEN 0 AND 1000), -- tenths of a percent
    baseline       INTEGER NOT NULL, -- the version that the holdout keeps
    policy_version INTEGER NOT NULL, -- the one in force
    latest         INTEGER NOT NULL,
    secret         BYTEA, -- sealed
    created_at     BIGINT  NOT NULL,
    updated_at     BIGINT  NOT NULL,
    PRIMARY KEY (project_id, id)
);
CREATE UNIQUE INDEX agents_active ON agents (project_id) WHERE status = 'active';

-- The versions of agents' policies. What was written stays, but for when it was last put in force.
CREATE TABLE agent_policies (
    project_id   TEXT COLLATE "C" NOT NULL,
    agent_id     TEXT COLLATE "C" NOT NULL,
    version      INTEGER NOT NULL CONSTRAINT agent_policies_version CHECK (version >= 1),
    policy       TEXT    NOT NULL,
    origin       TEXT    NOT NULL CONSTRAINT agent_policies_origin CHECK (origin IN ('builtin', 'merchant', 'tuned')),
    note         TEXT    NOT NULL,
    created_at   BIGINT  NOT NULL,
    activated_at BIGINT,
    PRIMARY KEY (project_id, agent_id, version)
);

-- Counts writes of a project's agents.
ALTER TABLE projects ADD COLUMN agent_revision BIGINT NOT NULL DEFAULT 0;

-- Who decided, and the chain that each project's decisions are sealed in, once they are.
ALTER TABLE decisions
    ADD COLUMN agent_id TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN handler  TEXT NOT NULL DEFAULT '',
    ADD COLUMN fallback TEXT NOT NULL DEFAULT '',
    ADD COLUMN proposal BIGINT,
    ADD COLUMN client   TEXT COLLATE "C" NOT NULL DEFAULT '',
    ADD COLUMN position BIGINT CONSTRAINT decisions_position CHECK (position >= 1),
    ADD COLUMN hash     TEXT NOT NULL DEFAULT '',
    ADD COLUMN prior    TEXT NOT NULL DEFAULT '';
CREATE INDEX decisions_newest ON decisions (project_id, at, session_id, seq, agent_id, product_id, response, rule);
CREATE INDEX decisions_of_client ON decisions (project_id, client, at, session_id, product_id) WHERE client <> '';
CREATE INDEX decisions_unsealed ON decisions (project_id, at, session_id, seq) WHERE position IS NULL;
CREATE UNIQUE INDEX decisions_sealed ON decisions (project_id, position) WHERE position IS NOT NULL;

-- The ends of the chains. Whoever seals holds the project's row.
CREATE TABLE decision_chains (
    project_id TEXT COLLATE "C" NOT NULL PRIMARY KEY REFERENCES projects (id),
    position   BIGINT NOT NULL CONSTRAINT decision_chains_position CHECK (position >= 0),
    hash       TEXT   NOT NULL
);

-- Every project begins with the built-in agent and an empty chain.
INSERT INTO decision_chains (project_id, position, hash)
SELECT id, 0, ''
FROM projects;
INSERT INTO agents (project_id, id, name, status, handlers, model, automatic, holdout, baseline, policy_version, latest,
    created_at, updated_at)
SELECT id, 'agent_' || right(id, 26), 'Negotiator', 'active',
    '{"search":{"kind":"builtin","program":"haggle"},"quote":{"kind":"builtin","program":"haggle"},"checkout":{"kind":"builtin","program":"haggle"},"finalize":{"kind":"builtin","program":"haggle"}}',
    '{"provider":"","name":"","max_tokens":0,"temperature":-1,"wording":false,"strategy":false,"reasons":false}',
    false, 0, 0, 1, 1, created_at, created_at
FROM projects;
INSERT INTO agent_policies (project_id, agent_id, version, policy, origin, note, created_at, activated_at)
SELECT project_id, id, 1,
    '{"enabled":true,"max_discount":900,"min_margin":100,"unverified_share":250,"round_cap":6,"depth":1000,"anchor":0,"curve":{"reach":1110,"markup":1110,"give":[310,670,790,870,940,1000,1000,1000],"take":[375,500,625,750,875,1000,1000,1000]},"leanings":{"tiers":[50,100,150,200],"purchases":[{"from":1,"lean":25},{"from":5,"lean":50},{"from":10,"lean":75}],"volume":[{"from":2,"lean":50},{"from":5,"lean":100},{"from":10,"lean":150}],"flexible":50,"scarce":-250,"plenty":100,"scarce_below":3,"plenty_from":50,"cart":50,"cart_times":2,"competitor":100,"match_competitor":true},"bundles":{"off":false,"share":350},"probing":{"session":40,"client":0,"product":0}}',
    'builtin', '', created_at, created_at
FROM agents;

-- +goose StatementBegin
DO $$
DECLARE
    guarded TEXT;
BEGIN
    FOREACH guarded IN ARRAY ARRAY['agents', 'agent_policies', 'decision_chains'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded);
        EXECUTE format($policy$
            CREATE POLICY own_project ON %I USING (
                project_id = current_setting('haggle.project_id', true)
                OR current_setting('haggle.project_id', true) = '*'
            )$policy$, guarded);
    END LOOP;
END
$$;
-- +goose StatementEnd
GRANT SELECT, INSERT, UPDATE, DELETE ON agents, decision_chains TO haggle_app;
GRANT SELECT, INSERT, UPDATE (activated_at), DELETE ON agent_policies TO haggle_app;
REVOKE UPDATE ON decisions FROM haggle_app;
GRANT UPDATE (position, hash, prior) ON decisions TO haggle_app;

-- Policies go with their agent, the agent first. Decisions go with their project: its agents first.
-- +goose StatementBegin
CREATE FUNCTION agent_policies_stay() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    others agent_policies;
BEGIN
    IF TG_OP = 'UPDATE' THEN
        others := NEW;
        others.activated_at := OLD.activated_at;
        IF others IS NOT DISTINCT FROM OLD THEN
            RETURN NEW;
        END IF;
    ELSIF NOT EXISTS (SELECT FROM agents WHERE project_id = OLD.project_id AND id = OLD.agent_id) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'versions of policies are only added';
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION decisions_seal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    others decisions;
BEGIN
    others := NEW;
    others.position := OLD.position;
    others.hash := OLD.hash;
    others.prior := OLD.prior;
    IF OLD.position IS NOT NULL OR NEW.position IS NULL OR others IS DISTINCT FROM OLD THEN
        RAISE EXCEPTION 'decisions are only added, and sealed once';
    END IF;
    RETURN NEW;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION decisions_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM agents WHERE project_id IN (SELECT project_id FROM gone)) THEN
        RAISE EXCEPTION 'decisions are only added, and sealed once';
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE FUNCTION record_stays() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    RAISE EXCEPTION '% is only added to', TG_TABLE_NAME;
END
$$;
-- +goose StatementEnd
CREATE TRIGGER agent_policies_stay BEFORE UPDATE OR DELETE ON agent_policies
    FOR EACH ROW EXECUTE FUNCTION agent_policies_stay();
CREATE TRIGGER agent_policies_kept BEFORE TRUNCATE ON agent_policies
    FOR EACH STATEMENT EXECUTE FUNCTION record_stays();
CREATE TRIGGER decisions_seal BEFORE UPDATE ON decisions
    FOR EACH ROW EXECUTE FUNCTION decisions_seal();
CREATE TRIGGER decisions_stay AFTER DELETE ON decisions REFERENCING OLD TABLE AS gone
    FOR EACH STATEMENT EXECUTE FUNCTION decisions_stay();
CREATE TRIGGER decisions_kept BEFORE TRUNCATE ON decisions
    FOR EACH STATEMENT EXECUTE FUNCTION record_stays();
