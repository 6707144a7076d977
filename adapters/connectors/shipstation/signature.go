package shipstation

import (
	"context"
	"crypto"
	"crypto/rsa"
	"crypto/sha256"
	"encoding/base64"
	"math/big"
	"strconv"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

	"github.com/haggle-commerce/haggle/adapters/connectors"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

const (
	tolerance   = 5 * time.Minute // between a call's time and ours, as ShipStation recommends
	keysFresh   = time.Hour       // how long the keys are not requested again
	keysKept    = 24 * time.Hour  // how long they are used if ShipStation does not answer
	keysPause   = time.Minute     // minimum time between two requests for keys
	keysTimeout = 3 * time.Second // of a request for keys, while a caller waits
	maxKeys     = 20              // maximum number of keys
	maxKeysSize = 64 << 10        // maximum size of the answer in bytes
)

// keyring caches the public keys that sign the calls of API V2, by id.
type keyring struct {
	platform *connectors.Platform
	address  string

	flights singleflight.Group
	mu      sync.Mutex
	keys    map[string]*rsa.PublicKey
	read    time.Time // time of the last successful request
	tried   time.Time // time of the last request
	problem error     // error of the last request
}

// verify checks the signature of a call: RSA-SHA256 (PKCS #1 v1.5) over the time, a full stop and the body.
// Source: docs.shipstation.com/apis/docs/guides/webhooks-validation, read in November 2026.
func (k *keyring) verify(c ports.Call) error {
	name, stamp := c.Header("X-ShipEngine-RSA-SHA256-Key-ID"), c.Header("X-ShipEngine-Timestamp")
	encoded := c.Header("X-ShipEngine-RSA-SHA256-Signature")
	if name == "" || len(name) > 200 || len(encoded) > 2000 || len(stamp) > 60 {
		return errNotSigned
	}
	at, ok := parseStamp(stamp)
	signature, err := base64.StdEncoding.DecodeString(encoded)
	if !ok || err != nil || c.Now.Sub(at).Abs() > tolerance {
		return errNotSigned
	}
	key, err := k.key(name, c.Now)
	switch {
	case err != nil:
		return fault.New(fault.Unavailable, "provider_unavailable", "The keys that sign ShipStation's calls cannot be read.").Because(err)
	case key == nil:
		return errNotSigned
	}
	sum := sha256.Sum256(append([]byte(stamp+"."), c.Payload...))
	if rsa.VerifyPKCS1v15(key, crypto.SHA256, sum[:], signature) != nil {
		return errNotSigned
	}
	return nil
}

// parseStamp reads an RFC 3339 time, or Unix seconds: the form is not documented.
func parseStamp(text string) (time.Time, bool) {
	if at, err := time.Parse(time.RFC3339, text); err == nil {
		return at, true
	}
	seconds, err := strconv.ParseInt(text, 10, 64)
	return time.Unix(seconds, 0), err == nil
}

// key returns the key with an id, or nil if ShipStation has none. For an unknown id it reads the keys again, at most once
// a minute, because they may have changed.
func (k *keyring) key(name string, now time.Time) (*rsa.PublicKey, error) {
	k.mu.Lock()
	_, known := k.keys[name]
	ask := now.Sub(k.tried) >= keysPause && (!known || now.Sub(k.read) >= keysFresh)
	k.mu.Unlock()
	if ask {
		_, _, _ = k.flights.Do("", func() (any, error) {
			k.refresh(now)
			return nil, nil
		})
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	key, known := k.keys[name]
	switch {
	case known && now.Sub(k.read) < keysKept:
		return key, nil
	case k.problem != nil:
		return nil, k.problem
	}
	return nil, nil
}

func (k *keyring) refresh(now time.Time) {
	ctx, cancel := context.WithTimeout(context.Background(), keysTimeout)
	defer cancel()
	keys, err := k.fetch(ctx)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.tried, k.problem = now, err
	if err == nil {
		k.keys, k.read = keys, now
	}
}

func (k *keyring) fetch(ctx context.Context) (map[string]*rsa.PublicKey, error) {
	answer, err := k.platform.Send(ctx, connectors.Request{URL: k.address})
	if err == nil {
		err = k.platform.Judge(answer)
	}
	if err == nil && len(answer.Body) > maxKeysSize {
		err = k.platform.Failed("sent too many keys", nil)
	}
	var set struct {
		Keys []jwk `json:"keys"`
	}
	if err == nil {
		err = k.platform.Decode(answer.Body, &set)
	}
	if err != nil {
		return nil, err
	}
	keys := map[string]*rsa.PublicKey{}
	for _, one := range set.Keys {
		if key := one.public(); key != nil && len(keys) < maxKeys {
			keys[one.ID] = key
		}
	}
	return keys, nil
}

// jwk is a JSON Web Key (RFC 7517).
type jwk struct {
	Type string `json:"kty"`
	ID   string `json:"kid"`
	N    string `json:"n"`
	E    string `json:"e"`
}

// public returns the key if it is an RSA key of 2048 to 8192 bits, else nil.
func (j jwk) public() *rsa.PublicKey {
	n, e1 := base64.RawURLEncoding.DecodeString(j.N)
	e, e2 := base64.RawURLEncoding.DecodeString(j.E)
	exponent := new(big.Int).SetBytes(e)
	if j.Type != "RSA" || j.ID == "" || e1 != nil || e2 != nil || len(n) < 256 || len(n) > 1024 || len(e) > 4 || exponent.Int64() < 3 {
		return nil
	}
	return &rsa.PublicKey{N: new(big.Int).SetBytes(n), E: int(exponent.Int64())}
}
