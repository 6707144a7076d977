-- +goose Up
-- What becomes of a refund that was made at the platform, of a payment that was taken here.
ALTER TABLE integrations ADD COLUMN platform_refunds TEXT NOT NULL DEFAULT 'alert' CONSTRAINT integrations_platform_refunds CHECK (platform_refunds IN ('alert', 'refund'));
