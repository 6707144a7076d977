package boot_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

func startDemo(t *testing.T, app *boot.App) boot.DemoShop {
	t.Helper()
	shop, err := app.Demo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	return shop
}

func keyWorks(t *testing.T, app *boot.App, key string) bool {
	t.Helper()
	r, err := http.NewRequestWithContext(t.Context(), "GET", app.URL()+"/v1/projects", nil)
	if err != nil {
		t.Fatal(err)
	}
	r.Header.Set("Authorization", "Bearer "+key)
	answer, err := http.DefaultClient.Do(r)
	if err != nil {
		t.Fatal(err)
	}
	answer.Body.Close()
	return answer.StatusCode == http.StatusOK
}

// The next start of the demo reuses its key, which is in a file that only the owner may read.
func TestDemo_keepsItsKey(t *testing.T) {
	t.Parallel()
	database := boottest.Engines[0].URL(t)
	app := boottest.Start(t, database)
	first := startDemo(t, app)
	if again := startDemo(t, app); again.Key != first.Key || !keyWorks(t, app, first.Key) {
		t.Errorf("the keys are %s and %s", first.Key, again.Key)
	}
	file := strings.TrimPrefix(database, "sqlite://") + ".demo-key"
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Fatalf("%v, %v", info, err)
	}
	keys, err := app.ListKeys(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	for _, k := range keys {
		if k.Key.Name == "demo" {
			if _, err := app.RevokeKey(t.Context(), k.Key.ID.String()); err != nil {
				t.Fatal(err)
			}
		}
	}
	third := startDemo(t, app)
	if third.Key == first.Key || !keyWorks(t, app, third.Key) {
		t.Errorf("after it was revoked the key is %s", third.Key)
	}
	if err := os.WriteFile(file, []byte(boottest.Key), 0o600); err != nil {
		t.Fatal(err)
	}
	if again := startDemo(t, app); again.Key != boottest.Key {
		t.Errorf("a key of the same account in the file: %s", again.Key)
	}
}

// A demo on PostgreSQL keeps its key in the configured folder, in one file for each database.
func TestDemo_keepsItsKey_postgres(t *testing.T) {
	t.Parallel()
	keys := filepath.Join(t.TempDir(), "new", "folder")
	keep := func(c *boot.Config) { c.DemoKeys = keys }
	app := boottest.Start(t, boottest.Engines[1].URL(t), keep)
	first, again := startDemo(t, app), startDemo(t, app)
	other := startDemo(t, boottest.Start(t, boottest.Engines[1].URL(t), keep))
	if again.Key != first.Key || other.Key == first.Key {
		t.Errorf("the keys are %s and %s, and %s of another database", first.Key, again.Key, other.Key)
	}
	files, err := os.ReadDir(keys)
	if err != nil || len(files) != 2 {
		t.Fatalf("%v, %v", files, err)
	}
	info, err := files[0].Info()
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("%v, %v", info, err)
	}
}

// If the file of the key is missing at each start, only the newest five keys stay valid.
func TestEndDemoKeys(t *testing.T) {
	t.Parallel()
	database := boottest.Engines[0].URL(t)
	app := boottest.Start(t, database)
	var shops []boot.DemoShop
	for range 7 {
		shops = append(shops, startDemo(t, app))
		if err := os.Remove(strings.TrimPrefix(database, "sqlite://") + ".demo-key"); err != nil {
			t.Fatal(err)
		}
		boottest.Tick()
	}
	for i, shop := range shops {
		if keyWorks(t, app, shop.Key) != (i >= 2) {
			t.Errorf("the key of start %d of 7 works: %t", i+1, i < 2)
		}
	}
}
