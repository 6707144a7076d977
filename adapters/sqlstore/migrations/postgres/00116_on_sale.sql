-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';

-- Whether nothing is shipped of a variant: a download, a voucher, a service.
ALTER TABLE variants ADD COLUMN digital BOOLEAN NOT NULL DEFAULT FALSE;

-- What a merchant offers to buyers although the platform's own shop does not, or sells it in another way.
ALTER TABLE integrations ADD COLUMN offer_unpublished BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE integrations ADD COLUMN offer_gift_cards BOOLEAN NOT NULL DEFAULT FALSE;
ALTER TABLE integrations ADD COLUMN offer_subscription_only BOOLEAN NOT NULL DEFAULT FALSE;

-- What can be paid has a way of shipping, or is of digital items alone, which have none to choose from. No row breaks the wider
-- constraint, so that none is read.
ALTER TABLE checkouts
    DROP CONSTRAINT checkouts_payable,
    ADD CONSTRAINT checkouts_payable
        CHECK (status NOT IN ('ready', 'processing', 'pending', 'completed') OR selected <> '' OR options = '[]') NOT VALID;
