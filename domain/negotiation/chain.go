package negotiation

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/money"
)

// Link is an entry with its place in the hash chain of its project's decisions. The first link has position 1 and no
// prior. An entry that is not sealed yet has position 0.
type Link struct {
	Entry
	Position int64
	Hash     string // hex
	Prior    string // the hash of the previous link
	// Personal is the hash of the entry's personal data with the salt, in hex; "" in links of version 1 of the
	// canonical form.
	Personal string
	Salt     string
	// Erased links have lost their message, client and salt. Personal still stands for them in the hash. Client is ""
	// or a Pseudonym, which the chain does not protect.
	Erased bool
}

// ChainEnd is the last link of a chain. The zero ChainEnd is that of an empty chain.
type ChainEnd struct {
	Position int64
	Hash     string
}

// Checkpoint replaces the first links of a chain after they were deleted: it is the end that they led to. The zero
// Checkpoint is that of a complete chain.
type Checkpoint struct {
	ChainEnd
	Until time.Time // when the last of them was made
}

// CheckpointPurpose, followed by the project's ID, is what a checkpoint's seal is bound to. Without the seal, anybody
// with write access to the database could delete links and pretend that they had expired.
const CheckpointPurpose = "checkpoint of the decisions of "

// Text returns the text to seal. It is empty for the checkpoint of a complete chain.
func (c Checkpoint) Text() string {
	if c == (Checkpoint{}) {
		return ""
	}
	return strconv.FormatInt(c.Position, 10) + " " + c.Hash + " " + strconv.FormatInt(c.Until.UnixMilli(), 10)
}

// Seal returns the link that appends the entry to the chain:
//
//	personal = SHA-256(text(salt) · text(message) · text(client)), in hex
//	hash     = SHA-256(text(prior hash) · canonical form of the entry), in hex
//
// The salt is random, so that nobody can recover an erased message by hashing guesses.
// Anybody with write access to the whole record can seal it again. Only a chain's end that was recorded elsewhere
// proves that nobody did.
func (c ChainEnd) Seal(e Entry, salt string) Link {
	personal := personalHash(e, salt)
	return Link{
		Entry:    e,
		Position: c.Position + 1,
		Hash:     c.hash(e, personal),
		Prior:    c.Hash,
		Personal: personal,
		Salt:     salt,
	}
}

func (c ChainEnd) hash(e Entry, personal string) string {
	sum := sha256.Sum256(e.AppendCanonical(canonical{}.text(c.Hash), personal))
	return hex.EncodeToString(sum[:])
}

func personalHash(e Entry, salt string) string {
	sum := sha256.Sum256(canonical{}.text(salt).text(e.Message).text(e.Client))
	return hex.EncodeToString(sum[:])
}

// pseudonymous is the prefix of pseudonyms. No client has it.
const pseudonymous = "p_"

// Pseudonym returns the replacement of a client in an entry whose message was erased. A client has one pseudonym per
// key, so that its entries can be counted together. Without the key nobody can find the client, not even by trying all
// network addresses.
func Pseudonym(key []byte, client string) string {
	mac := hmac.New(sha256.New, key)
	mac.Write([]byte(client))
	return pseudonymous + hex.EncodeToString(mac.Sum(nil)[:8])
}

// Forgotten replaces the clients of all entries whose pseudonyms were erased too.
const Forgotten = pseudonymous + "forgotten"

// follows reports whether the link is unchanged since it was sealed after end.
func (l Link) follows(end ChainEnd) bool {
	if l.Position != end.Position+1 || l.Prior != end.Hash {
		return false
	}
	if l.Erased {
		if l.Personal == "" || l.Message != "" || l.Salt != "" || l.Client != "" && !strings.HasPrefix(l.Client, pseudonymous) {
			return false
		}
	} else if l.Personal != "" && l.Personal != personalHash(l.Entry, l.Salt) {
		return false
	}
	return l.Hash == end.hash(l.Entry, l.Personal)
}

// VerifyChain checks that links follow from, in order. It returns the end that they lead to, and the position of the
// first link that was changed, or 0. A chain is complete if it leads to its head.
func VerifyChain(from ChainEnd, links []Link) (to ChainEnd, broken int64) {
	for _, l := range links {
		if !l.follows(from) {
			return from, from.Position + 1
		}
		from = ChainEnd{l.Position, l.Hash}
	}
	return from, 0
}

// AppendCanonical appends the canonical form of an entry: all of its fields in this order, which never changes. A
// change of the fields needs a new version. The form begins with its version. In version 2, personal replaces the
// message and the client, so that these can be erased. An empty personal gives version 1, which has them.
//
// If the cart held items at list price, the version ends in ", cart at list", and that amount comes after the
// stock.
//
//	text     its length in bytes as 8 bytes, then the bytes
//	number   8 bytes, big-endian two's complement; times are unix milliseconds, booleans 0 and 1
//	amount   0 as one byte if there is none, else 1, then the number of minor units and the currency's code
//	outcome  a text: quote, accept, counter_offer or reject
func (e Entry) AppendCanonical(to []byte, personal string) []byte {
	b, s := e.Bounds, e.Signals
	version, message, last := "haggle decision 2", canonical{}, personal
	if personal == "" {
		version, message, last = "haggle decision 1", canonical{}.text(e.Message), e.Client
	}
	atList := canonical{}
	if s.CartAtList != (money.Amount{}) {
		version, atList = version+", cart at list", atList.amount(s.CartAtList)
	}
	return canonical(to).text(version).
		text(e.ID.String()).text(e.Project.String()).text(e.Session.String()).number(e.Seq).text(e.Quote.String()).
		text(e.Item.Session.String()).text(e.Item.Product.String()).text(e.Item.Variant.String()).number(e.Item.Quantity).
		time(e.At).optional(e.Offer).text(e.Outcome.canonical()).optional(e.Price).text(e.Rule.name).number(e.PolicyVersion).
		amount(b.list).amount(b.opening).amount(b.target).amount(b.floor).
		number(e.Before.Rounds).number(e.Before.Moves).amount(e.Before.BestOffer).amount(e.Before.Counter).
		amount(s.List).optional(s.Cost).optional(s.Competitor).truth(s.Negotiable).number(s.Quantity).
		amount(s.CartValue).number(s.Stock).raw(atList).
		number(int(s.Claims.Tier.rank)).number(s.Claims.Purchases).number(int(s.Claims.Urgency.degree)).
		number(int(s.Member.Tier.rank)).number(s.Member.Purchases).text(s.Category).
		number(s.Probed.Session).number(s.Probed.Client).number(s.Probed.Product).
		raw(message).text(e.Agent.String()).text(e.Handler).text(e.Fallback).optional(e.Proposal).text(last)
}

// canonical returns the outcome's text in the canonical form. It never changes, because it is in the hashes of all
// recorded decisions.
func (o Outcome) canonical() string {
	switch o {
	case OutcomeQuoted:
		return "quote"
	case OutcomeAccepted:
		return "accept"
	case OutcomeCountered:
		return "counter_offer"
	case OutcomeRejected:
		return "reject"
	}
	return ""
}

// canonical is a canonical form being written. No two different values have the same form, because the end of every
// part can be determined.
type canonical []byte

func (c canonical) text(s string) canonical { return append(c.number(len(s)), s...) }

func (c canonical) raw(part canonical) canonical { return append(c, part...) }

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
