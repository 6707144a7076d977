-- +goose Up
-- Agents hear of their orders in the version of the Universal Commerce Protocol that they speak. Another CHECK needs no
-- table to be made anew: sqlite.org/lang_altertable.html, section 8.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(sql, 'CHECK (hook_protocol IN ('''', ''haggle'', ''ucp''))',
                   'CHECK (hook_protocol IN ('''', ''haggle'', ''ucp'', ''ucp_2026_04_08''))')
WHERE type = 'table'
  AND name IN ('checkouts', 'orders');
PRAGMA writable_schema = RESET;
