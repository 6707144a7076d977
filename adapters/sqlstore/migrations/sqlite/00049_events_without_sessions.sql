-- +goose Up
-- A session's id is a right to its orders, and is shown in no event.
UPDATE outbox
SET payload = json_remove(payload, '$.data.session_id')
WHERE type IN ('order.completed', 'quote.accepted')
  AND payload LIKE '%"session_id"%';
