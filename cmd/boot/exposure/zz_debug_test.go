package exposure

import (
	"context"
	"log/slog"
	"os"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
	"strconv"
	"sync"
)

func TestZZDebug(t *testing.T) {
	database := boottest.Engines[1].URL(t)
	f, _ := os.Create("/tmp/zz_debug.log")
	config := boot.Config{Addr: "127.0.0.1:0", OpsAddr: "127.0.0.1:0", DatabaseURL: database, Env: "sandbox", BootstrapKey: boottest.Key, ACPRate: "off", EnterpriseRate: "1000000/1000000"}
	app, err := boot.New(context.Background(), config, slog.New(slog.NewTextHandler(f, nil)))
	if err != nil {
		t.Fatal(err)
	}
	ctx, stop := context.WithCancel(context.Background())
	done := make(chan error)
	go func() { done <- app.Run(ctx) }()
	defer func() { stop(); <-done; app.Close() }()
	admin := call(t, app.URL())
	openShop(admin, "shop")
	unlock := lockTable(t, database, "audit_events")
	var clients sync.WaitGroup
	for i := range 100 {
		clients.Go(func() {
			r := admin.timed("POST", "/v1/projects", `{"name":"Crowd","slug":"crowd-`+strconv.Itoa(i)+`"}`)
			t.Log(r.status, r.code(), r.took, r.header)
		})
	}
	clients.Wait()
	unlock()
}
