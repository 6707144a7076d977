-- +goose Up
-- Who members are to OpenID Connect providers. An identity is one member's, and a member has one of an issuer.
CREATE TABLE member_identities (
    issuer     TEXT    NOT NULL CONSTRAINT member_identities_issuer CHECK (issuer <> ''),
    subject    TEXT    NOT NULL CONSTRAINT member_identities_subject CHECK (length(subject) BETWEEN 1 AND 255),
    member_id  TEXT    NOT NULL REFERENCES members (id),
    created_at INTEGER NOT NULL,
    PRIMARY KEY (issuer, subject)
) STRICT;
CREATE UNIQUE INDEX member_identities_member ON member_identities (member_id, issuer);
