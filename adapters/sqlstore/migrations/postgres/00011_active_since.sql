-- +goose Up
-- Events from before are not for the subscription, however late they are handed out.
ALTER TABLE event_subscriptions ADD COLUMN active_since BIGINT NOT NULL DEFAULT 0;
