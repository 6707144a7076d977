// Package httpsig signs HTTP messages and verifies their signatures, by RFC 9421, and the digests of their bodies, by RFC
// 9530. It knows neither whose keys they are nor what a protocol wants to be signed.
//
// Of the RFC it has what agents use: the components @method, @authority, @path, @query and @status, and fields as they are,
// without parameters. A signature over anything else is invalid, not ignored. Keys sign by their own algorithm: a message
// cannot choose one.
package httpsig

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
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
	// ErrInvalid is a signature that does not prove what it says, or cannot be read.
	ErrInvalid = errors.New("httpsig: the signature is not valid")
	// ErrKeyNotFound is a signature by a key that nobody knows.
	ErrKeyNotFound = errors.New("httpsig: the key is unknown")
	// ErrAlgorithm is an algorithm that is not the key's, or that is not supported.
	ErrAlgorithm = errors.New("httpsig: the algorithm is not supported")
	// ErrDigest is a body that does not have its digest.
	ErrDigest = errors.New("httpsig: the body does not have its Content-Digest")
)

// Message is what signatures cover of a request, or of a response.
type Message struct {
	Method    string // of a request
	Authority string // host, and port unless it is the scheme's
	Path      string // as it is sent, with escapes
	Query     string // as it is sent, without the question mark
	Status    int    // of a response, which has none of the above
	Header    http.Header
}

// Request is a request as it is sent to address, or was.
func Request(method string, address *url.URL, header http.Header) Message {
	return Message{
		Method:    method,
		Authority: authority(address),
		Path:      address.EscapedPath(),
		Query:     address.RawQuery,
		Header:    header,
	}
}

// authority is a URL's host in lower case, without its scheme's port.
func authority(u *url.URL) string {
	host, port := strings.ToLower(u.Host), u.Port()
	if port == "443" && u.Scheme == "https" || port == "80" && u.Scheme == "http" {
		return strings.TrimSuffix(host, ":"+port)
	}
	return host
}

// component is the value of a component.
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

// base is what is signed: a line for each component, and one for the parameters.
func (m Message) base(params httpsfv.InnerList) ([]byte, error) {
	var b strings.Builder
	for _, item := range params.Items {
		name, isText := item.Value.(string)
		if !isText || item.Params != nil && len(item.Params.Names()) > 0 {
			return nil, fmt.Errorf("%w: a component has parameters, or is no name", ErrInvalid)
		}
		value, err := m.component(name)
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(&b, "%q: %s\n", name, value)
	}
	// A list of one member is written as the member.
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

// covers reports whether all of the names are among the components.
func covers(params httpsfv.InnerList, names []string) bool {
	return !slices.ContainsFunc(names, func(name string) bool {
		return !slices.ContainsFunc(params.Items, func(i httpsfv.Item) bool { return i.Value == name })
	})
}
