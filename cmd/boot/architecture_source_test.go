package boot_test

import (
	"cmp"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// source is one parsed Go file.
type source struct {
	path    string // from the module's root, with slashes
	syntax  *ast.File
	lines   int
	imports []imported
	at      func(token.Pos) string // file:line
}

type imported struct {
	path, name string // name is what the file calls it, "" for the default
	ours       string // the folder, when it is a package of this module
	at         string
}

func (s source) test() bool            { return strings.HasSuffix(s.path, "_test.go") }
func (s source) folder() string        { return path.Dir(s.path) }
func (s source) under(dir string) bool { return within(s.path, dir) }

func within(name, dir string) bool { return name == dir || strings.HasPrefix(name, dir+"/") }

func withinAny(name string, dirs []string) bool {
	return slices.ContainsFunc(dirs, func(dir string) bool { return within(name, dir) })
}

// readTree parses every Go file of the module, regardless of build constraints.
func readTree(root string) ([]source, error) {
	module, err := modulePath(root)
	if err != nil {
		return nil, err
	}
	var sources []source
	err = filepath.WalkDir(root, func(name string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		hidden := name != root && strings.HasPrefix(entry.Name(), ".")
		if entry.IsDir() && (hidden || entry.Name() == "testdata") {
			return filepath.SkipDir
		}
		if entry.IsDir() || hidden || filepath.Ext(name) != ".go" {
			return nil
		}
		s, err := readSource(root, name, module)
		sources = append(sources, s)
		return err
	})
	return sources, err
}

func readSource(root, name, module string) (source, error) {
	relative, err := filepath.Rel(root, name)
	if err != nil {
		return source{}, err
	}
	s := source{path: filepath.ToSlash(relative)}
	files := token.NewFileSet()
	s.at = func(p token.Pos) string { return fmt.Sprintf("%s:%d", s.path, files.Position(p).Line) }
	if s.syntax, err = parser.ParseFile(files, name, nil, parser.SkipObjectResolution); err != nil {
		return source{}, err
	}
	s.lines = files.Position(s.syntax.FileEnd).Line
	for _, spec := range s.syntax.Imports {
		i := imported{at: s.at(spec.Pos())}
		if i.path, err = strconv.Unquote(spec.Path.Value); err != nil {
			return source{}, err
		}
		if spec.Name != nil {
			i.name = spec.Name.Name
		}
		if within(i.path, module) {
			i.ours = cmp.Or(strings.TrimPrefix(strings.TrimPrefix(i.path, module), "/"), ".")
		}
		s.imports = append(s.imports, i)
	}
	return s, nil
}

func modulePath(root string) (string, error) {
	text, err := os.ReadFile(filepath.Join(root, "go.mod"))
	if err != nil {
		return "", err
	}
	for line := range strings.Lines(string(text)) {
		if name, ok := strings.CutPrefix(line, "module "); ok {
			return strings.TrimSpace(name), nil
		}
	}
	return "", fmt.Errorf("%s/go.mod names no module", root)
}

// moduleRoot returns the nearest parent folder with a go.mod.
func moduleRoot(t *testing.T) string {
	t.Helper()
	dir, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			t.Fatal("no go.mod above the test")
		}
		dir = parent
	}
}
