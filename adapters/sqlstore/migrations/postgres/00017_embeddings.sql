-- +goose Up
-- What embedding models made of texts: 32-bit floats, little-endian. They do not compress.
CREATE TABLE embeddings (
    project_id TEXT COLLATE "C" NOT NULL,
    model      TEXT COLLATE "C" NOT NULL,
    hash       TEXT COLLATE "C" NOT NULL, -- of the text
    used_at    BIGINT NOT NULL,           -- when it was last known to be a product's, to the day
    vector     BYTEA  NOT NULL CONSTRAINT embeddings_vector CHECK (length(vector) > 0 AND length(vector) % 4 = 0),
    PRIMARY KEY (project_id, model, hash)
);
ALTER TABLE embeddings ALTER COLUMN vector SET STORAGE EXTERNAL;
CREATE INDEX embeddings_used ON embeddings (used_at);

-- How far each model has come with a project's catalogue. What is in hand is due when its lease ends.
CREATE TABLE embedding_progress (
    project_id TEXT COLLATE "C" NOT NULL,
    model      TEXT COLLATE "C" NOT NULL,
    version    BIGINT  NOT NULL, -- of the catalogue, up to which all is done
    whole_at   BIGINT  NOT NULL, -- when the last pass over the whole catalogue began; 0: there was none
    stored     BIGINT  NOT NULL, -- vectors, ever
    due_at     BIGINT  NOT NULL,
    attempts   INTEGER NOT NULL,
    last_error TEXT    NOT NULL,
    PRIMARY KEY (project_id, model)
);

-- +goose StatementBegin
DO $$
DECLARE
    guarded TEXT;
BEGIN
    FOREACH guarded IN ARRAY ARRAY['embeddings', 'embedding_progress'] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded);
        EXECUTE format($policy$
            CREATE POLICY own_project ON %I USING (
                project_id = current_setting('haggle.project_id', true)
                OR current_setting('haggle.project_id', true) = '*'
            )$policy$, guarded);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO haggle_app', guarded);
    END LOOP;
END
$$;
-- +goose StatementEnd
