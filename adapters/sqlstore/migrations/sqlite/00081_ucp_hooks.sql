-- +goose Up
-- Agents hear of their orders by the Universal Commerce Protocol, too. Another CHECK needs no table to be made anew:
-- sqlite.org/lang_altertable.html, section 8.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(sql, 'CHECK (hook_protocol IN ('''', ''haggle''))', 'CHECK (hook_protocol IN ('''', ''haggle'', ''ucp''))')
WHERE type = 'table'
  AND name IN ('checkouts', 'orders');
PRAGMA writable_schema = RESET;
