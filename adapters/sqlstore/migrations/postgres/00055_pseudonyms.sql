-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- A decision whose message is erased by its age keeps a pseudonym of its client, so that what one client contributes to
-- tuning stays bounded. The key of a project's pseudonyms is replaced after some time and then gone: nobody can tell
-- whose they are.
ALTER TABLE retention
    ADD COLUMN pseudonym_key   TEXT   NOT NULL DEFAULT '',
    ADD COLUMN pseudonyms_from BIGINT NOT NULL DEFAULT 0;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION decisions_seal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    others decisions;
BEGIN
    others := NEW;
    IF OLD.erased_at IS NOT NULL AND NEW.erased_at IS NOT NULL AND NEW.client = '' AND OLD.client <> '' THEN
        others.client := OLD.client; -- the pseudonym goes, too
        IF others IS NOT DISTINCT FROM OLD THEN
            RETURN NEW;
        END IF;
    END IF;
    others := NEW;
    others.salt := OLD.salt;
    IF OLD.erased_at IS NULL AND NEW.erased_at IS NOT NULL THEN
        others.message := OLD.message;
        others.client := OLD.client;
        others.erased_at := OLD.erased_at;
        IF NEW.message = '' AND (NEW.client = '' OR starts_with(NEW.client, 'p_')) AND NEW.salt = ''
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
