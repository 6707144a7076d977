-- +goose Up
-- Times are unix milliseconds, money is minor units beside its currency's code, lists and nested
-- values are JSON text. Text that is compared or ordered is in byte order, as in SQLite.

CREATE TABLE accounts (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    name       TEXT   NOT NULL,
    plan       TEXT   NOT NULL CONSTRAINT accounts_plan CHECK (plan IN ('starter', 'growth', 'enterprise')),
    created_at BIGINT NOT NULL
);

CREATE TABLE api_keys (
    id         TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account_id TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    name       TEXT   NOT NULL,
    hash       BYTEA  NOT NULL CONSTRAINT api_keys_hash UNIQUE,
    prefix     TEXT   NOT NULL,
    scopes     TEXT   NOT NULL,
    projects   TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    expires_at BIGINT,
    revoked_at BIGINT,
    CONSTRAINT api_keys_hash_size CHECK (octet_length(hash) = 32)
);
CREATE INDEX api_keys_account ON api_keys (account_id, created_at);

CREATE TABLE projects (
    id              TEXT COLLATE "C" NOT NULL PRIMARY KEY,
    account_id      TEXT COLLATE "C" NOT NULL REFERENCES accounts (id),
    slug            TEXT COLLATE "C" NOT NULL CONSTRAINT projects_slug UNIQUE,
    name            TEXT   NOT NULL,
    description     TEXT   NOT NULL,
    currency        TEXT   NOT NULL,
    settings        TEXT   NOT NULL,
    storefront      TEXT   NOT NULL,
    catalog_version BIGINT NOT NULL,
    created_at      BIGINT NOT NULL,
    updated_at      BIGINT NOT NULL
);
CREATE INDEX projects_account ON projects (account_id, created_at, id);

-- A deleted product stays as a tombstone, so that its deletion is a change that can be read.
CREATE TABLE products (
    project_id       TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id               TEXT COLLATE "C" NOT NULL,
    sku              TEXT COLLATE "C" NOT NULL,
    name             TEXT   NOT NULL,
    category         TEXT COLLATE "C" NOT NULL,
    folded           TEXT   NOT NULL, -- name and sku in lower case, to be searched
    price            BIGINT NOT NULL,
    currency         TEXT   NOT NULL,
    cost             BIGINT,
    competitor_price BIGINT,
    negotiable       BOOLEAN NOT NULL,
    details          TEXT   NOT NULL,
    status           TEXT   NOT NULL CONSTRAINT products_status CHECK (status IN ('active', 'archived')),
    changed_version  BIGINT NOT NULL,
    created_at       BIGINT NOT NULL,
    updated_at       BIGINT NOT NULL,
    deleted_at       BIGINT,
    PRIMARY KEY (project_id, id),
    CONSTRAINT products_prices CHECK (price > 0 AND cost >= 0 AND competitor_price > 0)
);
CREATE UNIQUE INDEX products_sku ON products (project_id, sku) WHERE deleted_at IS NULL;
CREATE INDEX products_changed ON products (project_id, changed_version);
CREATE INDEX products_newest ON products (project_id, created_at, id);

CREATE TABLE variants (
    project_id TEXT COLLATE "C" NOT NULL,
    id         TEXT COLLATE "C" NOT NULL,
    product_id TEXT COLLATE "C" NOT NULL,
    sku        TEXT COLLATE "C" NOT NULL,
    position   INTEGER NOT NULL,
    size       TEXT    NOT NULL,
    color      TEXT    NOT NULL,
    price      BIGINT,
    PRIMARY KEY (project_id, id),
    CONSTRAINT variants_sku UNIQUE (project_id, sku),
    CONSTRAINT variants_product FOREIGN KEY (project_id, product_id) REFERENCES products (project_id, id),
    CONSTRAINT variants_price CHECK (price > 0)
);
CREATE INDEX variants_of_product ON variants (project_id, product_id, position);

CREATE TABLE stock (
    project_id TEXT COLLATE "C" NOT NULL,
    variant_id TEXT COLLATE "C" NOT NULL,
    location   TEXT COLLATE "C" NOT NULL,
    quantity   INTEGER NOT NULL,
    PRIMARY KEY (project_id, variant_id, location),
    CONSTRAINT stock_variant FOREIGN KEY (project_id, variant_id) REFERENCES variants (project_id, id) ON DELETE CASCADE,
    CONSTRAINT stock_quantity CHECK (quantity BETWEEN 0 AND 1000000000)
);

-- Why stock was moved by hand. Rows are only added.
CREATE TABLE stock_moves (
    project_id TEXT COLLATE "C" NOT NULL,
    id         BIGINT GENERATED ALWAYS AS IDENTITY,
    variant_id TEXT COLLATE "C" NOT NULL,
    location   TEXT COLLATE "C" NOT NULL,
    delta      INTEGER NOT NULL,
    reason     TEXT    NOT NULL,
    created_at BIGINT  NOT NULL,
    PRIMARY KEY (project_id, id)
);

CREATE TABLE sessions (
    project_id       TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id               TEXT COLLATE "C" NOT NULL,
    loyalty_tier     TEXT   NOT NULL,
    location         TEXT   NOT NULL,
    purchase_history BIGINT NOT NULL,
    urgency          TEXT   NOT NULL,
    created_at       BIGINT NOT NULL,
    last_activity    BIGINT NOT NULL,
    expires_at       BIGINT NOT NULL,
    PRIMARY KEY (project_id, id)
);

CREATE TABLE cart_items (
    project_id TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    variant_id TEXT COLLATE "C" NOT NULL,
    product_id TEXT COLLATE "C" NOT NULL,
    name       TEXT    NOT NULL,
    quantity   INTEGER NOT NULL,
    price      BIGINT  NOT NULL,
    currency   TEXT    NOT NULL,
    quote_id   TEXT COLLATE "C" NOT NULL,
    seq        INTEGER NOT NULL, -- of the decision that put it there
    position   INTEGER NOT NULL, -- among those of one decision
    PRIMARY KEY (project_id, session_id, variant_id),
    CONSTRAINT cart_items_quantity CHECK (quantity BETWEEN 1 AND 1000),
    CONSTRAINT cart_items_price CHECK (price >= 0)
);

-- Recommendations that a buyer saw.
CREATE TABLE shown (
    project_id TEXT COLLATE "C" NOT NULL,
    session_id TEXT COLLATE "C" NOT NULL,
    product_id TEXT COLLATE "C" NOT NULL,
    position   INTEGER NOT NULL,
    PRIMARY KEY (project_id, session_id, product_id),
    CONSTRAINT shown_session FOREIGN KEY (project_id, session_id) REFERENCES sessions (project_id, id)
);

CREATE TABLE quotes (
    project_id     TEXT COLLATE "C" NOT NULL,
    id             TEXT COLLATE "C" NOT NULL,
    session_id     TEXT COLLATE "C" NOT NULL,
    product_id     TEXT COLLATE "C" NOT NULL,
    variant_id     TEXT COLLATE "C" NOT NULL,
    quantity       INTEGER NOT NULL,
    state          TEXT    NOT NULL CONSTRAINT quotes_state CHECK (state IN ('open', 'accepted', 'superseded')),
    currency       TEXT    NOT NULL,
    list_price     BIGINT  NOT NULL,
    opening        BIGINT  NOT NULL,
    target         BIGINT  NOT NULL,
    floor          BIGINT  NOT NULL,
    rounds         INTEGER NOT NULL,
    moves          INTEGER NOT NULL,
    best_offer     BIGINT,
    counter        BIGINT,
    policy_version INTEGER NOT NULL,
    final_price    BIGINT,
    bundle         TEXT,
    with_bundle    BOOLEAN NOT NULL,
    token_hash     TEXT COLLATE "C" NOT NULL,
    claimed_by     TEXT COLLATE "C" NOT NULL DEFAULT '', -- the checkout that holds the token
    redeemed_by    TEXT COLLATE "C" NOT NULL DEFAULT '', -- the order that used it up
    created_at     BIGINT  NOT NULL,
    valid_until    BIGINT  NOT NULL,
    seq            INTEGER NOT NULL, -- of the decision that opened it
    PRIMARY KEY (project_id, id),
    CONSTRAINT quotes_quantity CHECK (quantity BETWEEN 1 AND 1000),
    CONSTRAINT quotes_bounds CHECK (0 <= floor AND floor <= target AND target <= opening AND opening <= list_price),
    CONSTRAINT quotes_final_price CHECK (final_price IS NULL OR final_price BETWEEN 0 AND list_price),
    CONSTRAINT quotes_token CHECK (token_hash = '' OR state = 'accepted')
);
CREATE UNIQUE INDEX quotes_token_hash ON quotes (project_id, token_hash) WHERE token_hash <> '';
CREATE INDEX quotes_item ON quotes (project_id, session_id, product_id, variant_id, quantity, seq);

-- One request and its answer. That a seq exists once makes a stale answer impossible.
CREATE TABLE decisions (
    project_id     TEXT COLLATE "C" NOT NULL,
    session_id     TEXT COLLATE "C" NOT NULL,
    seq            INTEGER NOT NULL,
    id             TEXT COLLATE "C" NOT NULL,
    quote_id       TEXT COLLATE "C" NOT NULL,
    product_id     TEXT COLLATE "C" NOT NULL,
    variant_id     TEXT COLLATE "C" NOT NULL,
    quantity       INTEGER NOT NULL,
    at             BIGINT  NOT NULL,
    currency       TEXT    NOT NULL,
    offer          BIGINT,
    response       TEXT    NOT NULL,
    price          BIGINT,
    rule           TEXT    NOT NULL,
    policy_version INTEGER NOT NULL,
    list_price     BIGINT  NOT NULL,
    opening        BIGINT  NOT NULL,
    target         BIGINT  NOT NULL,
    floor          BIGINT  NOT NULL,
    before         TEXT    NOT NULL,
    signals        TEXT    NOT NULL,
    message        TEXT    NOT NULL,
    CONSTRAINT decisions_seq PRIMARY KEY (project_id, session_id, seq),
    CONSTRAINT decisions_session FOREIGN KEY (project_id, session_id) REFERENCES sessions (project_id, id),
    CONSTRAINT decisions_counted CHECK (seq >= 1),
    CONSTRAINT decisions_price CHECK (price IS NULL OR price <= list_price)
);

CREATE TABLE checkouts (
    project_id  TEXT COLLATE "C" NOT NULL REFERENCES projects (id),
    id          TEXT COLLATE "C" NOT NULL,
    session_id  TEXT COLLATE "C" NOT NULL,
    status      TEXT    NOT NULL,
    lines       TEXT    NOT NULL,
    address     TEXT    NOT NULL,
    options     TEXT    NOT NULL,
    selected    TEXT    NOT NULL,
    currency    TEXT    NOT NULL,
    subtotal    BIGINT  NOT NULL,
    tax         BIGINT  NOT NULL,
    savings     BIGINT  NOT NULL,
    attempt     INTEGER NOT NULL,
    declines    INTEGER NOT NULL,
    lease_until BIGINT,
    payment     TEXT    NOT NULL,
    taken       TEXT    NOT NULL,
    created_at  BIGINT  NOT NULL,
    valid_until BIGINT  NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT checkouts_session FOREIGN KEY (project_id, session_id) REFERENCES sessions (project_id, id),
    CONSTRAINT checkouts_status CHECK (status IN ('ready', 'processing', 'pending', 'completed', 'expired', 'canceled')),
    CONSTRAINT checkouts_amounts CHECK (subtotal >= 0 AND tax >= 0),
    CONSTRAINT checkouts_attempts CHECK (declines BETWEEN 0 AND attempt)
);
CREATE INDEX checkouts_processing ON checkouts (lease_until) WHERE status = 'processing';

CREATE TABLE orders (
    project_id   TEXT COLLATE "C" NOT NULL,
    id           TEXT COLLATE "C" NOT NULL,
    checkout_id  TEXT COLLATE "C" NOT NULL,
    session_id   TEXT COLLATE "C" NOT NULL,
    confirmation TEXT   NOT NULL,
    status       TEXT   NOT NULL,
    lines        TEXT   NOT NULL,
    address      TEXT   NOT NULL,
    email        TEXT   NOT NULL,
    notes        TEXT   NOT NULL,
    currency     TEXT   NOT NULL,
    subtotal     BIGINT NOT NULL,
    shipping     BIGINT NOT NULL,
    tax          BIGINT NOT NULL,
    savings      BIGINT NOT NULL,
    total        BIGINT NOT NULL,
    fulfillment  TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT orders_checkout UNIQUE (project_id, checkout_id),
    CONSTRAINT orders_status CHECK (status IN ('confirmed')),
    CONSTRAINT orders_total CHECK (total = subtotal + shipping + tax AND subtotal >= 0 AND shipping >= 0 AND tax >= 0)
);
CREATE INDEX orders_newest ON orders (project_id, created_at, id);
CREATE INDEX orders_of_session ON orders (project_id, session_id);

CREATE TABLE payments (
    project_id TEXT COLLATE "C" NOT NULL,
    id         TEXT COLLATE "C" NOT NULL,
    order_id   TEXT COLLATE "C" NOT NULL,
    status     TEXT   NOT NULL,
    currency   TEXT   NOT NULL,
    amount     BIGINT NOT NULL,
    method     TEXT   NOT NULL,
    label      TEXT   NOT NULL,
    provider   TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, id),
    CONSTRAINT payments_order UNIQUE (project_id, order_id),
    CONSTRAINT payments_status CHECK (status IN ('succeeded')),
    CONSTRAINT payments_amount CHECK (amount >= 0)
);

CREATE TABLE returns (
    project_id   TEXT COLLATE "C" NOT NULL,
    id           TEXT COLLATE "C" NOT NULL,
    order_id     TEXT COLLATE "C" NOT NULL,
    status       TEXT   NOT NULL CONSTRAINT returns_status CHECK (status IN ('requested', 'approved', 'rejected')),
    items        TEXT   NOT NULL,
    comment      TEXT   NOT NULL,
    currency     TEXT   NOT NULL,
    estimate     BIGINT NOT NULL CONSTRAINT returns_estimate CHECK (estimate >= 0),
    instructions TEXT   NOT NULL,
    created_at   BIGINT NOT NULL,
    PRIMARY KEY (project_id, id)
);
CREATE INDEX returns_of_order ON returns (project_id, order_id);

CREATE TABLE outbox (
    project_id  TEXT COLLATE "C" NOT NULL,
    id          TEXT COLLATE "C" NOT NULL,
    type        TEXT    NOT NULL,
    payload     TEXT    NOT NULL,
    created_at  BIGINT  NOT NULL,
    due_at      BIGINT, -- null: nothing left to do
    attempts    INTEGER NOT NULL,
    lease_until BIGINT,
    PRIMARY KEY (project_id, id)
);
CREATE INDEX outbox_due ON outbox (due_at) WHERE due_at IS NOT NULL;

-- The sandbox provider's own memory. It outlives nothing but its project.
CREATE TABLE sandbox_charges (
    project_id TEXT COLLATE "C" NOT NULL,
    key        TEXT COLLATE "C" NOT NULL,
    id         TEXT   NOT NULL,
    currency   TEXT   NOT NULL,
    amount     BIGINT NOT NULL,
    method     TEXT   NOT NULL,
    token_hash TEXT   NOT NULL,
    result     TEXT   NOT NULL,
    created_at BIGINT NOT NULL,
    PRIMARY KEY (project_id, key)
);

CREATE TABLE sandbox_failures (
    project_id TEXT COLLATE "C" NOT NULL,
    key        TEXT COLLATE "C" NOT NULL,
    failures   INTEGER NOT NULL,
    PRIMARY KEY (project_id, key)
);

-- The group role that every transaction takes on. Roles belong to the whole cluster, so another
-- database may create or grant it at the same moment.
-- +goose StatementBegin
DO $$
BEGIN
    FOR try IN 1..20 LOOP
        BEGIN
            IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'haggle_app') THEN
                CREATE ROLE haggle_app NOLOGIN;
            END IF;
            IF NOT EXISTS (
                SELECT
                FROM pg_auth_members
                WHERE roleid = 'haggle_app'::regrole
                  AND member = current_user::regrole
            ) THEN
                EXECUTE format('GRANT haggle_app TO %I', current_user);
            END IF;
            EXIT;
        EXCEPTION WHEN duplicate_object OR unique_violation OR internal_error THEN
            -- internal_error: "tuple concurrently updated"
            PERFORM pg_sleep(0.01 * try);
        END;
    END LOOP;
END
$$;
-- +goose StatementEnd

GRANT SELECT, INSERT, UPDATE, DELETE ON accounts, api_keys, projects TO haggle_app;

-- Every row belongs to a project: the transaction's own, or any for background work ('*').
-- +goose StatementBegin
DO $$
DECLARE
    guarded TEXT;
BEGIN
    FOREACH guarded IN ARRAY ARRAY[
        'products', 'variants', 'stock', 'stock_moves',
        'sessions', 'cart_items', 'shown', 'quotes', 'decisions',
        'checkouts', 'orders', 'payments', 'returns',
        'outbox', 'sandbox_charges', 'sandbox_failures'
    ] LOOP
        EXECUTE format('ALTER TABLE %I ENABLE ROW LEVEL SECURITY', guarded);
        EXECUTE format('ALTER TABLE %I FORCE ROW LEVEL SECURITY', guarded);
        EXECUTE format($policy$
            CREATE POLICY own_project ON %I USING (
                project_id = current_setting('haggle.project_id', true)
                OR current_setting('haggle.project_id', true) = '*'
            )$policy$, guarded);
        EXECUTE format('GRANT SELECT, INSERT, UPDATE, DELETE ON %I TO haggle_app', guarded);
    END LOOP;
END
$$;
-- +goose StatementEnd
