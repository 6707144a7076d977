-- +goose Up
-- Why the buyer gave up; empty: it did not, or did not say.
ALTER TABLE quotes ADD COLUMN declined_for TEXT NOT NULL DEFAULT '';

-- Another CHECK needs no table to be made anew: sqlite.org/lang_altertable.html, section 8.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(sql, 'CHECK (state IN (''open'', ''accepted'', ''superseded''))',
    'CHECK (state IN (''open'', ''accepted'', ''superseded'', ''declined''))')
WHERE type = 'table'
  AND name = 'quotes';
PRAGMA writable_schema = RESET;
