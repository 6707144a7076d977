package telemetry_test

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/adapters/telemetry"
)

const token32 = "0123456789abcdefghjkmnpqrstvwxyz"

// leaks are texts with the secret in them that must be redacted, and the part that stays. Keys are concatenated from halves,
// so that secret scanners do not report this file.
var leaks = []struct{ text, secret, stays string }{
	{"key hk_" + "test_Abc123XYZ789 is unknown", "Abc123", "hk_test_[redacted]"},
	{"hk_" + "live_" + token32, token32, "hk_live_[redacted]"},
	{"sk_" + "test_51H8abc refused", "51H8", "sk_test_[redacted]"},
	{"spt_sandbox_decline_expired_card", "sandbox", "spt_[redacted]"},
	{"token=ba_sandbox_ok_x7", "sandbox", "ba_[redacted]"},
	{"?token=1%22ba_sandbox_ok", "sandbox", "ba_[redacted]"},
	{"line one\nspt_1Abc", "1Abc", "spt_[redacted]"},
	{"line one\n\tba_1Abc", "1Abc", "ba_[redacted]"},
	{"binary\x01ba_1Abc", "1Abc", "ba_[redacted]"},
	{"secret whsec_MfKQ9r8G+/=", "MfKQ", "whsec_[redacted]"},
	{"ct_" + token32, token32, "ct_[redacted]"},
	{"redeeming ct_" + token32 + ".", token32, "ct_[redacted]"},
	{"Authorization: Bearer abc.def~_+/-==", "abc.def", "Bearer [redacted]"},
	{"authorization:[bearer  abcdef12]", "abcdef12", "[redacted]"},
	{"BEARER abcdef12", "abcdef12", "BEARER [redacted]"},
	{"map[Authorization:[Bearer abc.defgh]]", "abc.def", "Bearer [redacted]"},
	{"postgres://haggle:s3cret@db:5432/haggle?sslmode=disable", "s3cret", "postgres://haggle:[redacted]@db:5432/haggle"},
	{`parse "postgres://haggle:s3c/re@t@db": invalid port`, "s3c", "@db"},
	{`cannot use "postgres://u:be"fore@db/x"`, "fore", "@db/x"},
	{`redis://:pa\ss@cache:6379`, "ss@", "redis://:[redacted]@cache:6379"},
	{"https://user:pass%40word@example.com/", "pass%40word", "https://user:[redacted]@example.com"},
}

type credentials struct{ Token string }

// ways are the places in a record where a text can be.
var ways = map[string]func(log *slog.Logger, text string){
	"message": func(log *slog.Logger, text string) { log.Info(text) },
	"string":  func(log *slog.Logger, text string) { log.Info("m", "a", text) },
	"error":   func(log *slog.Logger, text string) { log.Info("m", "a", fmt.Errorf("no: %w", errors.New(text))) },
	"struct":  func(log *slog.Logger, text string) { log.Info("m", "a", credentials{Token: text}) },
	"list":    func(log *slog.Logger, text string) { log.Info("m", "a", []string{"x", text}) },
	"group":   func(log *slog.Logger, text string) { log.Info("m", slog.Group("g", "a", text)) },
	"key":     func(log *slog.Logger, text string) { log.Info("m", text, 1) },
	"logger":  func(log *slog.Logger, text string) { log.With("a", text).WithGroup("g").Info("m", "b", 1) },
}

func TestNewLogger_redacts(t *testing.T) {
	t.Parallel()
	for _, leak := range leaks {
		for way, write := range ways {
			for _, format := range []string{"text", "json"} {
				var out bytes.Buffer
				write(telemetry.NewLogger(&out, "info", format), leak.text)
				got := out.String()
				if strings.Contains(got, leak.secret) || !strings.Contains(got, leak.stays) {
					t.Errorf("%s as %s in %s: %s", leak.text, way, format, got)
				}
				if format == "json" && !json.Valid(out.Bytes()) {
					t.Errorf("%s as %s is no JSON: %s", leak.text, way, got)
				}
			}
		}
	}
}

func TestNewLogger_keepsOtherTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"acct_0123456789abcdefghjkmnpqrs", "product_id=prod_0123456789abcdefghjkmnpqrs", "ord_0123456789abcdefghjkmnpqrs",
		"alibaba_products", "method wallet_ba", "method psp_spt", "hk_test_", "the bearer of news", "a bearer token", "ct_short",
		"http://127.0.0.1:8080/docs", "https://example.com/a@b", "at 12:30 ada@example.com", "postgres://db:5432/haggle",
		"unit_test_helper", "[redacted]",
	} {
		var got, want bytes.Buffer
		options := &slog.HandlerOptions{ReplaceAttr: noTime}
		slog.New(slog.NewJSONHandler(&want, options)).Info(text)
		telemetry.NewLogger(&got, "info", "json").Info(text)
		if !strings.HasSuffix(got.String(), strings.TrimPrefix(want.String(), "{")) {
			t.Errorf("%q is logged as %s", text, got.String())
		}
	}
}

func noTime(_ []string, a slog.Attr) slog.Attr {
	if a.Key == slog.TimeKey {
		return slog.Attr{}
	}
	return a
}

func TestNewLogger_levelsAndFormats(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		level, format string
		lines         int
		json          bool
	}{
		{"debug", "text", 4, false}, {"info", "json", 3, true}, {"warn", "text", 2, false}, {"error", "json", 1, true},
		{"loud", "xml", 3, false},
	} {
		var out bytes.Buffer
		log := telemetry.NewLogger(&out, c.level, c.format)
		log.Debug("m")
		log.Info("m")
		log.Warn("m")
		log.Error("m")
		first, _, _ := strings.Cut(out.String(), "\n")
		if strings.Count(out.String(), "\n") != c.lines || json.Valid([]byte(first)) != c.json {
			t.Errorf("%s, %s: %s", c.level, c.format, out.String())
		}
	}
}

// FuzzRedactedLinesAreJSON checks that redacted lines stay valid JSON and contain no key.
func FuzzRedactedLinesAreJSON(f *testing.F) {
	for _, leak := range leaks {
		f.Add(leak.text)
	}
	f.Add(`x://u:\u0000"\@é@`)
	f.Fuzz(func(t *testing.T, text string) {
		var out bytes.Buffer
		telemetry.NewLogger(&out, "info", "json").Info(text, "key", text+"hk_"+"live_"+token32)
		if !json.Valid(out.Bytes()) || strings.Count(out.String(), "\n") != 1 || strings.Contains(out.String(), "live_"+token32) {
			t.Errorf("%q is logged as %q", text, out.String())
		}
	})
}

func BenchmarkLog(b *testing.B) {
	plain := slog.New(slog.NewTextHandler(io.Discard, nil))
	guarded := telemetry.NewLogger(io.Discard, "info", "text")
	request := func(log *slog.Logger) {
		log.Info("request", "request_id", "req_0123456789abcdefghjkmnpqrs", "method", "POST",
			"route", "POST /p/{slug}/acp/checkouts/{checkout_id}/finalize", "status", 200)
	}
	b.Run("unguarded", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			request(plain)
		}
	})
	b.Run("guarded", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			request(guarded)
		}
	})
	b.Run("redacted", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			guarded.Info("refused", "error", "the key hk_"+"test_Abc123XYZ789 is unknown")
		}
	})
}
