-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- Whether nothing is shipped of a variant: a download, a voucher, a service.
ALTER TABLE variants ADD COLUMN digital BOOLEAN NOT NULL DEFAULT FALSE;

-- What a merchant offers to buyers although the platform's own shop does not, or sells it in another way.
ALTER TABLE integrations ADD COLUMN offer_unpublished BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE integrations ADD COLUMN offer_gift_cards BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE integrations ADD COLUMN offer_subscription_only BOOLEAN NOT NULL DEFAULT FALSE;
