package negotiation_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"slices"
	"testing"

	"github.com/haggle-commerce/haggle/domain/negotiation"
)

// composites counts the values of a type that decision.go declares.
func composites(t *testing.T, of string) (n int) {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "decision.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range file.Decls {
		if general, ok := d.(*ast.GenDecl); !ok || general.Tok != token.VAR {
			continue
		}
		ast.Inspect(d, func(node ast.Node) bool {
			if literal, ok := node.(*ast.CompositeLit); ok {
				if name, ok := literal.Type.(*ast.Ident); ok && name.Name == of {
					n++
				}
			}
			return true
		})
	}
	return n
}

func TestOutcomes_oneForEachDecision(t *testing.T) {
	t.Parallel()
	var seen []negotiation.Outcome
	for _, d := range []negotiation.Decision{negotiation.Quoted{}, negotiation.Accepted{}, negotiation.Countered{}, negotiation.Rejected{}} {
		if slices.Contains(seen, d.Outcome()) {
			t.Errorf("%T has the outcome of another decision", d)
		}
		seen = append(seen, d.Outcome())
	}
	if !slices.Equal(seen, negotiation.Outcomes()) || len(seen) != composites(t, "Outcome") {
		t.Errorf("decisions have %v, Outcomes() is %v, and %d are declared", seen, negotiation.Outcomes(), composites(t, "Outcome"))
	}
}

func TestParseRule(t *testing.T) {
	t.Parallel()
	if got, want := len(negotiation.Rules()), composites(t, "Rule"); got != want {
		t.Errorf("Rules() has %d of %d", got, want)
	}
	for _, r := range negotiation.Rules() {
		if got, known := negotiation.ParseRule(r.String()); !known || got != r {
			t.Errorf("%s is read as %v, %t", r, got, known)
		}
	}
	for _, unknown := range []string{"", "No_offer", "no_offer ", "quoted"} {
		if _, known := negotiation.ParseRule(unknown); known {
			t.Errorf("%q is a rule", unknown)
		}
	}
}
