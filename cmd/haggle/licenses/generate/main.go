// Command generate collects the license texts of everything that is linked into haggle and haggle-sim on the systems that they
// are built for. Package licenses embeds and prints them.
//
//	go generate ./cmd/haggle/licenses
package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/haggle-commerce/haggle/cmd/haggle/licenses"
)

const ours = "github.com/haggle-commerce/haggle"

// programs are the packages of a release's programs.
var programs = []string{ours + "/cmd/haggle", ours + "/cmd/haggle-sim"}

// systems are the values of GOOS that the programs are built for. Some modules are linked on only one of them.
var systems = []string{"linux", "darwin", "windows"}

// embedded lists third-party files that are not modules, and the paths of their license texts: in this module, or in the module
// named before the colon.
var embedded = []struct {
	name  string
	files []string
}{
	{"WordNet 3.0", []string{"adapters/search/wordnet/LICENSE.wordnet"}},
}

func main() {
	if err := run(os.Args[1:]); err != nil {
		fmt.Fprintln(os.Stderr, "generate:", err)
		os.Exit(1)
	}
}

func run(args []string) error {
	if len(args) != 1 {
		return fmt.Errorf("usage: generate FILE")
	}
	c, err := collect(systems)
	if err != nil {
		return err
	}
	var out bytes.Buffer
	packer, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return err
	}
	if err := json.NewEncoder(packer).Encode(c); err != nil {
		return err
	}
	if err := packer.Close(); err != nil {
		return err
	}
	return os.WriteFile(args[0], out.Bytes(), 0o644)
}

// collector collects texts and stores each once.
type collector struct {
	licenses.Collection
	places map[string]int // index in the collection by text
}

// collect collects the texts of everything that is linked on the systems.
func collect(systems []string) (*licenses.Collection, error) {
	modules, err := linked(systems)
	if err != nil {
		return nil, err
	}
	c := &collector{places: map[string]int{}}
	root := modules[ours].dir
	if err := c.add("Haggle", root, []string{filepath.Join(root, "LICENSE")}); err != nil {
		return nil, err
	}
	goroot, err := exec.Command("go", "env", "GOROOT").Output()
	if err != nil {
		return nil, err
	}
	folder := strings.TrimSpace(string(goroot))
	if err := c.add("Go", folder, licenseFiles(folder)); err != nil {
		return nil, err
	}
	for _, path := range sortedPaths(modules) {
		if err := c.add(path, modules[path].dir, modules[path].files()); err != nil {
			return nil, err
		}
	}
	for _, e := range embedded {
		files := make([]string, len(e.files))
		for i, name := range e.files {
			files[i] = filepath.Join(root, name)
			if module, file, elsewhere := strings.Cut(name, ":"); elsewhere {
				files[i] = filepath.Join(modules[module].dir, file)
			}
		}
		if err := c.add(e.name, filepath.Dir(files[0]), files); err != nil {
			return nil, err
		}
	}
	return &c.Collection, nil
}

func (c *collector) add(name, root string, files []string) error {
	if len(files) == 0 {
		return fmt.Errorf("%s has no license text in %s", name, root)
	}
	component := licenses.Component{Name: name}
	for _, file := range files {
		text, err := os.ReadFile(file)
		if err != nil {
			return err
		}
		shown, err := filepath.Rel(root, file)
		if err != nil {
			return err
		}
		component.Files = append(component.Files, licenses.File{Name: filepath.ToSlash(shown), Text: c.place(string(text))})
	}
	c.Components = append(c.Components, component)
	return nil
}

func (c *collector) place(text string) int {
	text = strings.TrimSpace(strings.ReplaceAll(text, "\r\n", "\n"))
	at, known := c.places[text]
	if !known {
		at = len(c.Texts)
		c.places[text], c.Texts = at, append(c.Texts, text)
	}
	return at
}

// module is a module's folder and those of its folders whose packages are linked.
type module struct {
	dir     string
	folders []string
}

// files returns the paths of a module's license texts: in its root and in the parents of its linked packages.
func (m module) files() []string {
	var files []string
	for _, folder := range m.folders {
		for ; strings.HasPrefix(folder, m.dir); folder = filepath.Dir(folder) {
			files = append(files, licenseFiles(folder)...)
		}
	}
	slices.SortFunc(files, func(a, b string) int {
		return cmp.Or(strings.Count(a, string(filepath.Separator))-strings.Count(b, string(filepath.Separator)), strings.Compare(a, b))
	})
	return slices.Compact(files)
}

var licenseName = regexp.MustCompile(`(?i)^(un)?(licen[sc]es?|copying|copyright|notice|patents)([-._].*)?$`)

func licenseFiles(folder string) (files []string) {
	entries, _ := os.ReadDir(folder)
	for _, e := range entries {
		if e.Type().IsRegular() && licenseName.MatchString(e.Name()) && filepath.Ext(e.Name()) != ".go" {
			files = append(files, filepath.Join(folder, e.Name()))
		}
	}
	return files
}

// linked returns the modules of the programs' packages, including this one.
func linked(systems []string) (map[string]module, error) {
	const format = `{{with .Module}}{{.Path}}|{{.Dir}}|{{$.Dir}}{{end}}`
	modules := map[string]module{}
	for _, system := range systems {
		list := exec.Command("go", append([]string{"list", "-deps", "-f", format}, programs...)...)
		list.Env = append(os.Environ(), "GOOS="+system, "CGO_ENABLED=0")
		list.Stderr = os.Stderr
		out, err := list.Output()
		if err != nil {
			return nil, fmt.Errorf("go list for %s: %w", system, err)
		}
		for line := range strings.Lines(string(out)) {
			parts := strings.Split(strings.TrimSpace(line), "|")
			if len(parts) != 3 {
				continue // standard library
			}
			m := modules[parts[0]]
			m.dir, m.folders = parts[1], append(m.folders, parts[2])
			modules[parts[0]] = m
		}
	}
	return modules, nil
}

// sortedPaths returns the paths of third-party modules.
func sortedPaths(modules map[string]module) []string {
	var paths []string
	for path := range modules {
		if path != ours {
			paths = append(paths, path)
		}
	}
	slices.Sort(paths)
	return paths
}
