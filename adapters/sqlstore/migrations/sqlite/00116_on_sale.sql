-- +goose Up
-- Whether nothing is shipped of a variant: a download, a voucher, a service.
ALTER TABLE variants ADD COLUMN digital INTEGER NOT NULL DEFAULT 0;

-- What a merchant offers to buyers although the platform's own shop does not, or sells it in another way.
ALTER TABLE integrations ADD COLUMN offer_unpublished INTEGER NOT NULL DEFAULT 0;
ALTER TABLE integrations ADD COLUMN offer_gift_cards INTEGER NOT NULL DEFAULT 0;
ALTER TABLE integrations ADD COLUMN offer_subscription_only INTEGER NOT NULL DEFAULT 0;

-- What can be paid has a way of shipping, or is of digital items alone, which have none to choose from. A wider CHECK needs no
-- table to be made anew: sqlite.org/lang_altertable.html, section 8.
PRAGMA writable_schema = ON;
UPDATE sqlite_schema
SET sql = replace(sql, '''completed'') OR selected <> '''')', '''completed'') OR selected <> '''' OR options = ''[]'')')
WHERE type = 'table'
  AND name = 'checkouts';
PRAGMA writable_schema = RESET;
