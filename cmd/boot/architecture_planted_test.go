package boot_test

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// plantedFile is a file that breaks one rule or none.
type plantedFile struct {
	path, code string
	rule       string // the rule that it breaks, or ""
	finding    string
}

const module = `"example.test/shop/`

var plantedFiles = []plantedFile{
	{"domain/a/a.go", `package a; import _ ` + module + `ports"`, "imports point inward", "a.go:1: domain imports ports"},
	{"domain/b/b.go", `package b; import (_ ` + module + `domain/a"; _ "net/url"; _ "time")`, "", ""},
	{"ports/a.go", `package ports; import _ ` + module + `app/buying"`, "imports point inward", "imports app/buying"},
	{"app/a/a.go", `package a; import _ ` + module + `adapters/search"`, "imports point inward", "imports adapters/search"},
	{"app/b/b.go", `package b; import _ ` + module + `app/a"`, "imports point inward", "imports app/a"},
	{"app/c/c_test.go", `package c_test; import (_ ` + module + `app/c"; _ ` + module + `ports/porttest")`, "", ""},
	{"adapters/a/a.go", `package a; import _ ` + module + `cmd/boot"`, "imports point inward", "imports cmd/boot"},
	{"simulator/a.go", `package simulator; import _ ` + module + `domain/money"`, "imports point inward", "simulator imports domain/money"},
	{"simulator/b.go", `package simulator; import _ ` + module + `simulator/buyer"`, "", ""},
	{"features/a_test.go", `package features; import _ ` + module + `app/buying"`, "imports point inward", "imports app/buying"},
	{"features/b_test.go", `package features; import (_ ` + module + `cmd/boot"; _ ` + module + `simulator"; _ "github.com/cucumber/godog")`, "", ""},
	{"cmd/haggle/a.go", `package main; import _ ` + module + `adapters/sqlstore"`, "", ""},

	{"adapters/search/a.go", `package search; import _ ` + module + `adapters/sqlstore"`, "an adapter knows no other adapter", "search imports adapters/sqlstore"},
	{"adapters/httpapi/acp/a.go", `package acp; import _ ` + module + `adapters/httpapi/management"`, "an adapter knows no other adapter", "imports adapters/httpapi/management"},
	{"adapters/httpapi/acp/b.go", `package acp; import _ ` + module + `adapters/httpapi/wire"`, "", ""},
	{"adapters/connectors/a/a.go", `package a; import _ ` + module + `adapters/connectors/b"`, "an adapter knows no other adapter", "imports adapters/connectors/b"},
	{"adapters/connectors/b/b.go", `package b; import _ ` + module + `adapters/connectors"`, "", ""},
	{"adapters/payments/stripe/a.go", `package stripe; import _ ` + module + `adapters/payments/sandbox"`, "an adapter knows no other adapter", "imports adapters/payments/sandbox"},
	{"adapters/payments/stripe/b.go", `package stripe; import _ ` + module + `adapters/payments/remoteclock"`, "", ""},
	{"adapters/sqlstore/events/a.go", `package events; import _ ` + module + `adapters/delivery"`, "an adapter knows no other adapter", "sqlstore imports adapters/delivery"},
	{"adapters/sqlstore/events/b.go", `package events; import _ ` + module + `adapters/delivery/payload"`, "", ""},

	{"app/j/j.go", `package j; import _ ` + module + `domain/capability"`, "three packages know UCP's own", "j.go:1: imports domain/capability"},
	{"adapters/httpapi/commerce/a.go", `package commerce; import _ ` + module + `app/identity"`, "", ""},
	{"adapters/httpapi/ucp/a.go", `package ucp; import _ ` + module + `adapters/httpsig"`, "", ""},

	{"adapters/b/b.go", `package b; import _ ` + module + `ports/porttest"`, "test support stays in tests", "porttest belongs in"},
	{"cmd/boot/a.go", `package boot; import _ "testing"`, "test support stays in tests", "testing belongs in"},
	{"cmd/boot/boottest/a.go", `package boottest; import (_ "testing"; _ ` + module + `ports/porttest/pgserver")`, "", ""},

	{"domain/c/c.go", `package c; import _ "golang.org/x/text/language"`, "third-party packages stay in their place", "standard library alone"},
	{"ports/b.go", `package ports; import _ "github.com/google/uuid"`, "third-party packages stay in their place", "standard library alone"},
	{"app/d/d.go", `package d; import _ "github.com/jmoiron/sqlx"`, "third-party packages stay in their place", "sqlx is imported in adapters/sqlstore only"},
	{"cmd/haggle/b.go", `package main; import _ "github.com/danielgtaylor/huma/v2"`, "third-party packages stay in their place", "imported in adapters/httpapi cmd/boot/protocol_test.go only"},
	{"adapters/sqlstore/a.go", `package sqlstore; import (_ "github.com/lib/pq"; _ "modernc.org/sqlite"; _ "github.com/pressly/goose/v3")`, "", ""},
	{"domain/d/d.go", `package d; import _ "pgregory.net/rapid"`, "third-party packages stay in their place", "is for _test.go files"},
	{"domain/d/d_test.go", `package d; import (_ "pgregory.net/rapid"; _ "math/rand"); type f float64`, "", ""},

	{"domain/e/e.go", `package e; import _ "encoding/json"`, "domain is pure", "domain imports encoding/json"},
	{"domain/f/f.go", `package f; import _ "math/rand/v2"`, "domain is pure", "domain imports math/rand/v2"},
	{"domain/g/g.go", "package g\nimport \"time\"\nvar now = time.Now", "the clock is an argument in domain and app", "g.go:3: time.Now"},
	{"app/e/e.go", "package e\nimport clock \"time\"\nvar since = clock.Since", "the clock is an argument in domain and app", "e.go:3: time.Since"},
	{"app/f/f.go", `package f; import "time"; var second = time.Second`, "", ""},
	{"adapters/system/a.go", `package system; import "time"; var now = time.Now`, "", ""},
	{"domain/h/h.go", "package h; type t struct { A int `json:\"a\"` }", "domain has no struct tags", "struct tag"},
	{"adapters/system/b.go", "package system; type t struct { A float64 `json:\"a\"` }", "", ""},
	{"domain/i/i.go", `package i; func share(x float64) {}`, "domain has no floats", "float64"},
	{"app/h/h.go", `package h; import "example.test/shop/ports"; var out = ports.NewOutbound(nil)`, "no third party is called in a transaction", "h.go:1: NewOutbound is for"},
	{"app/h/h_test.go", `package h; import "example.test/shop/ports"; var out = ports.NewOutbound(nil)`, "", ""},
	{"app/jobs/j.go", `package jobs; import "example.test/shop/ports"; var out = ports.NewOutbound(nil)`, "", ""},
	{
		"app/i/i.go", "package i\nfunc pay(ctx ports.Outbound) {\n\tstore.Update(ctx, func() { charge(ctx) })\n}",
		"no third party is called in a transaction", "i.go:3: the work of Update uses ctx",
	},
	{
		"app/i/j.go", "package i\nfunc pay(ctx ports.Outbound) {\n\tnow, cancel := ctx.WithTimeout(1)\n\tstore.InTx(ctx, func() { charge(now) })\n}",
		"no third party is called in a transaction", "j.go:4: the work of InTx uses now",
	},
	{"app/i/k.go", "package i\nfunc pay(ctx ports.Outbound) {\n\tstore.InTx(ctx, func(ctx context.Context) { read(ctx) })\n}", "", ""},
	{"adapters/util/a.go", `package util`, "packages are named by their job", "named util"},
	{"app/helpers/a.go", `package stuff`, "packages are named by their job", "named helpers"},
	{"app/g/g.go", "package g\n" + strings.Repeat("\n", longestFile), "files stay readable", "401 lines"},
	{"app/g/g_test.go", "package g\n" + strings.Repeat("\n", longestFile), "", ""},
}

// Each rule finds the files that break it, and nothing in the others.
func TestRules_plantedViolations(t *testing.T) {
	root := writeModule(t, plantedFiles)
	sources, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	if len(sources) != len(plantedFiles) {
		t.Fatalf("read %d files of %d", len(sources), len(plantedFiles))
	}
	byPath := make(map[string]source)
	for _, s := range sources {
		byPath[s.path] = s
	}
	for _, file := range plantedFiles {
		t.Run(file.path, func(t *testing.T) {
			for _, rule := range rules {
				found := strings.Join(rule.check(byPath[file.path]), "\n")
				if rule.name == file.rule && !strings.Contains(found, file.finding) {
					t.Errorf("%q found %q, want %q", rule.name, found, file.finding)
				}
				if rule.name != file.rule && found != "" {
					t.Errorf("%q found what is no violation: %s", rule.name, found)
				}
			}
		})
	}
}

func TestCheckTopLevel_strayFolder(t *testing.T) {
	root := writeModule(t, []plantedFile{
		{path: "pkg/a.go", code: "package pkg"}, {path: "notes.txt"}, {path: ".ci/run"}, {path: "LICENSE"}, {path: "domain/a.go"},
	})
	found := checkTopLevel(root)
	if len(found) != 2 || !strings.HasPrefix(found[0], "notes.txt:") || !strings.HasPrefix(found[1], "pkg:") {
		t.Errorf("found %q, want notes.txt and pkg", found)
	}
}

func TestCheckLinks_simulator(t *testing.T) {
	root := writeModule(t, []plantedFile{
		{path: "cmd/haggle/main.go", code: `package main; import _ ` + module + `cmd/boot"`},
		{path: "cmd/haggle/main_test.go", code: `package main; import _ ` + module + `simulator/acp"`},
		{path: "cmd/haggle-sim/main.go", code: `package main; import _ ` + module + `simulator"`},
		{path: "cmd/boot/boot.go", code: `package boot; import _ ` + module + `adapters/a"`},
		{path: "adapters/a/a.go", code: `package a; import _ ` + module + `simulator/provider"`},
		{path: "simulator/a.go", code: "package simulator"}, {path: "simulator/provider/a.go", code: "package provider"},
	})
	sources, err := readTree(root)
	if err != nil {
		t.Fatal(err)
	}
	found := checkLinks(sources)
	if len(found) != 1 || found[0] != "adapters/a/a.go:1: simulator/provider is linked into the merchant's program" {
		t.Errorf("found %q, want simulator/provider by adapters/a", found)
	}
}

// writeModule writes a module with these files.
func writeModule(t *testing.T, files []plantedFile) (root string) {
	t.Helper()
	root = t.TempDir()
	for _, file := range append(files, plantedFile{path: "go.mod", code: "module example.test/shop\n"}) {
		name := filepath.Join(root, filepath.FromSlash(file.path))
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(file.code), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return root
}
