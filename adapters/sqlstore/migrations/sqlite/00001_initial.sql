-- +goose Up
-- Times are unix milliseconds, money is minor units beside its currency's code, lists and nested
-- values are JSON text. Text that is compared or ordered is in byte order, as in PostgreSQL's collation C.

CREATE TABLE accounts (
    id         TEXT NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    plan       TEXT   NOT NULL CONSTRAINT accounts_plan CHECK (plan IN ('starter', 'growth', 'enterprise')),
    created_at INTEGER NOT NULL
) STRICT;

CREATE TABLE api_keys (
    id         TEXT NOT NULL PRIMARY KEY,
    account_id TEXT NOT NULL REFERENCES accounts (id),
    name       TEXT   NOT NULL,
    hash       BLOB  NOT NULL CONSTRAINT api_keys_hash UNIQUE,
    prefix     TEXT   NOT NULL,
    scopes     TEXT   NOT NULL,
    projects   TEXT   NOT NULL,
    created_at INTEGER NOT NULL,
    expires_at INTEGER,
    revoked_at INTEGER,
    CONSTRAINT api_keys_hash_size CHECK (length(hash) = 32)
) STRICT;
CREATE INDEX api_keys_account ON api_keys (account_id, created_at);

CREATE TABLE projects (
    id              TEXT NOT NULL PRIMARY KEY,
    account_id      TEXT NOT NULL REFERENCES accounts (id),
    slug            TEXT NOT NULL CONSTRAINT projects_slug UNIQUE,
    name            TEXT   NOT NULL,
    description     TEXT   NOT NULL,
    currency        TEXT   NOT NULL,
    settings        TEXT   NOT NULL,
    storefront      TEXT   NOT NULL,
    catalog_version INTEGER NOT NULL,
    created_at      INTEGER NOT NULL,
    updated_at      INTEGER NOT NULL
) STRICT;
CREATE INDEX projects_account ON projects (account_id, created_at, id);

-- A deleted product stays as a tombstone, so that its deletion is a change that can be read.
CREATE TABLE products (
    project_id       TEXT NOT NULL REFERENCES projects (id),
    id               TEXT NOT NULL,
    sku              TEXT NOT NULL,
    name             TEXT   NOT NULL,
    category         TEXT NOT NULL,
    folded           TEXT   NOT NULL, -- name and sku in lower case, to be searched
    price            INTEGER NOT NULL,
    currency         TEXT   NOT NULL,
    cost             INTEGER,
    competitor_price INTEGER,
    negotiable       INTEGER NOT NULL,
    details          TEXT   NOT NULL,
    status           TEXT   NOT NULL CONSTRAINT products_status CHECK (status IN ('active', 'archived')),
    changed_version  INTEGER NOT NULL,
    created_at       INTEGER NOT NULL,
    updated_at       INTEGER NOT NULL,
    deleted_at       INTEGER,
    PRIMARY KEY (project_id, id),
    CONSTRAINT products_prices CHECK (price > 0 AND cost >= 0 AND competitor_price > 0)
) STRICT;
CREATE UNIQUE INDEX products_sku ON products (project_id, sku) WHERE deleted_at IS NULL;
CREATE INDEX products_changed ON products (project_id, changed_version);
CREATE INDEX products_newest ON products (project_id, created_at, id);

CREATE TABLE variants (
    project_id TEXT NOT NULL,
    id         TEXT NOT NULL,
    product_id TEXT NOT NULL,
    sku        TEXT NOT NULL,
    position   INTEGER NOT NULL,
    size       TEXT    NOT NULL,
    color      TEXT    NOT NULL,
    price      INTEGER,
    PRIMARY KEY (project_id, id),
    CONSTRAINT variants_sku UNIQUE (project_id, sku),
    CONSTRAINT variants_product FOREIGN KEY (project_id, product_id) REFERENCES products (project_id, id),
    CONSTRAINT variants_price CHECK (price > 0)
) STRICT;
CREATE INDEX variants_of_product ON variants (project_id, product_id, position);

CREATE TABLE stock (
    project_id TEXT NOT NULL,
    variant_id TEXT NOT NULL,
    location   TEXT NOT NULL,
    quantity   INTEGER NOT NULL,
    PRIMARY KEY (project_id, variant_id, location),
    CONSTRAINT stock_variant FOREIGN KEY (project_id, variant_id) REFERENCES variants (project_id, id) ON DELETE CASCADE,
    CONSTRAINT stock_quantity CHECK (quantity BETWEEN 0 AND 1000000000)
) STRICT, WITHOUT ROWID;

-- Why stock was moved by hand. Rows are only added.
CREATE TABLE stock_moves (
    project_id TEXT NOT NULL,
    id         INTEGER NOT NULL PRIMARY KEY AUTOINCREMENT,
    variant_id TEXT NOT NULL,
    location   TEXT NOT NULL,
    delta      INTEGER NOT NULL,
    reason     TEXT    NOT NULL,
    created_at INTEGER  NOT NULL
) STRICT;

CREATE INDEX stock_moves_project ON stock_moves (project_id, id);

CREATE TABLE sessions (
    project_id       TEXT NOT NULL REFERENCES projects (id),
    id               TEXT NOT NULL,
    loyalty_tier     TEXT   NOT NULL,
    location         TEXT   NOT NULL,
    purchase_history INTEGER NOT NULL,
    urgency          TEXT   NOT NULL,
    created_at       INTEGER NOT NULL,
    last_activity    INTEGER NOT NULL,
    expires_at       INTEGER NOT NULL,
    PRIMARY KEY (project_id, id)
) STRICT;

CREATE TABLE cart_items (
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    variant_id TEXT NOT NULL,
    product_id TEXT NOT NULL,
    name       TEXT    NOT NULL,
    quantity   INTEGER NOT NULL,
    price      INTEGER  NOT NULL,
    currency   TEXT    NOT NULL,
    quote_id   TEXT NOT NULL,
    seq        INTEGER NOT NULL, -- of the decision that put it there
    position   INTEGER NOT NULL, -- among those of one decision
    PRIMARY KEY (project_id, session_id, variant_id),
    CONSTRAINT cart_items_quantity CHECK (quantity BETWEEN 1 AND 1000),
    CONSTRAINT cart_items_price CHECK (price >= 0)
) STRICT, WITHOUT ROWID;

-- Recommendations that a buyer saw.
CREATE TABLE shown (
    project_id TEXT NOT NULL,
    session_id TEXT NOT NULL,
    product_id TEXT NOT NULL,
    position   INTEGER NOT NULL,
    PRIMARY KEY (project_id, session_id, product_id),
    CONSTRAINT shown_session FOREIGN KEY (project_id, session_id) REFERENCES sessions (project_id, id)
) STRICT, WITHOUT ROWID;

CREATE TABLE quotes (
    project_id     TEXT NOT NULL,
    id             TEXT NOT NULL,
    session_id     TEXT NOT NULL,
    product_id     TEXT NOT NULL,
    variant_id     TEXT NOT NULL,
    quantity       INTEGER NOT NULL,
    state          TEXT    NOT NULL CONSTRAINT quotes_state CHECK (state IN ('open', 'accepted', 'superseded')),
    currency       TEXT    NOT NULL,
    list_price     INTEGER  NOT NULL,
    opening        INTEGER  NOT NULL,
    target         INTEGER  NOT NULL,
    floor          INTEGER  NOT NULL,
    rounds         INTEGER NOT NULL,
    moves          INTEGER NOT NULL,
    best_offer     INTEGER,
    counter        INTEGER,
    policy_version INTEGER NOT NULL,
    final_price    INTEGER,
    bundle         TEXT,
    with_bundle    INTEGER NOT NULL,
    token_hash     TEXT NOT NULL,
    claimed_by     TEXT NOT NULL DEFAULT '', -- the checkout that holds the token
    redeemed_by    TEXT NOT NULL DEFAULT '', -- the order that used it up
    created_at     INTEGER  NOT NULL,
    valid_until    INTEGER  NOT NULL,
    seq            INTEGER NOT NULL, -- of the decision that opened it
    PRIMARY KEY (project_id, id),
    CONSTRAINT quotes_quantity CHECK (quantity BETWEEN 1 AND 1000),
    CONSTRAINT quotes_bounds CHECK (0 <= floor AND floor <= target AND target <= opening AND opening <= list_price),
    CONSTRAINT quotes_final_price CHECK (final_price IS NULL OR final_price BETWEEN 0 AND list_price),
    CONSTRAINT quotes_token CHECK (token_hash = '' OR state = 'accepted')
) STRICT;
CREATE UNIQUE INDEX quotes_token_hash ON quotes (project_id, token_hash) WHERE token_hash <> '';
CREATE INDEX quotes_item ON quotes (project_id, session_id, product_id, variant_id, quantity, seq);

-- One request and its answer. That a seq exists once makes a stale answer impossible.
CREATE TABLE decisions (
    project_id     TEXT NOT NULL,
    session_id     TEXT NOT NULL,
    seq            INTEGER NOT NULL,
    id             TEXT NOT NULL,
    quote_id       TEXT NOT NULL,
    product_id     TEXT NOT NULL,
    variant_id     TEXT NOT NULL,
    quantity       INTEGER NOT NULL,
    at             INTEGER  NOT NULL,
    currency       TEXT    NOT NULL,
    offer          INTEGER,
    response       TEXT    NOT NULL,
    price          INTEGER,
    rule           TEXT    NOT NULL,
    policy_version INTEGER NOT NULL,
    list_price     INTEGER  NOT NULL,
    opening        INTEGER  NOT NULL,
    target         INTEGER  NOT NULL,
    floor          INTEGER  NOT NULL,
    before         TEXT    NOT NULL,
    signals        TEXT    NOT NULL,
    message        TEXT    NOT NULL,
    CONSTRAINT decisions_seq PRIMARY KEY (project_id, session_id, seq),
    CONSTRAINT decisions_session FOREIGN KEY (project_id, session_id) REFERENCES sessions (project_id, id),
    CONSTRAINT decisions_counted CHECK (seq >= 1),
    CONSTRAINT decisions_price CHECK (price IS NULL OR price <= list_price)
) STRICT;

CREATE TABLE checkouts (
    project_id  TEXT NOT NULL REFERENCES projects (id),
    id          TEXT NOT NULL,
    session_id  TEXT NOT NULL,
    status      TEXT    NOT NULL,
    lines       TEXT    NOT NULL,
    address     TEXT    NOT NULL,
    options     TEXT    NOT NULL,
    selected    TEXT    NOT NULL,
    currency    TEXT    NOT NULL,
    subtotal    INTEGER  NOT NULL,
    tax         INTEGER  NOT NULL,
    savings     INTEGER  NOT NULL,
    attempt     INTEGER NOT NULL,
    declines    INTEGER NOT NULL,
    lease_until INTEGER,
    payment     TEXT    NOT NULL,
    taken       TEXT    NOT NULL,
    created_at  INTEGER  NOT NULL,
    valid_until INTEGER  NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT checkouts_session FOREIGN KEY (project_id, session_id) REFERENCES sessions (project_id, id),
    CONSTRAINT checkouts_status CHECK (status IN ('ready', 'processing', 'pending', 'completed', 'expired', 'canceled')),
    CONSTRAINT checkouts_amounts CHECK (subtotal >= 0 AND tax >= 0),
    CONSTRAINT checkouts_attempts CHECK (declines BETWEEN 0 AND attempt)
) STRICT;
CREATE INDEX checkouts_processing ON checkouts (lease_until) WHERE status = 'processing';

CREATE TABLE orders (
    project_id   TEXT NOT NULL,
    id           TEXT NOT NULL,
    checkout_id  TEXT NOT NULL,
    session_id   TEXT NOT NULL,
    confirmation TEXT   NOT NULL,
    status       TEXT   NOT NULL,
    lines        TEXT   NOT NULL,
    address      TEXT   NOT NULL,
    email        TEXT   NOT NULL,
    notes        TEXT   NOT NULL,
    currency     TEXT   NOT NULL,
    subtotal     INTEGER NOT NULL,
    shipping     INTEGER NOT NULL,
    tax          INTEGER NOT NULL,
    savings      INTEGER NOT NULL,
    total        INTEGER NOT NULL,
    fulfillment  TEXT   NOT NULL,
    created_at   INTEGER NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT orders_checkout UNIQUE (project_id, checkout_id),
    CONSTRAINT orders_status CHECK (status IN ('confirmed')),
    CONSTRAINT orders_total CHECK (total = subtotal + shipping + tax AND subtotal >= 0 AND shipping >= 0 AND tax >= 0)
) STRICT;
CREATE INDEX orders_newest ON orders (project_id, created_at, id);
CREATE INDEX orders_of_session ON orders (project_id, session_id);

CREATE TABLE payments (
    project_id TEXT NOT NULL,
    id         TEXT NOT NULL,
    order_id   TEXT NOT NULL,
    status     TEXT   NOT NULL,
    currency   TEXT   NOT NULL,
    amount     INTEGER NOT NULL,
    method     TEXT   NOT NULL,
    label      TEXT   NOT NULL,
    provider   TEXT   NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT payments_order UNIQUE (project_id, order_id),
    CONSTRAINT payments_status CHECK (status IN ('succeeded')),
    CONSTRAINT payments_amount CHECK (amount >= 0)
) STRICT;

CREATE TABLE returns (
    project_id   TEXT NOT NULL,
    id           TEXT NOT NULL,
    order_id     TEXT NOT NULL,
    status       TEXT   NOT NULL CONSTRAINT returns_status CHECK (status IN ('requested', 'approved', 'rejected')),
    items        TEXT   NOT NULL,
    comment      TEXT   NOT NULL,
    currency     TEXT   NOT NULL,
    estimate     INTEGER NOT NULL CONSTRAINT returns_estimate CHECK (estimate >= 0),
    instructions TEXT   NOT NULL,
    created_at   INTEGER NOT NULL,
    PRIMARY KEY (project_id, id)
) STRICT;
CREATE INDEX returns_of_order ON returns (project_id, order_id);

CREATE TABLE outbox (
    project_id  TEXT NOT NULL,
    id          TEXT NOT NULL,
    type        TEXT    NOT NULL,
    payload     TEXT    NOT NULL,
    created_at  INTEGER  NOT NULL,
    due_at      INTEGER, -- null: nothing left to do
    attempts    INTEGER NOT NULL,
    lease_until INTEGER,
    PRIMARY KEY (project_id, id)
) STRICT;
CREATE INDEX outbox_due ON outbox (due_at) WHERE due_at IS NOT NULL;

-- The sandbox provider's own memory. It outlives nothing but its project.
CREATE TABLE sandbox_charges (
    project_id TEXT NOT NULL,
    key        TEXT NOT NULL,
    id         TEXT   NOT NULL,
    currency   TEXT   NOT NULL,
    amount     INTEGER NOT NULL,
    method     TEXT   NOT NULL,
    token_hash TEXT   NOT NULL,
    result     TEXT   NOT NULL,
    created_at INTEGER NOT NULL,
    PRIMARY KEY (project_id, key)
) STRICT;

CREATE TABLE sandbox_failures (
    project_id TEXT NOT NULL,
    key        TEXT NOT NULL,
    failures   INTEGER NOT NULL,
    PRIMARY KEY (project_id, key)
) STRICT, WITHOUT ROWID;
