// Package clients_test generates clients of the Management API in Go and TypeScript from the OpenAPI document of a served demo
// shop, compiles them, and makes calls with them.
package clients_test

import (
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/haggle-commerce/haggle/cmd/boot/boottest"
)

const generator = "github.com/oapi-codegen/oapi-codegen/v2/cmd/oapi-codegen@v2.8.2"

// client is a program with a generated client: its files, and the commands that generate, compile and run it.
type client struct {
	files    []string
	document string // path of the OpenAPI document
	commands [][]string
}

var clients = map[string]client{
	"Go": {
		files:    []string{"main.go", "oapi-codegen.yaml"},
		document: "openapi.yaml",
		commands: [][]string{
			{"go", "mod", "init", "client"},
			{"go", "run", generator, "-config", "oapi-codegen.yaml", "openapi.yaml"},
			{"go", "mod", "tidy"},
			{"go", "run", "."},
		},
	},
	"TypeScript": {
		files:    []string{"main.ts", "package.json", "package-lock.json", "tsconfig.json"},
		document: "openapi.yaml",
		commands: [][]string{
			{"npm", "ci", "--no-audit", "--no-fund", "--prefer-offline"},
			{"npx", "--no-install", "openapi-typescript", "openapi.yaml", "-o", "haggle.d.ts"},
			{"npx", "--no-install", "tsc"},
			{"node", "main.js"},
		},
	},
}

func TestClients(t *testing.T) {
	if os.Getenv("CLIENTS") != "full" {
		t.Skip("it downloads generators and compiles 90,000 lines: make clients")
	}
	app := boottest.Start(t, boottest.Engines[0].URL(t))
	shop, err := app.Demo(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	environment := append(os.Environ(), "GOFLAGS=", "HAGGLE_URL="+app.URL(), "HAGGLE_KEY="+shop.Key, "HAGGLE_PROJECT="+shop.Project.String())
	for language, c := range clients {
		t.Run(language, func(t *testing.T) {
			dir := t.TempDir()
			for _, name := range c.files {
				text, err := os.ReadFile(filepath.Join("testdata", name))
				if err != nil {
					t.Fatal(err)
				}
				write(t, dir, name, text)
			}
			write(t, dir, c.document, download(t, app.URL()+"/openapi.yaml"))
			if err := os.Mkdir(filepath.Join(dir, "haggle"), 0o700); err != nil {
				t.Fatal(err)
			}
			var printed []byte
			for _, command := range c.commands {
				one := exec.CommandContext(t.Context(), command[0], command[1:]...)
				one.Dir, one.Env = dir, environment
				if printed, err = one.CombinedOutput(); err != nil {
					t.Fatalf("%s: %v\n%s", strings.Join(command, " "), err, printed)
				}
			}
			if string(printed) != "Reading lamp 49.9\n" {
				t.Errorf("it printed %q", printed)
			}
		})
	}
}

func write(t *testing.T, dir, name string, text []byte) {
	t.Helper()
	if err := os.WriteFile(filepath.Join(dir, name), text, 0o600); err != nil {
		t.Fatal(err)
	}
}

func download(t *testing.T, url string) []byte {
	t.Helper()
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, url, nil)
	if err != nil {
		t.Fatal(err)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil || response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %d, %v", url, response.StatusCode, err)
	}
	return text
}
