// Package httpsig signs HTTP messages and verifies signatures (RFC 9421) and body digests (RFC 9530). It does not know who
// owns a key or which components a protocol requires.
//
// It implements the part of RFC 9421 that agents use: the components @method, @authority, @path, @query and @status, whole
// fields, and members of dictionary fields. A signature over anything else is invalid, not ignored. The key determines the
// algorithm; a message cannot choose one.
package httpsig

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"time"

	"github.com/dunglas/httpsfv"

	"github.com/haggle-commerce/haggle/domain/signing"
)

// The fields of a signed message.
const (
	inputField     = "Signature-Input"
	signatureField = "Signature"
)

var (
	// ErrInvalid means that a signature is wrong or cannot be parsed.
	ErrInvalid = errors.New("httpsig: the signature is not valid")
	// ErrKeyNotFound means that a signature is by an unknown key.
	ErrKeyNotFound = errors.New("httpsig: the key is unknown")
	// ErrAlgorithm means that an algorithm is not the key's, or is not supported.
	ErrAlgorithm = errors.New("httpsig: the algorithm is not supported")
	// ErrDigest means that a body does not match its digest.
	ErrDigest = errors.New("httpsig: the body does not have its Content-Digest")
)

// Message holds the parts of a request or response that a signature may cover.
type Message struct {
	Method    string // of a request
	Authority string // host, and port unless it is the scheme's
	Path      string // as it is sent, with escapes
	Query     string // as it is sent, without the question mark
	Status    int    // of a response, which has none of the above
	Header    http.Header
}

// Request returns the Message of a request that is sent to address, or was.
func Request(method string, address *url.URL, header http.Header) Message {
	return Message{
		Method:    method,
		Authority: authority(address),
		Path:      address.EscapedPath(),
		Query:     address.RawQuery,
		Header:    header,
	}
}

// authority returns a URL's host in lower case, without its scheme's default port.
func authority(u *url.URL) string {
	host, port := strings.ToLower(u.Host), u.Port()
	if port == "443" && u.Scheme == "https" || port == "80" && u.Scheme == "http" {
		return strings.TrimSuffix(host, ":"+port)
	}
	return host
}

// component returns the value of a component.
func (m Message) component(name string) (string, error) {
	switch {
	case name == "@method" && m.Method != "":
		return m.Method, nil
	case name == "@authority" && m.Authority != "":
		return strings.ToLower(m.Authority), nil
	case name == "@path" && m.Method != "":
		if m.Path == "" {
			return "/", nil
		}
		return m.Path, nil
	case name == "@query" && m.Method != "":
		return "?" + m.Query, nil
	case name == "@status" && m.Status != 0:
		return strconv.Itoa(m.Status), nil
	case strings.HasPrefix(name, "@") || name != strings.ToLower(name):
		return "", fmt.Errorf("%w: it covers %q", ErrInvalid, name)
	}
	values := m.Header.Values(name)
	if len(values) == 0 {
		return "", fmt.Errorf("%w: it covers %q, which the message does not have", ErrInvalid, name)
	}
	trimmed := make([]string, len(values))
	for i, v := range values {
		trimmed[i] = strings.Trim(v, " \t")
		if strings.ContainsAny(v, "\r\n") {
			return "", fmt.Errorf("%w: %q has several lines", ErrInvalid, name)
		}
	}
	return strings.Join(trimmed, ", "), nil
}

// member returns the value of one member of a dictionary field (RFC 9421, section 2.1.2).
func (m Message) member(name, key string) (string, error) {
	dictionary, err := httpsfv.UnmarshalDictionary(m.Header.Values(name))
	if err != nil {
		return "", fmt.Errorf("%w: %q is no dictionary", ErrInvalid, name)
	}
	member, there := dictionary.Get(key)
	if !there {
		return "", fmt.Errorf("%w: it covers a member of %q that is not there", ErrInvalid, name)
	}
	text, err := httpsfv.Marshal(httpsfv.List{member}) // a list of one member is serialized like the member
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	return text, nil
}

// value returns the value of a component by its identifier: a name, and for a member of a dictionary its key.
func (m Message) value(item httpsfv.Item) (string, error) {
	name, isText := item.Value.(string)
	key, hasKey := memberKey(item)
	switch {
	case !isText:
		return "", fmt.Errorf("%w: a component is no name", ErrInvalid)
	case hasKey && !strings.HasPrefix(name, "@") && name == strings.ToLower(name):
		return m.member(name, key)
	case hasParameters(item):
		return "", fmt.Errorf("%w: %q has parameters", ErrInvalid, name)
	}
	return m.component(name)
}

// memberKey returns the key of the dictionary member that a component refers to, if it has no other parameters.
func memberKey(item httpsfv.Item) (string, bool) {
	if item.Params == nil || len(item.Params.Names()) != 1 {
		return "", false
	}
	value, _ := item.Params.Get("key")
	key, ok := value.(string)
	return key, ok
}

func hasParameters(item httpsfv.Item) bool { return item.Params != nil && len(item.Params.Names()) > 0 }

// base returns the signature base: a line for each component and one for the parameters.
func (m Message) base(params httpsfv.InnerList) ([]byte, error) {
	var b strings.Builder
	for _, item := range params.Items {
		value, err := m.value(item)
		if err != nil {
			return nil, err
		}
		name, err := httpsfv.Marshal(item)
		if err != nil {
			return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
		}
		b.WriteString(name + ": " + value + "\n")
	}
	text, err := httpsfv.Marshal(httpsfv.List{params})
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrInvalid, err)
	}
	b.WriteString(`"@signature-params": ` + text)
	return []byte(b.String()), nil
}

// Sign adds a signature over the components to the message's header.
func Sign(m Message, label string, components []string, created time.Time, key signing.Private) error {
	params := httpsfv.InnerList{Params: httpsfv.NewParams()}
	for _, name := range components {
		params.Items = append(params.Items, httpsfv.NewItem(name))
	}
	params.Params.Add("created", created.Unix())
	params.Params.Add("keyid", key.Public().Thumbprint())
	base, err := m.base(params)
	if err != nil {
		return err
	}
	signature, err := key.Sign(base)
	if err != nil {
		return err
	}
	for field, member := range map[string]httpsfv.Member{inputField: params, signatureField: httpsfv.NewItem(signature)} {
		dictionary := httpsfv.NewDictionary()
		dictionary.Add(label, member)
		text, err := httpsfv.Marshal(dictionary)
		if err != nil {
			return err
		}
		m.Header.Add(field, text)
	}
	return nil
}
