package main

import (
	"cmp"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

// pkg is a folder of Go files.
type pkg struct {
	root   string // the module's
	folder string
	set    *token.FileSet
	files  []*file
}

type file struct {
	path string
	test bool
	ast  *ast.File
}

// load parses every Go file below root, but for test data and hidden folders.
func load(root string) ([]*pkg, error) {
	packages := map[string]*pkg{}
	set := token.NewFileSet()
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && path != root && (entry.Name() == "testdata" || entry.Name()[0] == '.'):
			return filepath.SkipDir
		case entry.IsDir() || !strings.HasSuffix(path, ".go"):
			return nil
		}
		name, err := filepath.Rel(root, path)
		if err != nil {
			return err
		}
		parsed, err := parser.ParseFile(set, path, nil, parser.ParseComments)
		if err != nil {
			return err
		}
		if ast.IsGenerated(parsed) {
			return nil
		}
		name = filepath.ToSlash(name)
		folder := filepath.ToSlash(filepath.Dir(name))
		if packages[folder] == nil {
			packages[folder] = &pkg{
				root:   root,
				folder: folder,
				set:    set,
			}
		}
		packages[folder].files = append(packages[folder].files, &file{
			path: name,
			test: strings.HasSuffix(name, "_test.go"),
			ast:  parsed,
		})
		return nil
	})
	all := slices.Collect(maps.Values(packages))
	slices.SortFunc(all, func(a, b *pkg) int { return cmp.Compare(a.folder, b.folder) })
	return all, err
}

// name is the last part of the folder.
func (p *pkg) name() string { return p.folder[strings.LastIndex(p.folder, "/")+1:] }

func (p *pkg) at(f *file, pos token.Pos, text string) finding {
	return finding{
		file: f.path,
		line: p.set.Position(pos).Line,
		text: text,
	}
}

// declared calls visit with every name that a file declares: types, functions, methods, constants, variables, fields and
// parameters.
func declared(f *ast.File, visit func(*ast.Ident)) {
	names := func(list *ast.FieldList) {
		if list == nil {
			return
		}
		for _, field := range list.List {
			for _, name := range field.Names {
				visit(name)
			}
		}
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncDecl:
			visit(n.Name)
			names(n.Recv)
		case *ast.FuncType:
			names(n.Params)
			names(n.Results)
		case *ast.TypeSpec:
			visit(n.Name)
		case *ast.StructType:
			names(n.Fields)
		case *ast.InterfaceType:
			names(n.Methods)
		case *ast.ValueSpec:
			for _, name := range n.Names {
				visit(name)
			}
		case *ast.AssignStmt:
			if n.Tok != token.DEFINE {
				return true
			}
			for _, left := range n.Lhs {
				if name, ok := left.(*ast.Ident); ok {
					visit(name)
				}
			}
		}
		return true
	})
}
