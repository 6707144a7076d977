-- +goose Up
-- A deleted project is out of reach at once: its status leaves 'active', and never comes back. What it holds goes
-- in the background. One that took real money is closed and keeps its books; any other is deleted.
ALTER TABLE projects
    ADD COLUMN status     TEXT NOT NULL DEFAULT 'active',
    ADD COLUMN closing_at BIGINT,
    ADD COLUMN progress   TEXT NOT NULL DEFAULT '', -- how far closing has come
    ADD CONSTRAINT projects_status CHECK (status IN ('active', 'closing', 'closed', 'deleting')),
    ADD CONSTRAINT projects_closing CHECK ((status = 'active') = (closing_at IS NULL));
CREATE INDEX projects_unfinished ON projects (closing_at) WHERE status IN ('closing', 'deleting');

-- +goose StatementBegin
CREATE FUNCTION projects_one_way() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF TG_OP = 'DELETE' THEN
        IF OLD.status = 'deleting' THEN
            RETURN OLD;
        END IF;
    ELSIF NEW.status = OLD.status OR (OLD.status, NEW.status) IN
        (('active', 'closing'), ('active', 'deleting'), ('deleting', 'closing'), ('closing', 'closed')) THEN
        RETURN NEW;
    END IF;
    RAISE EXCEPTION 'a project is closed or deleted step by step';
END
$$;
-- +goose StatementEnd
CREATE TRIGGER projects_one_way BEFORE UPDATE OF status OR DELETE ON projects
    FOR EACH ROW EXECUTE FUNCTION projects_one_way();

-- What a deleted project leaves behind may go. Real money stays in the ledger, whatever its project's status says.
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_transactions_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF OLD.provider = 'sandbox' AND EXISTS (SELECT FROM projects WHERE id = OLD.project_id AND status = 'deleting') THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the ledger is only added to';
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION ledger_postings_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (SELECT FROM projects WHERE id = OLD.project_id AND status = 'deleting')
        AND NOT EXISTS (
            SELECT FROM ledger_transactions
            WHERE project_id = OLD.project_id AND id = OLD.transaction_id AND provider <> 'sandbox'
        ) THEN
        RETURN OLD;
    END IF;
    RAISE EXCEPTION 'the ledger is only added to';
END
$$;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION decisions_stay() RETURNS trigger LANGUAGE plpgsql AS $$
BEGIN
    IF EXISTS (
        SELECT FROM gone
        WHERE NOT EXISTS (SELECT FROM projects WHERE id = gone.project_id AND status = 'deleting')
    ) THEN
        RAISE EXCEPTION 'decisions are only added, sealed once, and erased once';
    END IF;
    RETURN NULL;
END
$$;
-- +goose StatementEnd

-- A decision's message and client can be erased: the chain holds a salted hash of them (domain/negotiation).
ALTER TABLE decisions
    ADD COLUMN personal  TEXT NOT NULL DEFAULT '',
    ADD COLUMN salt      TEXT NOT NULL DEFAULT '',
    ADD COLUMN erased_at BIGINT;
GRANT UPDATE (position, hash, prior, personal, salt, message, client, erased_at) ON decisions TO haggle_app;
-- +goose StatementBegin
CREATE OR REPLACE FUNCTION decisions_seal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    others decisions;
BEGIN
    others := NEW;
    others.salt := OLD.salt;
    IF OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL THEN
        others.message := OLD.message;
        others.client := OLD.client;
        others.erased_at := OLD.erased_at;
        IF NEW.message = '' AND NEW.client = '' AND NEW.salt = ''
            AND (NEW.position IS NULL OR NEW.personal <> '') AND others IS NOT DISTINCT FROM OLD THEN
            RETURN NEW;
        END IF;
    ELSE
        others.position := OLD.position;
        others.hash := OLD.hash;
        others.prior := OLD.prior;
        others.personal := OLD.personal;
        IF OLD.position IS NULL AND NEW.position IS NOT NULL AND others IS NOT DISTINCT FROM OLD THEN
            RETURN NEW;
        END IF;
    END IF;
    RAISE EXCEPTION 'decisions are only added, sealed once, and erased once';
END
$$;
-- +goose StatementEnd
