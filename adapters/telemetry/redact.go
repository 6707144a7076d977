package telemetry

import (
	"bytes"
	"regexp"
)

// secrets are the patterns that are redacted in logs. Each one runs only on text that contains one of its marks. Its first
// group is kept, so that readers see what kind of secret was there. No pattern splits an escape sequence of a quoted string,
// so that a redacted line of JSON is still JSON.
var secrets = []struct {
	marks   [][]byte
	form    *regexp.Regexp
	instead []byte
}{
	{marks("_test_", "_live_"), regexp.MustCompile(`([hsr]k_(?:test|live)_)[0-9A-Za-z_\-]+`), redacted},
	{marks("whsec_"), regexp.MustCompile(`(whsec_)[0-9A-Za-z_+/=\-]+`), redacted},
	{marks("spt_"), regexp.MustCompile(start + `spt_)[0-9A-Za-z_\-]+`), redacted},
	{marks("ba_"), regexp.MustCompile(start + `ba_)[0-9A-Za-z_\-]{4,}`), redacted},
	// Checkout tokens have 32 characters; ids of accounts, acct_…, have 26.
	{marks("ct_"), regexp.MustCompile(`(ct_)[0-9a-z]{32,}`), redacted},
	{marks("earer", "EARER"), regexp.MustCompile(`((?i:bearer)(?:[ :=]|%20|\+)+)[0-9A-Za-z._~+/=\-]{8,}`), redacted},
	// Up to the last @ of a word, because not all passwords are escaped correctly.
	{marks("://"), regexp.MustCompile(`([A-Za-z][0-9A-Za-z+.\-]*://[^\s:/@"\\]*:)(?:\\.|[^\s"\\])+@`), []byte("${1}[redacted]@")},
}

var redacted = []byte("${1}[redacted]")

// start matches before a prefix that is too short to be searched inside of words. The end of an escape sequence does not
// count as a letter.
const start = `((?:^|[^0-9A-Za-z_]|\\(?:x[0-9a-f]{2}|u[0-9a-f]{4}|[abfnrtv])|%[0-9A-Fa-f]{2})`

func marks(texts ...string) (all [][]byte) {
	for _, text := range texts {
		all = append(all, []byte(text))
	}
	return all
}

// redact returns text without its secrets. It does not modify text, and returns it unchanged if there are none.
func redact(text []byte) []byte {
	for _, secret := range secrets {
		if hasAny(text, secret.marks) {
			text = secret.form.ReplaceAll(text, secret.instead)
		}
	}
	return text
}

func hasAny(text []byte, marks [][]byte) bool {
	for _, mark := range marks {
		if bytes.Contains(text, mark) {
			return true
		}
	}
	return false
}
