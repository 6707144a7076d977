-- +goose Up
-- SQLite's constraints hold for all rows: there is nothing to validate.
SELECT 1;
