// Package id defines one identifier type per kind of object, so that a quote's id cannot be passed where a
// checkout's is required. It makes ids from given bits and has no random source.
package id

import (
	"errors"
	"fmt"
	"strings"
)

// ErrMalformed means that the text is not an ID of this kind. Callers treat it like an unknown ID.
var ErrMalformed = errors.New("malformed identifier")

// Kind is a kind of object, with the prefix of its IDs.
type Kind interface{ prefix() string }

// ID is an opaque identifier: the kind's prefix and 26 characters of base32, which hold 128 bits. Ids sort as their bits
// do. The zero ID stands for none.
type ID[K Kind] struct{ text string }

// alphabet is Crockford's base32 in lower case: no i, l, o, u.
const alphabet = "0123456789abcdefghjkmnpqrstvwxyz"

// New returns the ID with these bits: id.New[id.Quote](bits).
func New[T ID[K], K Kind](bits [16]byte) T {
	var k K
	prefix := k.prefix()
	text := make([]byte, 0, len(prefix)+26)
	return T(ID[K]{string(appendBase32(append(text, prefix...), bits))})
}

// Parse parses an ID made by New, the prefix and 26 characters of the alphabet: id.Parse[id.Quote](text).
func Parse[T ID[K], K Kind](text string) (T, error) {
	var k K
	body, ok := strings.CutPrefix(text, k.prefix())
	if !ok || len(body) != 26 {
		return T{}, ErrMalformed
	}
	for i := range len(body) {
		if strings.IndexByte(alphabet, body[i]) < 0 {
			return T{}, ErrMalformed
		}
	}
	return T(ID[K]{text}), nil
}

// UnmarshalText reads an id as Parse does.
func (i *ID[K]) UnmarshalText(text []byte) (err error) {
	*i, err = Parse[ID[K]](string(text))
	return err
}

// Stored returns a stored ID without validating it. Empty text is the zero ID.
func Stored[T ID[K], K Kind](text string) T { return T(ID[K]{text}) }

func (i ID[K]) String() string { return i.text }
func (i ID[K]) IsZero() bool   { return i.text == "" }

// UUID returns the ID in the form of a UUID (RFC 9562), for protocols that require one. Its version bits are not
// meaningful. It returns "" for an ID that New did not make.
func (i ID[K]) UUID() string {
	var k K
	body, _ := strings.CutPrefix(i.text, k.prefix())
	if len(body) != 26 {
		return ""
	}
	var bits [16]byte
	var buffer uint32
	have, n := uint(0), 0
	for c := range len(body) {
		digit := strings.IndexByte(alphabet, body[c])
		if digit < 0 {
			return ""
		}
		buffer, have = buffer<<5|uint32(digit), have+5
		if have >= 8 && n < len(bits) {
			have -= 8
			bits[n] = byte(buffer >> have)
			n++
		}
	}
	return fmt.Sprintf("%x-%x-%x-%x-%x", bits[:4], bits[4:6], bits[6:8], bits[8:10], bits[10:])
}

func appendBase32(to []byte, bits [16]byte) []byte {
	var buffer uint32
	var have uint
	for _, b := range bits {
		buffer, have = buffer<<8|uint32(b), have+8
		for have >= 5 {
			have -= 5
			to = append(to, alphabet[buffer>>have&31])
		}
	}
	return append(to, alphabet[buffer<<(5-have)&31])
}
