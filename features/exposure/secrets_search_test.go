package exposure

import (
	"bytes"
	"encoding/base64"
	"encoding/hex"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"testing"
)

// vessel collects bytes that somebody may read later, such as a log.
type vessel struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (v *vessel) Write(p []byte) (int, error) {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.text.Write(p)
}

func (v *vessel) String() string {
	v.mu.Lock()
	defer v.mu.Unlock()
	return v.text.String()
}

// forms returns the encodings in which a text may appear within another one. For a long text it looks for its end only, because
// the beginning of a key is shown for recognition.
func forms(text string) map[string]string {
	core := text[max(0, len(text)-24):]
	all := map[string]string{
		"plain": core, "hex": hex.EncodeToString([]byte(core)), "HEX": strings.ToUpper(hex.EncodeToString([]byte(core))),
		"query": url.QueryEscape(core), "path": url.PathEscape(core), "bare": strings.ReplaceAll(core, "-", ""),
	}
	for shift := range 3 { // at each offset within other text that is base64-encoded
		padded := append(bytes.Repeat([]byte{' '}, shift), core...)
		for name, encoding := range map[string]*base64.Encoding{"base64": base64.RawStdEncoding, "base64url": base64.RawURLEncoding} {
			encoded := encoding.EncodeToString(padded)
			all[fmt.Sprint(name, " ", shift)] = encoded[(shift*8+5)/6 : len(encoded)-1]
		}
	}
	return all
}

// leak returns the encoding in which a text contains a secret, and the text around it.
func leak(text, secret string) (form, around string) {
	for form, hidden := range forms(secret) {
		if i := strings.Index(text, hidden); i >= 0 {
			return form, text[max(0, i-150):min(len(text), i+100)]
		}
	}
	return "", ""
}

// findIn reports every secret that a text contains.
func findIn(t *testing.T, where, text string, secrets ...map[string]string) {
	t.Helper()
	for _, kind := range secrets {
		for name, secret := range kind {
			if form, around := leak(text, secret); form != "" {
				t.Errorf("%s holds the %s (%s): …%q…", where, name, form, around)
			}
		}
	}
}

func TestLeaksAreFoundInEveryForm(t *testing.T) {
	t.Parallel()
	const secret = "hk_test_S3cretPLANTED+5bLv/O Ä-77"
	for _, before := range []string{"", "a", "ab", "abc"} {
		raw := []byte(before + secret + "after it")
		for _, text := range []string{string(raw), base64.StdEncoding.EncodeToString(raw), base64.URLEncoding.EncodeToString(raw),
			fmt.Sprintf("%x", raw), fmt.Sprintf("%X", raw), url.QueryEscape(string(raw)), url.PathEscape(string(raw)), strings.ReplaceAll(string(raw), "-", "")} {
			if form, _ := leak(text, secret); form == "" {
				t.Errorf("nothing is found in %s", text)
			}
		}
	}
}

func holds(t *testing.T, where, text, marker string) {
	t.Helper()
	if !strings.Contains(text, marker) {
		t.Errorf("%s does not hold %q: nothing was searched\n%.2000s", where, marker, text)
	}
}
