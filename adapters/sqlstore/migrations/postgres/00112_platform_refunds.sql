-- +goose Up
SET LOCAL haggle.project_id = '*';
SET LOCAL lock_timeout = '3s';
-- What becomes of a refund that was made at the platform, of a payment that was taken here.
ALTER TABLE integrations ADD COLUMN platform_refunds TEXT COLLATE "C" NOT NULL DEFAULT 'alert';
ALTER TABLE integrations ADD CONSTRAINT integrations_platform_refunds CHECK (platform_refunds IN ('alert', 'refund')) NOT VALID;
