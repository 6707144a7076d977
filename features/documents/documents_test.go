// Package documents_test runs the commands of every document of the repository as a reader would paste them: in order, in one
// shell for each page, with a demo shop running, in a fresh clone.
//
// A comment before a block of commands says how it runs:
//
//	<!-- commands: background -->                it runs until the end of the page
//	<!-- commands: instead of the server -->     it replaces the page's server
//	<!-- commands: may answer CODE … -->         it is expected to return these error codes
//	<!-- commands: not run, REASON -->           the test environment lacks something that it needs
package documents_test

import (
	"fmt"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"
)

// block is a block of commands of a page.
type block struct {
	line     int
	commands string
	how      string // the text after "commands:"
}

func (b block) is(how string) bool { return strings.HasPrefix(b.how, how) }

var fence = regexp.MustCompile("(?m)^(?:<!-- commands: (.*) -->\n)?```sh\n((?:[^`]|`[^`]|``[^`])*?)^```$")

func blocksOf(page string) (blocks []block) {
	for _, at := range fence.FindAllStringSubmatchIndex(page, -1) {
		b := block{line: 1 + strings.Count(page[:at[4]], "\n"), commands: page[at[4]:at[5]]}
		if at[2] >= 0 {
			b.how = page[at[2]:at[3]]
		}
		blocks = append(blocks, b)
	}
	return blocks
}

func TestBlocksOf(t *testing.T) {
	t.Parallel()
	got := blocksOf("# A\n\n```sh\necho `date`\n```\n\n```json\n{}\n```\n<!-- commands: not run, why -->\n```sh\nrm\n```\n")
	want := []block{{line: 4, commands: "echo `date`\n"}, {line: 12, commands: "rm\n", how: "not run, why"}}
	if !slices.Equal(got, want) {
		t.Errorf("%+v", got)
	}
}

// pages returns the blocks of the documents with commands, by path in the repository.
func pages(t *testing.T, root string) map[string][]block {
	t.Helper()
	out, err := exec.Command("git", "-C", root, "ls-files", "*.md").Output()
	if err != nil {
		t.Fatal(err)
	}
	found := map[string][]block{}
	for _, path := range strings.Fields(string(out)) {
		if strings.Contains(path, "testdata/") {
			continue
		}
		text, err := os.ReadFile(filepath.Join(root, path))
		if err != nil {
			t.Fatal(err)
		}
		if blocks := blocksOf(string(text)); len(blocks) > 0 {
			found[path] = blocks
		}
	}
	return found
}

// Every block's comment is one of the known forms, and few blocks are not run.
func TestCommands_marks(t *testing.T) {
	t.Parallel()
	run, left := 0, 0
	for path, blocks := range pages(t, "../..") {
		for _, b := range blocks {
			switch {
			case b.is("not run, "):
				left++
			case b.how == "", b.how == "background", b.how == "instead of the server", b.is("may answer "):
				run++
			default:
				t.Errorf("%s:%d: unknown: commands: %s", path, b.line, b.how)
			}
		}
	}
	if run < 20 || left > 12 {
		t.Errorf("%d blocks run, %d do not", run, left)
	}
}

func TestCommands(t *testing.T) {
	if os.Getenv("DOCUMENTS") != "full" {
		t.Skip("it builds a fresh clone and serves it at the ports of the documents: make documents")
	}
	for _, port := range []string{"8080", "8081", "8090", "8095"} {
		listener, err := net.Listen("tcp", "127.0.0.1:"+port)
		if err != nil {
			t.Fatalf("the documents use port %s: %v", port, err)
		}
		_ = listener.Close()
	}
	clone := filepath.Join(t.TempDir(), "haggle")
	command(t, ".", "git", "clone", "-q", "../..", clone)
	command(t, clone, "make", "build")
	all := pages(t, "../..")
	for _, path := range slices.Sorted(maps.Keys(all)) {
		if slices.ContainsFunc(all[path], func(b block) bool { return !b.is("not run, ") }) {
			t.Run(path, func(t *testing.T) { runPage(t, clone, all[path]) })
		}
	}
}

func command(t *testing.T, dir, name string, args ...string) {
	t.Helper()
	c := exec.Command(name, args...)
	c.Dir = dir
	if out, err := c.CombinedOutput(); err != nil {
		t.Fatalf("%s %s: %v\n%s", name, strings.Join(args, " "), err, out)
	}
}

// longest is the timeout of a block's commands.
const longest = 5 * time.Minute

func runPage(t *testing.T, clone string, blocks []block) {
	if err := os.RemoveAll(filepath.Join(clone, ".data")); err != nil {
		t.Fatal(err)
	}
	r := &reader{clone: clone, home: t.TempDir()}
	server := r.start(t, ".bin/haggle serve --demo")
	r.await(t, server, "Stop with")
	shell := openShell(t, r)
	for _, b := range blocks {
		switch {
		case b.is("not run, "):
		case b.how == "background":
			r.await(t, r.start(t, b.commands), "")
		case b.how == "instead of the server":
			server.stop()
			server = r.start(t, b.commands)
			r.await(t, server, "Stop with")
		default:
			output, failed := shell.run(t, b.commands)
			if failed != "" {
				t.Errorf("line %d: %s\n%s", b.line, failed, output)
			}
			for _, code := range errorCode.FindAllStringSubmatch(output, -1) {
				if !slices.Contains(strings.Fields(b.how), code[1]) {
					t.Errorf("line %d answers the error %s:\n%s", b.line, code[1], output)
				}
			}
		}
	}
}

// errorCode matches the error code in a response of the Management API or the buyers' APIs.
var errorCode = regexp.MustCompile(`"error":\s*(?:\{\s*"code":\s*)?"(\w+)"`)

// reader is the environment of somebody who follows a page.
type reader struct{ clone, home string }

// shellFor returns a bash command in the reader's environment.
func (r *reader) shellFor(args ...string) *exec.Cmd {
	c := exec.Command("bash", append([]string{"--norc"}, args...)...)
	c.Dir = r.clone
	c.Env = append(os.Environ(), "HOME="+r.home, fmt.Sprintf("GOCACHE=%s", goCache()))
	return c
}

func goCache() string {
	out, err := exec.Command("go", "env", "GOCACHE").Output()
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(out))
}
