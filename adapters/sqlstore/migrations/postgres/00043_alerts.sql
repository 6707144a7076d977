-- +goose Up
SET LOCAL lock_timeout = '3s';

-- Attempts and refunds whose provider was asked in vain: how long, by payment account, and when the next alert is due:
-- an hour after they began, then a day after each alert (checkout.AlertAfter, AlertEvery). An alert before an attempt was
-- claimed is of an earlier one.
CREATE INDEX checkouts_unresolved ON checkouts (queue, (coalesce(claimed_at, created_at)))
    WHERE status = 'processing' AND retry_at IS NOT NULL;
CREATE INDEX checkouts_alert ON checkouts ((
    CASE WHEN alerted_at >= coalesce(claimed_at, created_at) THEN alerted_at + 86400000 ELSE coalesce(claimed_at, created_at) + 3600000 END
)) WHERE status = 'processing' AND retry_at IS NOT NULL;
CREATE INDEX refunds_unresolved ON refunds (queue, created_at) WHERE due_at IS NOT NULL AND problem <> '';
CREATE INDEX refunds_alert ON refunds ((coalesce(alerted_at + 86400000, created_at + 3600000)))
    WHERE due_at IS NOT NULL AND problem <> '';
