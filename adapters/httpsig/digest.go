package httpsig

import (
	"bytes"
	"crypto/sha256"
	"crypto/sha512"
	"fmt"
	"net/http"

	"github.com/dunglas/httpsfv"
)

// digestField is the header field with the digests of a body (RFC 9530).
const digestField = "Content-Digest"

// Digest returns the Content-Digest of a body, using SHA-256.
func Digest(body []byte) string {
	sum := sha256.Sum256(body)
	dictionary := httpsfv.NewDictionary()
	dictionary.Add("sha-256", httpsfv.NewItem(sum[:]))
	text, err := httpsfv.Marshal(dictionary)
	if err != nil {
		panic("httpsig: bytes cannot be written: " + err.Error())
	}
	return text
}

// CheckDigest checks a body against the Content-Digest of its message. It returns ErrDigest unless there is a SHA-256 or
// SHA-512 digest and all of them match.
func CheckDigest(header http.Header, body []byte) error {
	given, err := httpsfv.UnmarshalDictionary(header.Values(digestField))
	if err != nil {
		return fmt.Errorf("%w: %w", ErrDigest, err)
	}
	small, large := sha256.Sum256(body), sha512.Sum512(body)
	checked := 0
	for name, sum := range map[string][]byte{"sha-256": small[:], "sha-512": large[:]} {
		member, there := given.Get(name)
		if !there {
			continue
		}
		item, _ := member.(httpsfv.Item)
		if digest, ok := item.Value.([]byte); !ok || !bytes.Equal(digest, sum) {
			return ErrDigest
		}
		checked++
	}
	if checked == 0 {
		return fmt.Errorf("%w: it has none by SHA-256", ErrDigest)
	}
	return nil
}

// hasSHA256 reports whether a message has a SHA-256 digest.
func hasSHA256(header http.Header) bool {
	given, err := httpsfv.UnmarshalDictionary(header.Values(digestField))
	if err != nil {
		return false
	}
	_, there := given.Get("sha-256")
	return there
}
