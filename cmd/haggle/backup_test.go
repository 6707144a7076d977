package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

// A backup taken while buyers pay restores into the other engine, and verify finds no violation in the copy.
func TestBackupCmd_Run_whileBuyersPay(t *testing.T) {
	t.Parallel()
	for i, engine := range boottest.Engines {
		t.Run(engine.Name, func(t *testing.T) {
			t.Parallel()
			database, file := engine.URL(t), filepath.Join(t.TempDir(), "shop.haggle")
			s := serve(t, database, "--demo", "--acp-rate=off")
			buyers := simulate(t, "--buyers=60", "--seed=3", "--url", s.url)
			if err := buyers.Start(); err != nil {
				t.Fatal(err)
			}
			says(t, command(t, database, "backup", file), " rows of ")
			if err := buyers.Wait(); err != nil {
				t.Fatal(err)
			}
			says(t, command(t, "", "restore", "--check", file), " is complete: ")
			other := boottest.Engines[(i+1)%len(boottest.Engines)].URL(t)
			says(t, command(t, other, "restore", file), "\nRestored and verified.")
			refused(t, command(t, other, "restore", file), "has data")
			restored := serve(t, other)
			if out, err := simulate(t, "--buyers=2", "--url", restored.url).CombinedOutput(); err != nil {
				t.Errorf("buyers of the restored shop: %v\n%s", err, out)
			}
		})
	}
}

func TestBackupCmd_Run_errors(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	in := func(name string) string { return filepath.Join(folder, name) }
	database := "sqlite://" + in("shop.db")
	says(t, command(t, database, "migrate"), "up to date")
	phrase, empty := in("phrase"), in("empty")
	for path, text := range map[string]string{phrase: "correct horse\n", empty: "\n"} {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	says(t, command(t, database, "backup", in("a.haggle"), "--passphrase-file", phrase), "tables as of")
	whole, err := os.ReadFile(in("a.haggle"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(in("cut.haggle"), whole[:len(whole)-100], 0o600); err != nil {
		t.Fatal(err)
	}
	fresh := "sqlite://" + in("fresh.db")
	for why, args := range map[string][]string{
		"the file exists already": {"backup", in("a.haggle")},
		"cannot be combined with": {"backup", in("b.haggle"), "--passphrase-file", phrase, "--recipient=age1"},
		"--recipient":             {"backup", in("b.haggle"), "--recipient=nobody"},
		"is empty":                {"backup", in("b.haggle"), "--passphrase-file", empty},
		"is encrypted":            {"restore", in("a.haggle")},
		"damaged":                 {"restore", in("cut.haggle"), "--passphrase-file", phrase},
		"no backup of haggle":     {"restore", phrase},
		"not the master key of":   {"restore", in("a.haggle"), "--passphrase-file", phrase, "--master-key=another"},
	} {
		of := fresh
		if args[0] == "backup" {
			of = database
		}
		refused(t, command(t, of, args...), why)
	}
	refused(t, command(t, "sqlite://"+in("none.db"), "backup", in("c.haggle")), "there is no database at")
	says(t, command(t, fresh, "restore", in("a.haggle"), "--passphrase-file", phrase, "--master-key=another", "--without-master-key"), "Restored and verified.")
}

type combined interface{ CombinedOutput() ([]byte, error) }

func says(t *testing.T, c combined, text string) {
	t.Helper()
	if out, err := c.CombinedOutput(); err != nil || !strings.Contains(string(out), text) {
		t.Fatalf("%v: %v\n%s", c, err, out)
	}
}

func refused(t *testing.T, c combined, why string) {
	t.Helper()
	out, err := c.CombinedOutput()
	if err == nil || !strings.Contains(string(out), why) || strings.Count("\n"+string(out), "\nhaggle: ") != 1 {
		t.Errorf("%v: %v\n%s\nwant %s", c, err, out, why)
	}
}
