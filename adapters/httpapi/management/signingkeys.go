package management

import (
	"context"

	"github.com/haggle-commerce/haggle/adapters/httpapi/management/internal/operation"
	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/domain/signing"
)

func (h *handlers) registerSigningKeys() {
	const all = "/v1/signing-keys"
	g := h.Group("Signing keys", "keys", operation.HeaderProject)
	operation.Register(g, "list-signing-keys", "GET "+all, "List the keys with which agents verify the shop's signatures", h.listSigningKeys)
	operation.Register(g, "rotate-signing-keys", "POST "+all+"/rotate",
		"Rotate to the next key and publish another next one; 409 until the next key has been published for 10 minutes",
		h.rotateSigningKeys, operation.Errors(409))
	operation.Register(g, "revoke-signing-key", "POST "+all+"/{kid}/revoke",
		"Stop publishing a key at once; the next key replaces a revoked current one", h.revokeSigningKey, operation.Errors(404))
}

// SigningKeyView is a signing key without its private part.
type SigningKeyView struct {
	Kid         string     `json:"kid" doc:"The thumbprint of the public key, by RFC 7638."`
	State       string     `json:"state" enum:"next,current,retired" doc:"next: published, and signs after a rotation. current: signs. retired: published for 7 more days."`
	Algorithm   string     `json:"alg" enum:"ES256"`
	PublishedAt wire.Time  `json:"published_at"`
	CurrentAt   *wire.Time `json:"current_at" nullable:"true" doc:"When it began to sign."`
	RetiredAt   *wire.Time `json:"retired_at" nullable:"true"`
	MaySignAt   *wire.Time `json:"may_sign_at" nullable:"true" doc:"For the next key: the earliest time of a rotation."`
	GoneAt      *wire.Time `json:"gone_at" nullable:"true" doc:"For a retired key: when its publication ends."`
}

type signingKeys struct {
	Data []SigningKeyView `json:"data" doc:"The current key, then the next one, then retired ones."`
}

type noInput struct{}

type onSigningKey struct {
	Kid string `path:"kid" maxLength:"100" doc:"The key's kid."`
}

type signingKeysOutput = wire.Output[signingKeys]

func (h *handlers) listSigningKeys(ctx context.Context, rq operation.Request, _ *noInput) (*signingKeysOutput, error) {
	return toAPISigningKeys(h.SigningKeys.In(rq.Stores).Published(ctx, rq.Caller.Project.ID))
}

func (h *handlers) rotateSigningKeys(ctx context.Context, rq operation.Request, _ *noInput) (*signingKeysOutput, error) {
	answer, err := toAPISigningKeys(h.SigningKeys.In(rq.Stores).Rotate(ctx, rq.Caller.Project.ID))
	if err == nil {
		operation.NoteCreated(rq, answer.Body.Data[0].Kid, answer.Body.Data[0])
	}
	return answer, err
}

func (h *handlers) revokeSigningKey(ctx context.Context, rq operation.Request, in *onSigningKey) (*signingKeysOutput, error) {
	operation.NoteTarget(rq, in.Kid)
	return toAPISigningKeys(h.SigningKeys.In(rq.Stores).Revoke(ctx, rq.Caller.Project.ID, in.Kid))
}

func toAPISigningKeys(keys []signing.Key, err error) (*signingKeysOutput, error) {
	if err != nil {
		return nil, err
	}
	return &signingKeysOutput{Body: signingKeys{Data: wire.Each(keys, toAPISigningKey)}}, nil
}

func toAPISigningKey(k signing.Key) SigningKeyView {
	v := SigningKeyView{
		Kid:         k.ID,
		State:       k.State.String(),
		Algorithm:   signing.Algorithm,
		PublishedAt: wire.ToTime(k.PublishedAt),
		CurrentAt:   wire.ToOptionalTime(k.CurrentAt),
		RetiredAt:   wire.ToOptionalTime(k.RetiredAt),
	}
	switch k.State {
	case signing.Next:
		at := k.PublishedAt.Add(signing.Notice)
		v.MaySignAt = wire.ToOptionalTime(&at)
	case signing.Retired:
		at := k.RetiredAt.Add(signing.KeptRetired)
		v.GoneAt = wire.ToOptionalTime(&at)
	}
	return v
}
