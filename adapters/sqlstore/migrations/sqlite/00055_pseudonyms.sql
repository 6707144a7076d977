-- +goose Up
-- A decision whose message is erased by its age keeps a pseudonym of its client, so that what one client contributes to
-- tuning stays bounded. The key of a project's pseudonyms is replaced after some time and then gone: nobody can tell
-- whose they are.
ALTER TABLE retention ADD COLUMN pseudonym_key TEXT NOT NULL DEFAULT '';
ALTER TABLE retention ADD COLUMN pseudonyms_from INTEGER NOT NULL DEFAULT 0;

DROP TRIGGER decisions_erase;
-- +goose StatementBegin
CREATE TRIGGER decisions_erase BEFORE UPDATE OF message, client, erased_at ON decisions
WHEN NEW.erased_at IS NULL OR NEW.message <> '' OR NEW.salt <> ''
    OR NEW.client <> '' AND (OLD.erased_at IS NOT NULL OR substr(NEW.client, 1, 2) <> 'p_')
    OR OLD.erased_at IS NOT NULL AND NEW.erased_at <> OLD.erased_at
    OR NEW.position IS NOT NULL AND NEW.personal = ''
BEGIN
    SELECT RAISE(ABORT, 'decisions are only added, sealed once, and erased once');
END;
-- +goose StatementEnd
DROP TRIGGER decisions_salt;
-- +goose StatementBegin
CREATE TRIGGER decisions_salt BEFORE UPDATE OF salt ON decisions
WHEN NEW.salt <> OLD.salt AND (OLD.position IS NOT NULL OR NEW.position IS NULL) AND (OLD.erased_at IS NOT NULL OR NEW.erased_at IS NULL)
BEGIN
    SELECT RAISE(ABORT, 'decisions are only added, sealed once, and erased once');
END;
-- +goose StatementEnd
