package boot_test

import (
	"context"
	"log/slog"
	"net/http"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// BenchmarkStart measures starting a server on a migrated database until it answers, and stopping it.
func BenchmarkStart(b *testing.B) {
	url := boottest.Engines[0].URL(b)
	for b.Loop() {
		app, err := boot.New(b.Context(), boot.Config{
			Addr:        "127.0.0.1:0",
			OpsAddr:     "127.0.0.1:0",
			DatabaseURL: url,
			Env:         "sandbox",
		}, slog.New(slog.DiscardHandler))
		if err != nil {
			b.Fatal(err)
		}
		ctx, stop := context.WithCancel(b.Context())
		stopped := make(chan error, 1)
		go func() { stopped <- app.Run(ctx) }()
		answer, err := http.Get(app.URL() + "/v1") // waits until it is served
		if err != nil {
			b.Fatal(err)
		}
		_ = answer.Body.Close()
		stop()
		if err := <-stopped; err != nil {
			b.Fatal(err)
		}
		if err := app.Close(); err != nil {
			b.Fatal(err)
		}
	}
}
