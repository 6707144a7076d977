package negotiation

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"time"

	"github.com/haggle-commerce/haggle/domain/money"
)

// Link is an entry in its place in the chain of its project's decisions. The first has position 1 and no prior.
type Link struct {
	Entry
	Position int64
	Hash     string // hex
	Prior    string // the hash of the link before
}

// ChainEnd is the last link of a chain. The zero ChainEnd is that of an empty one.
type ChainEnd struct {
	Position int64
	Hash     string
}

// Seal is the link that the entry becomes after the end of a chain:
//
//	hash = SHA-256(text(prior hash) · canonical form of the entry), in hex
//
// Whoever can write the whole record can also seal it anew: what proves that nobody did is a chain's end that was
// noted elsewhere.
func (c ChainEnd) Seal(e Entry) Link {
	sum := sha256.Sum256(e.AppendCanonical(canonical{}.text(c.Hash)))
	return Link{Entry: e, Position: c.Position + 1, Hash: hex.EncodeToString(sum[:]), Prior: c.Hash}
}

// VerifyChain checks links, in order, that follow an end. It returns the end that they lead to, and the first
// position that is not as it was sealed; 0 if all are. A chain is whole if it leads to its head.
func VerifyChain(from ChainEnd, links []Link) (to ChainEnd, broken int64) {
	for _, l := range links {
		want := from.Seal(l.Entry)
		if l.Position != want.Position || l.Prior != want.Prior || l.Hash != want.Hash {
			return from, want.Position
		}
		from = ChainEnd{l.Position, l.Hash}
	}
	return from, 0
}

// AppendCanonical appends the canonical form of an entry: all of its fields in this order, which never changes. Other
// fields make another version, which is what the form begins with.
//
//	text     its length in bytes as 8 bytes, then the bytes
//	number   8 bytes, big-endian two's complement; times are unix milliseconds, booleans 0 and 1
//	amount   0 as one byte where there is none, else 1, then the number of minor units and the currency's code
func (e Entry) AppendCanonical(to []byte) []byte {
	b, s := e.Bounds, e.Signals
	return canonical(to).text("haggle decision 1").
		text(e.ID.String()).text(e.Project.String()).text(e.Session.String()).number(e.Seq).text(e.Quote.String()).
		text(e.Item.Session.String()).text(e.Item.Product.String()).text(e.Item.Variant.String()).number(e.Item.Quantity).
		time(e.At).optional(e.Offer).text(e.Response).optional(e.Price).text(e.Rule).number(e.PolicyVersion).
		amount(b.list).amount(b.opening).amount(b.target).amount(b.floor).
		number(e.Before.Rounds).number(e.Before.Moves).amount(e.Before.BestOffer).amount(e.Before.Counter).
		amount(s.List).optional(s.Cost).optional(s.Competitor).truth(s.Negotiable).number(s.Quantity).
		amount(s.CartValue).number(s.Stock).
		number(int(s.Claims.Tier.rank)).number(s.Claims.Purchases).number(int(s.Claims.Urgency.degree)).
		number(int(s.Member.Tier.rank)).number(s.Member.Purchases).text(s.Category).
		number(s.Probed.Session).number(s.Probed.Client).number(s.Probed.Product).
		text(e.Message).text(e.Agent.String()).text(e.Handler).text(e.Fallback).optional(e.Proposal).text(e.Client)
}

// canonical is a canonical form as it is written. No two different values have the same form: every part tells
// where it ends.
type canonical []byte

func (c canonical) text(s string) canonical { return append(c.number(len(s)), s...) }

func (c canonical) number(n int) canonical { return c.number64(int64(n)) }

func (c canonical) number64(n int64) canonical { return binary.BigEndian.AppendUint64(c, uint64(n)) }

func (c canonical) time(t time.Time) canonical { return c.number64(t.UnixMilli()) }

func (c canonical) truth(is bool) canonical {
	if is {
		return c.number(1)
	}
	return c.number(0)
}

func (c canonical) optional(a *money.Amount) canonical {
	if a == nil {
		return append(c, 0)
	}
	return append(c, 1).number64(a.Minor()).text(a.Currency().Code())
}

// amount writes the zero Amount, which has no currency, as none.
func (c canonical) amount(a money.Amount) canonical {
	if a == (money.Amount{}) {
		return append(c, 0)
	}
	return c.optional(&a)
}
