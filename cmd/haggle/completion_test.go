package main

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// Bash completes commands, flags and values with the printed script.
func TestCompletionCmd_Run_bash(t *testing.T) {
	t.Parallel()
	bash, err := exec.LookPath("bash")
	if err != nil {
		t.Skip("bash is not installed")
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	folder := t.TempDir()
	program := fmt.Sprintf("#!/bin/sh\n%s=1 exec %s \"$@\"\n", asProgram, self)
	if err := os.WriteFile(filepath.Join(folder, "haggle"), []byte(program), 0o700); err != nil {
		t.Fatal(err)
	}
	for words, want := range map[string]string{
		"se":                   "serve search-eval",
		"keys ":                "create list revoke rotate-master",
		"keys cr":              "create",
		"serve --trust":        "--trusted-proxies=",
		"serve --dem":          "--demo",
		"serve --env = pro":    "production",
		"serve --env = ":       "sandbox production",
		"serve --env ":         "sandbox production",
		"serve --demo --log-f": "--log-format=",
		"help members re":      "revoke reset-mfa",
		"completion ":          "bash zsh fish",
		"import ":              "",
		"nonsense":             "",
	} {
		list := strings.Split(words, " ")
		script := `source <(haggle completion bash) || exit
complete -p haggle >/dev/null || exit
COMP_WORDS=(haggle "$@") COMP_CWORD=$#
_haggle
echo "${COMPREPLY[*]}"`
		c := exec.Command(bash, append([]string{"-c", script, "bash"}, list...)...)
		c.Env = []string{"PATH=" + folder + ":" + os.Getenv("PATH")}
		out, err := c.Output()
		if got := strings.TrimSpace(string(out)); err != nil || got != want {
			t.Errorf("haggle %s: completed to %q, %v, want %q", words, got, err, want)
		}
	}
}

// Each script is checked by its shell if that is installed.
func TestCompletionCmd_Run_syntax(t *testing.T) {
	t.Parallel()
	for shell, check := range map[string]string{"bash": "-n", "zsh": "-n", "fish": "--no-execute"} {
		out, err := command(t, "", "completion", shell).Output()
		if err != nil || !strings.Contains(string(out), "haggle "+completing) && !strings.Contains(string(out), `]}" `+completing) {
			t.Errorf("%s: %v\n%s", shell, err, out)
		}
		path, err := exec.LookPath(shell)
		if err != nil {
			continue
		}
		file := filepath.Join(t.TempDir(), shell)
		if err := os.WriteFile(file, out, 0o600); err != nil {
			t.Fatal(err)
		}
		if out, err := exec.Command(path, check, file).CombinedOutput(); err != nil {
			t.Errorf("%s: %v\n%s", shell, err, out)
		}
	}
}

// Every example parses as a command line of the command whose help shows it.
func TestExamples(t *testing.T) {
	t.Chdir(t.TempDir())
	for _, name := range []string{"products.csv", "shop.haggle", "product.json", "products_export.csv"} {
		if err := os.WriteFile(name, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	t.Setenv("HAGGLE_API_KEY", "hk_test_x")
	var all cli
	parser, err := newParser(&all, "")
	if err != nil {
		t.Fatal(err)
	}
	if without := addExamples(parser.Model.Node, ""); len(without) > 0 {
		t.Errorf("without an example: %v", without)
	}
	for path, lines := range examples {
		for _, line := range lines {
			var c cli
			parser, err := newParser(&c, "")
			if err != nil {
				t.Fatal(err)
			}
			args, err := exec.Command("sh", "-c", "set -- "+strings.Split(strings.TrimPrefix(line, "haggle "), " >")[0]+`; printf '%s\n' "$@"`).Output()
			if err != nil {
				t.Fatal(err)
			}
			words := strings.Split(strings.TrimSuffix(string(args), "\n"), "\n")
			if !strings.HasPrefix(line, "haggle "+path) {
				t.Errorf("%s: the example is %s", path, line)
			}
			if strings.HasSuffix(line, "--help") {
				continue // --help ends the program
			}
			if _, err := parser.Parse(words); err != nil {
				t.Errorf("%s: %v", line, err)
			}
		}
	}
}

// Every flag of the server is in a group.
func TestFlagGroups_serve(t *testing.T) {
	t.Parallel()
	out, err := command(t, "", "serve", "--help").Output()
	if err != nil {
		t.Fatal(err)
	}
	at := -1
	for _, group := range flagGroups[:9] {
		next := strings.Index(string(out), "\n"+group.Title+"\n")
		if next <= at {
			t.Errorf("%s is missing or not in its place:\n%s", group.Title, out)
		}
		at = next
	}
	own := strings.Split(string(out), "\nServer:")[0]
	if strings.Count(own, "\n  ") > 9 {
		t.Errorf("flags without a group:\n%s", own)
	}
}
