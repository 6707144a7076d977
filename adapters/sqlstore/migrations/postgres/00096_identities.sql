-- +goose Up
SET LOCAL lock_timeout = '3s';

-- Who members are to OpenID Connect providers. An identity is one member's, and a member has one of an issuer.
CREATE TABLE member_identities (
    issuer     TEXT COLLATE "C" NOT NULL CONSTRAINT member_identities_issuer CHECK (issuer <> ''),
    subject    TEXT COLLATE "C" NOT NULL CONSTRAINT member_identities_subject CHECK (length(subject) BETWEEN 1 AND 255),
    member_id  TEXT COLLATE "C" NOT NULL REFERENCES members (id),
    created_at BIGINT NOT NULL,
    PRIMARY KEY (issuer, subject)
);
CREATE UNIQUE INDEX member_identities_member ON member_identities (member_id, issuer);

GRANT SELECT, INSERT, UPDATE, DELETE ON member_identities TO haggle_app;
