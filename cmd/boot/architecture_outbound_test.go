package boot_test

import (
	"fmt"
	"go/ast"
	"slices"
	"strings"
)

// outboundFolders are the folders that may create a ports.Outbound, because no transaction is open there. Elsewhere the
// compiler rejects a call to a third party with the plain context of a transaction.
var outboundFolders = []string{"adapters/httpapi/wire", "app/jobs", "cmd", "ports"}

// transactional are the methods of stores whose function argument runs in a transaction.
var transactional = []string{"InTx", "Within", "Update", "Change", "Redeem", "Connect", "Disconnect"}

// checkOutbound finds Outbound contexts where a transaction may be open.
func checkOutbound(s source) (found []string) {
	if s.test() {
		return nil
	}
	if !withinAny(s.path, outboundFolders) {
		ast.Inspect(s.syntax, func(n ast.Node) bool {
			if sel, ok := n.(*ast.SelectorExpr); ok && sel.Sel.Name == "NewOutbound" {
				found = append(found, fmt.Sprintf("%s: NewOutbound is for %s", s.at(n.Pos()), strings.Join(outboundFolders, ", ")))
			}
			return true
		})
	}
	for _, d := range s.syntax.Decls {
		if f, ok := d.(*ast.FuncDecl); ok && f.Body != nil {
			found = append(found, outboundInTransaction(s, f)...)
		}
	}
	return found
}

// outboundInTransaction finds function literals that run in a transaction and use an Outbound of the function around
// them.
func outboundInTransaction(s source, f *ast.FuncDecl) (found []string) {
	outbound := outboundNames(f)
	ast.Inspect(f.Body, func(n ast.Node) bool {
		call, ok := n.(*ast.CallExpr)
		if !ok {
			return true
		}
		method, ok := call.Fun.(*ast.SelectorExpr)
		if !ok || !slices.Contains(transactional, method.Sel.Name) {
			return true
		}
		for _, arg := range call.Args {
			work, ok := arg.(*ast.FuncLit)
			if !ok {
				continue
			}
			own := paramNames(work.Type, func(ast.Expr) bool { return true })
			ast.Inspect(work.Body, func(n ast.Node) bool {
				if name, ok := n.(*ast.Ident); ok && slices.Contains(outbound, name.Name) && !slices.Contains(own, name.Name) {
					found = append(found, fmt.Sprintf("%s: the work of %s uses %s, which may call third parties", s.at(n.Pos()), method.Sel.Name, name.Name))
				}
				return true
			})
		}
		return true
	})
	return found
}

// outboundNames returns the names of f's parameters and variables of type Outbound.
func outboundNames(f *ast.FuncDecl) []string {
	names := paramNames(f.Type, isOutbound)
	ast.Inspect(f.Body, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.FuncLit:
			names = append(names, paramNames(n.Type, isOutbound)...)
		case *ast.AssignStmt:
			if to, ok := n.Lhs[0].(*ast.Ident); ok && derivesOutbound(n.Rhs[0], names) {
				names = append(names, to.Name)
			}
		}
		return true
	})
	return names
}

// derivesOutbound reports whether an expression is like ctx.WithTimeout(…) with a ctx among names.
func derivesOutbound(e ast.Expr, names []string) bool {
	call, ok := e.(*ast.CallExpr)
	if !ok {
		return false
	}
	method, ok := call.Fun.(*ast.SelectorExpr)
	if !ok || !strings.HasPrefix(method.Sel.Name, "With") {
		return false
	}
	of, ok := method.X.(*ast.Ident)
	return ok && slices.Contains(names, of.Name)
}

func isOutbound(t ast.Expr) bool {
	sel, ok := t.(*ast.SelectorExpr)
	return ok && sel.Sel.Name == "Outbound"
}

func paramNames(f *ast.FuncType, wanted func(ast.Expr) bool) (names []string) {
	for _, field := range f.Params.List {
		if !wanted(field.Type) {
			continue
		}
		for _, name := range field.Names {
			names = append(names, name.Name)
		}
	}
	return names
}
