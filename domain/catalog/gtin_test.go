package catalog_test

import (
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/domain/catalog"
)

func TestParseGTIN(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"4006381333931":     "4006381333931", // an EAN
		"036000291452":      "036000291452",  // a UPC
		"96385074":          "96385074",
		"10012345678902":    "10012345678902",
		"978-0-306-40615-7": "9780306406157", // an ISBN
		"4 006381 333931":   "4006381333931",
		"4006381333932":     "",
		"00000000":          "",
		"400638133393":      "",
		"40063813339311":    "",
		"400638133393X":     "",
		"４006381333931":     "",
		"":                  "",
		"123":               "",
	} {
		got, valid := catalog.ParseGTIN(text)
		if valid != (want != "") || valid && got != want {
			t.Errorf("%q is read as %q, %t", text, got, valid)
		}
	}
	for digit := range 10 { // one digit alone is right
		code := "400638133393" + string(rune('0'+digit))
		if _, valid := catalog.ParseGTIN(code); valid != strings.HasSuffix(code, "1") {
			t.Errorf("%s is valid: %t", code, valid)
		}
	}
}
