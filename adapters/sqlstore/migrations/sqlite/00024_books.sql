-- +goose Up
-- A deleted project is out of reach at once: its status leaves 'active', and never comes back. What it holds goes
-- in the background. One that took real money is closed and keeps its books; any other is deleted.
ALTER TABLE projects ADD COLUMN status TEXT NOT NULL DEFAULT 'active'
    CONSTRAINT projects_status CHECK (status IN ('active', 'closing', 'closed', 'deleting'));
ALTER TABLE projects ADD COLUMN closing_at INTEGER
    CONSTRAINT projects_closing CHECK ((status = 'active') = (closing_at IS NULL));
ALTER TABLE projects ADD COLUMN progress TEXT NOT NULL DEFAULT ''; -- how far closing has come
CREATE INDEX projects_unfinished ON projects (closing_at) WHERE status IN ('closing', 'deleting');

-- +goose StatementBegin
CREATE TRIGGER projects_one_way BEFORE UPDATE OF status ON projects
WHEN NEW.status <> OLD.status AND (OLD.status, NEW.status) NOT IN
    (VALUES ('active', 'closing'), ('active', 'deleting'), ('deleting', 'closing'), ('closing', 'closed'))
BEGIN
    SELECT RAISE(ABORT, 'a project is closed or deleted step by step');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER projects_kept BEFORE DELETE ON projects
WHEN OLD.status <> 'deleting'
BEGIN
    SELECT RAISE(ABORT, 'a project is closed or deleted step by step');
END;
-- +goose StatementEnd

-- What a deleted project leaves behind may go. Real money stays in the ledger, whatever its project's status says.
DROP TRIGGER ledger_transactions_kept;
DROP TRIGGER ledger_postings_kept;
DROP TRIGGER decisions_stay;
-- +goose StatementBegin
CREATE TRIGGER ledger_transactions_kept BEFORE DELETE ON ledger_transactions
WHEN OLD.provider <> 'sandbox'
    OR NOT EXISTS (SELECT 1 FROM projects WHERE id = OLD.project_id AND status = 'deleting')
BEGIN
    SELECT RAISE(ABORT, 'the ledger is only added to');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER ledger_postings_kept BEFORE DELETE ON ledger_postings
WHEN NOT EXISTS (SELECT 1 FROM projects WHERE id = OLD.project_id AND status = 'deleting')
    OR EXISTS (
        SELECT 1 FROM ledger_transactions
        WHERE project_id = OLD.project_id AND id = OLD.transaction_id AND provider <> 'sandbox'
    )
BEGIN
    SELECT RAISE(ABORT, 'the ledger is only added to');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER decisions_stay BEFORE DELETE ON decisions
WHEN NOT EXISTS (SELECT 1 FROM projects WHERE id = OLD.project_id AND status = 'deleting')
BEGIN
    SELECT RAISE(ABORT, 'decisions are only added, sealed once, and erased once');
END;
-- +goose StatementEnd

-- A decision's message and client can be erased: the chain holds a salted hash of them (domain/negotiation).
ALTER TABLE decisions ADD COLUMN personal TEXT NOT NULL DEFAULT '';
ALTER TABLE decisions ADD COLUMN salt TEXT NOT NULL DEFAULT '';
ALTER TABLE decisions ADD COLUMN erased_at INTEGER;
DROP TRIGGER decisions_unchanged;
DROP TRIGGER decisions_seal;
-- +goose StatementBegin
CREATE TRIGGER decisions_unchanged BEFORE UPDATE OF project_id, session_id, seq, id, quote_id, product_id, variant_id,
    quantity, at, currency, offer, response, price, rule, policy_version, list_price, opening, target, floor, before,
    signals, agent_id, handler, fallback, proposal
ON decisions
BEGIN
    SELECT RAISE(ABORT, 'decisions are only added, sealed once, and erased once');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER decisions_seal BEFORE UPDATE OF position, hash, prior, personal ON decisions
WHEN OLD.position IS NOT NULL OR NEW.position IS NULL
BEGIN
    SELECT RAISE(ABORT, 'decisions are only added, sealed once, and erased once');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER decisions_erase BEFORE UPDATE OF message, client, erased_at ON decisions
WHEN OLD.erased_at IS NOT NULL OR NEW.erased_at IS NULL OR NEW.message <> '' OR NEW.client <> '' OR NEW.salt <> ''
    OR NEW.position IS NOT NULL AND NEW.personal = ''
BEGIN
    SELECT RAISE(ABORT, 'decisions are only added, sealed once, and erased once');
END;
-- +goose StatementEnd
-- +goose StatementBegin
CREATE TRIGGER decisions_salt BEFORE UPDATE OF salt ON decisions
WHEN (OLD.position IS NOT NULL OR NEW.position IS NULL) AND (OLD.erased_at IS NOT NULL OR NEW.erased_at IS NULL)
BEGIN
    SELECT RAISE(ABORT, 'decisions are only added, sealed once, and erased once');
END;
-- +goose StatementEnd
