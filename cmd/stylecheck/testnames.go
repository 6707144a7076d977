package main

import (
	"go/ast"
	"strings"
)

// testNames finds tests whose names do not begin with an identifier of their package. A package of tests alone, which try
// a whole server, has none to begin with.
func testNames(p *pkg) []finding {
	known := map[string]bool{}
	for _, f := range p.files {
		if !f.test {
			topNames(f.ast, func(name string) { known[strings.ToLower(name)] = true })
		}
	}
	if len(known) == 0 {
		return nil
	}
	var found []finding
	for _, f := range p.files {
		for _, decl := range f.ast.Decls {
			if fn, ok := decl.(*ast.FuncDecl); ok && f.test && isTest(fn) && !namesOne(strings.TrimPrefix(fn.Name.Name, "Test"), known) {
				found = append(found, p.at(f, fn.Pos(), fn.Name.Name))
			}
		}
	}
	return found
}

func isTest(fn *ast.FuncDecl) bool {
	return fn.Recv == nil && strings.HasPrefix(fn.Name.Name, "Test") && fn.Name.Name != "TestMain" && len(fn.Name.Name) > len("Test")
}

// topNames calls visit with the names of a file's types, functions, methods, constants and variables.
func topNames(f *ast.File, visit func(string)) {
	for _, decl := range f.Decls {
		switch decl := decl.(type) {
		case *ast.FuncDecl:
			visit(decl.Name.Name)
		case *ast.GenDecl:
			for _, spec := range decl.Specs {
				switch spec := spec.(type) {
				case *ast.ValueSpec:
					for _, name := range spec.Names {
						visit(name.Name)
					}
				case *ast.TypeSpec:
					visit(spec.Name.Name)
					if methods, ok := spec.Type.(*ast.InterfaceType); ok {
						for _, method := range methods.Methods.List {
							for _, name := range method.Names {
								visit(name.Name)
							}
						}
					}
				}
			}
		}
	}
}

// namesOne reports whether a name begins with a known one, in whatever case, that ends where a word of the name does.
func namesOne(name string, known map[string]bool) bool {
	for i := len(name); i > 2; i-- {
		if (i == len(name) || upper(name[i]) || name[i] == '_') && known[strings.ToLower(name[:i])] {
			return true
		}
	}
	return false
}
