package event_test

import (
	"testing"

	"github.com/haggle-commerce/haggle/domain/event"
)

func TestMaskURL(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://example.com":                                    "https://example.com",
		"https://example.com/":                                   "https://example.com/",
		"https://example.com/hook":                               "https://example.com/…",
		"https://hooks.chat.example/services/T01/B02/secretk3Jd": "https://hooks.chat.example/…k3Jd",
		"https://example.com:8443/?token=0123456789abcdef":       "https://example.com:8443/…cdef",
		"sealed:AQIDBAUGBwg=":                                    "…",
		"":                                                       "…",
	} {
		if got := event.MaskURL(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
