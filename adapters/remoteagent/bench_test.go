package remoteagent_test

import (
	"net/http"
	"testing"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// BenchmarkQuote measures a whole request on loopback.
func BenchmarkQuote(b *testing.B) {
	a, to := asking(b, func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write([]byte(`{"status": "counter_offer", "price": 91.00, "reasoning": "For two I can do 91.00."}`))
	})
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Quote(ports.NewOutbound(b.Context()), to, question(offer("85"))); err != nil {
			b.Fatal(err)
		}
	}
}

// BenchmarkSuspended measures a call for a suspended handler.
func BenchmarkSuspended(b *testing.B) {
	a, to := asking(b, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusInternalServerError) })
	for range 5 {
		_ = calls["quote"](b.Context(), a, to)
	}
	b.ReportAllocs()
	for b.Loop() {
		if _, err := a.Quote(ports.NewOutbound(b.Context()), to, question(offer("85"))); !fault.Is(err, "agent_suspended") {
			b.Fatal(err)
		}
	}
}
