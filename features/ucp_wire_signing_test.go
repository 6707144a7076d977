package features

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/sha256"
	"crypto/sha512"
	"encoding/asn1"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/simulator/receiver"
	ucpjudge "github.com/haggle-commerce/haggle/simulator/ucp/judge"
	"github.com/haggle-commerce/haggle/simulator/ucp/schema"
	"github.com/haggle-commerce/haggle/simulator/ucp/signature"
)

// wireKey is a P-256 key that also makes invalid signatures, unlike the simulator's signer.
type wireKey struct {
	id      string
	private *ecdsa.PrivateKey
}

func newWireKey() *wireKey {
	private, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		panic(err) // crypto/rand does not fail
	}
	return &wireKey{"key-" + randomLetters(12), private}
}

// public returns the key as a JWK. For another curve it keeps the coordinates of P-256, because the server rejects the key
// before it reads them.
func (k *wireKey) public(curve string) map[string]string {
	point, err := k.private.PublicKey.Bytes() // 4, x, y
	if err != nil {
		panic(err) // a P-256 key can always be encoded
	}
	return map[string]string{
		"kid": k.id,
		"kty": "EC",
		"crv": curve,
		"x":   base64.RawURLEncoding.EncodeToString(point[1:33]),
		"y":   base64.RawURLEncoding.EncodeToString(point[33:]),
	}
}

// wireSigning says how to sign a request (RFC 9421).
type wireSigning struct {
	key        *wireKey
	kid        string   // keyid of the signature; "": the key's
	without    []string // components to leave out
	parameters string   // additional signature parameters
	digest     string   // Content-Digest instead of the body's
	der        bool
}

func wireDigest(body []byte) string {
	sum := sha256.Sum256(body)
	return "sha-256=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

func wireDigest512(body []byte) string {
	sum := sha512.Sum512(body)
	return "sha-512=:" + base64.StdEncoding.EncodeToString(sum[:]) + ":"
}

func (s *wireSigning) sign(r *wireRequest, address *url.URL) error {
	components := []string{"@method", "@authority", "@path"}
	if address.RawQuery != "" {
		components = append(components, "@query")
	}
	for _, name := range []string{"ucp-agent", "idempotency-key"} {
		if r.header.Get(name) != "" {
			components = append(components, name)
		}
	}
	if len(r.body) > 0 {
		r.header.Set("Content-Digest", wireDigest(r.body))
		components = append(components, "content-digest", "content-type")
	}
	if s.digest != "" {
		r.header.Set("Content-Digest", s.digest)
	}
	components = slices.DeleteFunc(components, func(name string) bool { return slices.Contains(s.without, name) })
	kid := s.kid
	if kid == "" {
		kid = s.key.id
	}
	input := fmt.Sprintf(`("%s");created=%d;keyid="%s"%s`, strings.Join(components, `" "`), time.Now().Unix(), kid, s.parameters)
	var base strings.Builder
	for _, name := range components {
		value := map[string]string{
			"@method":    r.method,
			"@authority": address.Host,
			"@path":      address.EscapedPath(),
			"@query":     "?" + address.RawQuery,
		}[name]
		if value == "" {
			value = r.header.Get(name)
		}
		fmt.Fprintf(&base, "%q: %s\n", name, value)
	}
	base.WriteString(`"@signature-params": ` + input)
	sum := sha256.Sum256([]byte(base.String()))
	one, two, err := ecdsa.Sign(rand.Reader, s.key.private, sum[:])
	if err != nil {
		return err
	}
	raw := append(one.FillBytes(make([]byte, 32)), two.FillBytes(make([]byte, 32))...)
	if s.der {
		if raw, err = asn1.Marshal(struct{ R, S *big.Int }{one, two}); err != nil {
			return err
		}
	}
	r.header.Set("Signature-Input", "sig1="+input)
	r.header.Set("Signature", "sig1=:"+base64.StdEncoding.EncodeToString(raw)+":")
	return nil
}

// shopKeys reads the keys in the shop's profile from its raw JSON. The field depends on the profile's version.
func (c *ucpContext) shopKeys(address string) (map[string]*ecdsa.PublicKey, error) {
	answer, err := (&http.Client{Transport: retryTransport{c.server.transport}}).Get(address)
	if err != nil {
		return nil, err
	}
	defer answer.Body.Close()
	var profile struct {
		Keys        []map[string]string `json:"keys"`
		SigningKeys []map[string]string `json:"signing_keys"`
	}
	if err := json.NewDecoder(answer.Body).Decode(&profile); err != nil || answer.StatusCode != http.StatusOK {
		return nil, fmt.Errorf("the profile %s answers %d: %w", address, answer.StatusCode, err)
	}
	keys := map[string]*ecdsa.PublicKey{}
	list := profile.Keys
	if strings.HasSuffix(address, "/"+aprilVersion+wireProfilePath) {
		list = profile.SigningKeys
	}
	for _, k := range list {
		if k["kty"] != "EC" || k["crv"] != "P-256" {
			return nil, fmt.Errorf("a key is %v", k)
		}
		if keys[k["kid"]], err = signature.PublicKey(k["x"], k["y"]); err != nil {
			return nil, err
		}
	}
	return keys, nil
}

const wireProfilePath = "/.well-known/ucp"

// answerIsSigned verifies the latest answer with the keys of the shop's profile, in the version of the request.
func (c *ucpContext) answerIsSigned() error {
	a := c.recorder.last()
	base := "/p/" + c.shop.Slug
	if strings.HasPrefix(a.path, base+"/"+aprilVersion+"/") {
		base += "/" + aprilVersion
	}
	keys, err := c.shopKeys(c.app.URL() + base + wireProfilePath)
	if err != nil {
		return err
	}
	const covers = `sig1=("@status" "content-digest" "content-type");`
	if input := a.header.Get("Signature-Input"); !strings.HasPrefix(input, covers) || strings.Contains(input, ";alg=") {
		return fmt.Errorf("Signature-Input is %q", input)
	}
	return signature.Verify(signature.Message{
		Status: a.status,
		Header: a.header,
		Body:   a.body,
	}, keys)
}

func (c *ucpContext) answerIsUnsigned() error {
	for _, name := range []string{"Signature-Input", "Signature"} {
		if got := c.recorder.last().header.Get(name); got != "" {
			return fmt.Errorf("%s is %q", name, got)
		}
	}
	return nil
}

// receivesWebhooks waits for a number of order webhooks. It checks each against the schema of the platform's version, and
// verifies its signature with the keys of the profile that the webhook names as its sender.
func (p *wirePlatform) receivesWebhooks(times int) error {
	deliveries, err := p.scenario.events.receiver.Wait("", times, deliveryTimeout)
	if err != nil {
		return err
	}
	if p.scenario.events.deliveries = deliveries; len(deliveries) != times {
		return fmt.Errorf("it heard %d times", len(deliveries))
	}
	checker := ucpjudge.New(schema.Version(p.version)).House()
	for _, delivery := range deliveries {
		err = errors.Join(err, p.checkWebhookSignature(delivery), checker.Answer(ucpjudge.OrderWebhook, nil, delivery.Body))
		if delivery.Header.Get("Webhook-Id") == "" || delivery.Header.Get("Webhook-Timestamp") == "" {
			err = errors.Join(err, fmt.Errorf("the headers are %v", delivery.Header))
		}
	}
	return err
}

func (p *wirePlatform) checkWebhookSignature(delivery receiver.Request) error {
	base := p.scenario.app.URL() + "/p/" + p.scenario.shop.Slug
	if p.version == aprilVersion {
		base += "/" + aprilVersion
	}
	profile := base + wireProfilePath
	if agent := delivery.Header.Get("UCP-Agent"); agent != fmt.Sprintf("profile=%q", profile) {
		return fmt.Errorf("UCP-Agent is %q", agent)
	}
	keys, err := p.scenario.ucp.shopKeys(profile)
	if err != nil {
		return err
	}
	for _, name := range []string{"Signature", "Signature-Input", "Content-Digest"} {
		if delivery.Header.Get(name) == "" {
			return fmt.Errorf("it has no %s", name)
		}
	}
	if input := delivery.Header.Get("Signature-Input"); strings.Contains(input, ";alg=") {
		return fmt.Errorf("Signature-Input is %q", input)
	}
	return signature.Verify(signature.Message{
		Method:    http.MethodPost,
		Authority: delivery.Host,
		Path:      delivery.Path,
		Query:     delivery.Query,
		Header:    delivery.Header,
		Body:      delivery.Body,
	}, keys)
}
