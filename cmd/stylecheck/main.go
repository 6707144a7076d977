// Command stylecheck judges what a machine can judge of how the code reads: names that nobody would search for, phrases in
// comments, packed struct literals, and tests that are not named after what they test. It knows syntax only, no types, so
// that it takes a few seconds.
//
//	go run ./cmd/stylecheck               the whole module; exit code 1 if a rule has more findings than it may have
//	go run ./cmd/stylecheck -v app domain every finding below these folders
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"slices"
	"strings"
)

func main() {
	verbose := flag.Bool("v", false, "print every finding, not only the counts")
	flag.Parse()
	os.Exit(run(os.Stdout, ".", flag.Args(), *verbose))
}

// run judges the module at root and returns the exit code. Folders limit what is judged, and then no count is held to
// what the module may have.
func run(out io.Writer, root string, folders []string, verbose bool) int {
	packages, err := load(root)
	if err != nil {
		fmt.Fprintln(out, "stylecheck:", err)
		return 2
	}
	code := 0
	for _, r := range rules {
		found := r.findings(packages, folders)
		if verbose || len(found) > r.most && len(folders) == 0 {
			for _, f := range found {
				fmt.Fprintf(out, "%s:%d: %s: %s\n", f.file, f.line, r.name, f.text)
			}
		}
		fmt.Fprintf(out, "%-12s %4d", r.name, len(found))
		switch {
		case len(folders) > 0:
		case len(found) > r.most:
			fmt.Fprintf(out, "  at most %d: %s", r.most, r.instead)
			code = 1
		case len(found) < r.most:
			fmt.Fprintf(out, "  fewer than the %d allowed: lower the number in rules.go", r.most)
			code = 1
		}
		fmt.Fprintln(out)
	}
	return code
}

// finding is a place that breaks a rule.
type finding struct {
	file string // from the module's root
	line int
	text string
}

// rule is what code is held to.
type rule struct {
	name    string
	instead string // what to write
	most    int    // how many findings are left from before the rule; it only goes down
	check   func([]*pkg) []finding
}

// each judges packages one by one.
func each(check func(*pkg) []finding) func([]*pkg) []finding {
	return func(all []*pkg) []finding {
		var found []finding
		for _, p := range all {
			found = append(found, check(p)...)
		}
		return found
	}
}

// findings are those in or below the folders; without folders all.
func (r rule) findings(packages []*pkg, folders []string) []finding {
	found := r.check(packages)
	if len(folders) == 0 {
		return found
	}
	return slices.DeleteFunc(found, func(f finding) bool { return !below(f.file, folders) })
}

func below(file string, folders []string) bool {
	return slices.ContainsFunc(folders, func(folder string) bool { return strings.HasPrefix(file, strings.TrimSuffix(folder, "/")+"/") })
}
