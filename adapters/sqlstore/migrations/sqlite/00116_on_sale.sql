-- +goose Up
-- Whether nothing is shipped of a variant: a download, a voucher, a service.
ALTER TABLE variants ADD COLUMN digital INTEGER NOT NULL DEFAULT 0;

-- What a merchant offers to buyers although the platform's own shop does not, or sells it in another way.
ALTER TABLE integrations ADD COLUMN offer_unpublished INTEGER NOT NULL DEFAULT 0;
ALTER TABLE integrations ADD COLUMN offer_gift_cards INTEGER NOT NULL DEFAULT 0;
ALTER TABLE integrations ADD COLUMN offer_subscription_only INTEGER NOT NULL DEFAULT 0;
