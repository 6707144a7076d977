package main

import (
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

const someProducts = "sku,name,price,category,quantity\nA-1,Field Notebook,12.50,office/paper,5\nA-2,Broken,\"12,50\",office,5\n" +
	"A-3,,3,office,1\nA-4,Brass Pen,48,office/pens,2\n"

// runImport runs haggle import on a file with the text, and returns its output and exit code.
func runImport(t *testing.T, database, name, text string, args ...string) (said string, code int) {
	t.Helper()
	file := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	out, err := command(t, database, append([]string{"import", file}, args...)...).CombinedOutput()
	if failed, ok := errors.AsType[*exec.ExitError](err); ok {
		return string(out), failed.ExitCode()
	}
	if err != nil {
		t.Fatal(err)
	}
	return string(out), 0
}

// Each step runs the program on the same shop.
func TestImportCmd_Run(t *testing.T) {
	t.Parallel()
	folder := t.TempDir()
	database, refused := "sqlite://"+filepath.Join(folder, "import.db"), filepath.Join(folder, "refused.csv")
	serve(t, database, "--demo")
	causes := []string{`line 3 (sku A-2): price "12,50" is not a decimal number; write 12.50` + "\n", "line 4 (sku A-3): name is required\n"}
	mended := ""
	for _, step := range []struct {
		name, file, text string
		args             []string
		code             int
		want             []string
	}{
		{"a dry run stores nothing", "p.csv", someProducts, []string{"--dry-run"}, 1,
			append(causes, "dry run, nothing stored: 2 created, 0 updated, 0 unchanged, 2 rejected")},
		{"refused products fail the program", "p.csv", someProducts, []string{"--errors", refused}, 1, append(causes, "2 created, 0 updated, 0 unchanged, 2 rejected")},
		{"unless that is allowed", "p.csv", someProducts, []string{"--allow-errors"}, 0, append(causes, "0 created, 0 updated, 2 unchanged, 2 rejected")},
		{"what was refused is mended", "refused.csv", "", nil, 0, []string{"2 created, 0 updated, 0 unchanged, 0 rejected"}},
		{"a file of errors is not overwritten", "p.csv", someProducts, []string{"--errors", refused}, 1, []string{"--errors", "file exists"}},
		{"another format is suggested", "s.csv", "Handle,Title,Body (HTML),Option1 Name,Variant Price\n", nil, 1, []string{"looks like a product file of Shopify", "(--format shopify)"}},
		{"and read", "s.csv", "Handle,Title,Body (HTML),Option1 Name,Variant Price\nmug,Mug,,,5.00\n", []string{"--format", "shopify"}, 0, []string{"1 created"}},
		{"an unknown project", "p.csv", someProducts, []string{"--project=nowhere"}, 1, []string{"no project has the slug or id nowhere"}},
	} {
		if step.file == "refused.csv" {
			step.text = mended
		}
		said, code := runImport(t, database, step.file, step.text, append([]string{"--project=demo"}, step.args...)...)
		if code != step.code {
			t.Errorf("%s: exit code %d\n%s", step.name, code, said)
		}
		for _, want := range step.want {
			if !strings.Contains(said, want) {
				t.Errorf("%s: %q lacks %q", step.name, said, want)
			}
		}
		if text, err := os.ReadFile(refused); err == nil {
			mended = strings.NewReplacer(`"12,50",office`, `12.50,office`, "is required,,", "is required,Ink,").Replace(string(text))
		}
	}
}

// A mistyped path does not create a database.
func TestImportCmd_Run_noDatabase(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "mistyped.db")
	said, code := runImport(t, "sqlite://"+path, "p.csv", someProducts, "--project=demo")
	if _, err := os.Stat(path); code != 1 || !os.IsNotExist(err) || !strings.Contains(said, "mistyped.db") {
		t.Errorf("%d, %v\n%s", code, err, said)
	}
}
