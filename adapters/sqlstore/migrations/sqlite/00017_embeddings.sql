-- +goose Up
-- What embedding models made of texts: 32-bit floats, little-endian.
CREATE TABLE embeddings (
    project_id TEXT    NOT NULL,
    model      TEXT    NOT NULL,
    hash       TEXT    NOT NULL, -- of the text
    used_at    INTEGER NOT NULL, -- when it was last known to be a product's, to the day
    vector     BLOB    NOT NULL CONSTRAINT embeddings_vector CHECK (length(vector) > 0 AND length(vector) % 4 = 0),
    PRIMARY KEY (project_id, model, hash)
) STRICT;
CREATE INDEX embeddings_used ON embeddings (used_at);

-- How far each model has come with a project's catalogue. What is in hand is due when its lease ends.
CREATE TABLE embedding_progress (
    project_id TEXT    NOT NULL,
    model      TEXT    NOT NULL,
    version    INTEGER NOT NULL, -- of the catalogue, up to which all is done
    whole_at   INTEGER NOT NULL, -- when the last pass over the whole catalogue began; 0: there was none
    stored     INTEGER NOT NULL, -- vectors, ever
    due_at     INTEGER NOT NULL,
    attempts   INTEGER NOT NULL,
    last_error TEXT    NOT NULL,
    PRIMARY KEY (project_id, model)
) STRICT;

INSERT INTO sqlite_stat1 (tbl, idx, stat) VALUES
    ('embeddings', 'sqlite_autoindex_embeddings_1', '100000 50000 50000 1'),
    ('embeddings', 'embeddings_used', '100000 1000'),
    ('embedding_progress', 'sqlite_autoindex_embedding_progress_1', '10 1 1');
ANALYZE sqlite_schema;
