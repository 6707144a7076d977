// Package vault encrypts stored secrets with AES-256-GCM, and with other keys the tokens and cursors that clients get. It also
// derives secrets and pseudonyms. A sealed secret begins with a version and the id of the master key, so that master keys can
// be rotated: the first key seals, all keys open. It does not store anything.
//
//	1 byte version | 4 bytes key id | 12 bytes nonce | ciphertext and tag
//
// The cipher's key and the key id are derived from the master key's text by HKDF-SHA-256 (RFC 5869).
// Version and purpose are authenticated with the secret.
package vault

import (
	"bytes"
	"crypto/aes"
	"crypto/cipher"
	"crypto/hkdf"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base32"
	"encoding/hex"
	"errors"

	"github.com/haggle-commerce/haggle/ports"
)

// SandboxKey is the default master key, which only the sandbox allows. It is public, so it protects nothing.
const SandboxKey = "haggle sandbox: not a secret"

const (
	version   = 1
	idSize    = 4
	keySize   = 32
	prefixLen = 1 + idSize
)

// secretEncoding is Crockford's base32 in lower case, as in ids.
var secretEncoding = base32.NewEncoding("0123456789abcdefghjkmnpqrstvwxyz")

// ErrUnreadable means that none of the master keys sealed this for this purpose, or that it was modified.
var ErrUnreadable = errors.New("vault: the secret can't be opened: it was sealed with another master key or for another purpose, or is damaged")

// Vault has one or more master keys. Pseudonyms, derived secrets and tokens use separate keys, derived with other HKDF
// labels.
type Vault struct{ keys []key }

type key struct {
	prefix []byte // version and id
	sealer cipher.AEAD
	names  []byte // of pseudonyms
	root   []byte // of derived secrets
	tokens cipher.AEAD
	places cipher.AEAD
}

var (
	_ ports.Vault      = (*Vault)(nil)
	_ ports.Pseudonyms = (*Vault)(nil)

	_ ports.DerivedSecrets = (*Vault)(nil)
)

// New derives keys from the texts of master keys, the newest first. Without any it uses SandboxKey.
func New(masterKeys ...string) (*Vault, error) {
	if len(masterKeys) == 0 {
		masterKeys = []string{SandboxKey}
	}
	v := &Vault{}
	for _, text := range masterKeys {
		k, err := derive(text)
		if err != nil {
			return nil, err
		}
		v.keys = append(v.keys, k)
	}
	return v, nil
}

func derive(text string) (key, error) {
	if text == "" {
		return key{}, errors.New("vault: a master key must not be empty")
	}
	var failed error
	derived := func(label string, size int) []byte {
		part, err := hkdf.Key(sha256.New, []byte(text), nil, label, size)
		failed = errors.Join(failed, err)
		return part
	}
	sealing := derived("haggle vault v1", keySize+idSize)
	tokens := derived("haggle buyer tokens v1", keySize)
	places := derived("haggle search cursors v1", keySize)
	k := key{names: derived("haggle pseudonyms v1", keySize), root: derived("haggle derived secrets v1", keySize)}
	if failed != nil {
		return key{}, failed
	}
	k.prefix = append([]byte{version}, sealing[keySize:]...)
	var err error
	if k.sealer, err = newSealer(sealing[:keySize]); err == nil {
		k.tokens, err = newSealer(tokens)
	}
	if err == nil {
		k.places, err = newSealer(places)
	}
	return k, err
}

func newSealer(key []byte) (cipher.AEAD, error) {
	block, err := aes.NewCipher(key)
	if err != nil {
		return nil, err
	}
	return cipher.NewGCMWithRandomNonce(block)
}

// Seal encrypts with the first key.
func (v *Vault) Seal(plain []byte, purpose string) []byte {
	k := v.keys[0]
	return k.sealer.Seal(bytes.Clone(k.prefix), nil, plain, bound(k, purpose))
}

// Pseudonym returns an HMAC-SHA-256 with the first key, 128 bits in hex. It changes with the first key.
func (v *Vault) Pseudonym(text, purpose string) string {
	mac := hmac.New(sha256.New, v.keys[0].names)
	mac.Write([]byte(purpose + "\x00" + text))
	return hex.EncodeToString(mac.Sum(nil)[:16])
}

// Derive returns an HMAC-SHA-256 with each key, 160 bits in base32.
func (v *Vault) Derive(text, purpose string) []string {
	secrets := make([]string, len(v.keys))
	for i, k := range v.keys {
		mac := hmac.New(sha256.New, k.root)
		mac.Write([]byte(purpose + "\x00" + text))
		secrets[i] = secretEncoding.EncodeToString(mac.Sum(nil)[:20])
	}
	return secrets
}

// Open decrypts a secret that any of the keys sealed for the purpose, and otherwise returns ErrUnreadable.
func (v *Vault) Open(sealed []byte, purpose string) ([]byte, error) {
	for _, k := range v.keys {
		if !bytes.HasPrefix(sealed, k.prefix) {
			continue
		}
		if plain, err := k.sealer.Open(nil, nil, sealed[prefixLen:], bound(k, purpose)); err == nil {
			return plain, nil
		}
	}
	return nil, ErrUnreadable
}

// bound returns the additional data that is authenticated with the secret.
func bound(k key, purpose string) []byte { return append(bytes.Clone(k.prefix), purpose...) }

// Tokens seals tokens that are given to clients, with a key of its own. A token consists of a nonce, the ciphertext and its
// tag. It has no key id, because that would let its holder check guesses at a master key cheaply.
type Tokens struct {
	vault *Vault
	of    func(key) cipher.AEAD
}

var _ ports.Vault = Tokens{}

// Tokens returns a Tokens with the same master keys.
func (v *Vault) Tokens() Tokens { return Tokens{v, func(k key) cipher.AEAD { return k.tokens }} }

// Cursors returns a Tokens with the same master keys and a separate key for cursors of search results.
func (v *Vault) Cursors() Tokens { return Tokens{v, func(k key) cipher.AEAD { return k.places }} }

// Seal encrypts with the first key.
func (t Tokens) Seal(plain []byte, purpose string) []byte {
	return t.of(t.vault.keys[0]).Seal(nil, nil, plain, []byte(purpose))
}

// Open decrypts a token that any of the keys sealed for the purpose, and otherwise returns ErrUnreadable.
func (t Tokens) Open(sealed []byte, purpose string) ([]byte, error) {
	for _, k := range t.vault.keys {
		if plain, err := t.of(k).Open(nil, nil, sealed, []byte(purpose)); err == nil {
			return plain, nil
		}
	}
	return nil, ErrUnreadable
}
