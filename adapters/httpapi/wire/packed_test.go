package wire

import (
	"bytes"
	"strings"
	"testing"
)

func TestPack(t *testing.T) {
	t.Parallel()
	answer := []byte(`{"results":[` + strings.Repeat(`{"name":"Trail Tent","list_price":100.00,"negotiable":true},`, 40) + `null]}`)
	for name, body := range map[string][]byte{
		"none":      nil,
		"short":     []byte(`{"status":"ok"}`),
		"an answer": answer,
		"noise":     bytes.Repeat([]byte{'"', 0xc3, 0xa9}, 30),
	} {
		packed := pack(body)
		got, err := inflate(packed)
		if err != nil || !bytes.Equal(got, body) {
			t.Errorf("%s came back as %q, %v", name, got, err)
		}
		if len(packed) > len(body) {
			t.Errorf("%s: %d bytes became %d", name, len(body), len(packed))
		}
	}
	if n := len(pack(answer)); n > len(answer)/8 {
		t.Errorf("an answer of %d bytes takes %d", len(answer), n)
	}
	if got, err := inflate([]byte(`{"kept": "by an earlier release"}`)); err != nil || got[0] != '{' {
		t.Errorf("%q, %v", got, err)
	}
}
