-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- The session's name that opens nothing (id.NegotiationOf), in its first decision: by it merchants find a negotiation. NULL: of
-- an earlier release, and named soon by the server, in parts.
ALTER TABLE decisions ADD COLUMN negotiation_id TEXT COLLATE "C";
CREATE INDEX decisions_negotiation ON decisions (negotiation_id, project_id) WHERE seq = 1;
GRANT UPDATE (negotiation_id) ON decisions TO haggle_app;

-- +goose StatementBegin
CREATE OR REPLACE FUNCTION decisions_seal() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
    others decisions;
BEGIN
    others := NEW;
    IF OLD.negotiation_id IS NULL AND NEW.negotiation_id IS NOT NULL THEN
        others.negotiation_id := NULL; -- it is named once
        IF others IS NOT DISTINCT FROM OLD THEN
            RETURN NEW;
        END IF;
    END IF;
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
