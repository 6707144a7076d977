-- +goose Up
-- The query with which the platform sent the merchant back, sealed.
ALTER TABLE authorizations ADD COLUMN callback BLOB;
