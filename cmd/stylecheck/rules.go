package main

import (
	"go/ast"
	"regexp"
	"strings"
)

var rules = []rule{
	{
		name:    "identifier",
		instead: "use the field's word (domain/README.md)",
		most:    8,
		check:   each(identifiers),
	},
	{
		name:    "phrase",
		instead: "say who does it: subject, verb, object; a predicate \"reports whether\"",
		most:    0,
		check:   each(phrases),
	},
	{
		name:    "literal",
		instead: "one field a line in struct literals of three fields or more",
		most:    0,
		check:   each(literals),
	},
	{
		name:    "test name",
		instead: "TestType_Method_case or TestFunction_case, after an identifier of the package",
		most:    5,
		check:   each(testNames),
	},
	{
		name:    "operation",
		instead: "TestOperation_case, after an operationId of cmd/boot/testdata/openapi.yaml",
		most:    0,
		check:   each(operationTests),
	},
	{
		name:    "scenario",
		instead: "business words; requests and their bodies belong in features/*_api_test.go",
		most:    0,
		check:   scenarios,
	},
	{
		name:    "citation",
		instead: "cite a heading in the repository: features/PROTOCOL.md#quotes",
		most:    0,
		check:   each(citations),
	},
	{
		name:    "glossary",
		instead: "name an identifier that exists",
		most:    0,
		check:   glossary,
	},
}

// banned are the words that may not be part of an identifier, each with what to use.
var banned = map[string]string{
	"beside":   "with, together with, during",
	"bureau":   fixture,
	"copies":   "external records",
	"depot":    fixture,
	"desk":     fixture,
	"door":     "handler, entry, route",
	"doors":    "handlers, entries, routes",
	"doubt":    "uncertain",
	"drawer":   fixture,
	"ear":      "webhook handler",
	"hear":     "handle, receive",
	"heard":    "reported, received",
	"hears":    "handles, receives",
	"lab":      fixture,
	"office":   fixture,
	"standing": "loyalty, health, status: what it is",
	"taker":    "importer",
	"taking":   "import, reservation, revenue",
	"takings":  "revenue",
	"talk":     "negotiation, session, transcript",
	"tape":     fixture,
	"tell":     "notify, report, announce, distinguish",
	"tells":    "notifies, reports, announces, distinguishes",
	"till":     fixture,
	"told":     "notified, reported, announced",
	"town":     fixture,
	"turned":   "availability changed",
	"turns":    "availability changes",
	"unharmed": "retryable",
	"unseen":   "not seen in, missing",
	"whoever":  "caller, buyer, member",
}

// fixture is what tests call what stands in for others.
const fixture = "fake, stub, fixture: fakeGateway, stubIndex"

func identifiers(p *pkg) []finding {
	var found []finding
	for _, f := range p.files {
		declared(f.ast, func(name *ast.Ident) {
			for _, word := range words(name.Name) {
				if instead, ok := banned[word]; ok {
					found = append(found, p.at(f, name.Pos(), name.Name+": "+instead))
				}
			}
		})
	}
	return found
}

// words splits an identifier at its capital letters and underscores, in small letters.
func words(name string) []string {
	var all []string
	start := 0
	for i := 1; i <= len(name); i++ {
		end := i == len(name) || name[i] == '_' || upper(name[i]) && (!upper(name[i-1]) || i+1 < len(name) && !upper(name[i+1]) && name[i+1] != '_')
		if end {
			if word := strings.ToLower(strings.Trim(name[start:i], "_")); word != "" {
				all = append(all, word)
			}
			start = i
		}
	}
	return all
}

func upper(c byte) bool { return 'A' <= c && c <= 'Z' }

// listed are phrases that hide who does what, or that no reader searches for.
var listed = regexp.MustCompile(`(?i)\btells? whether\b|\bwhoever\b|\bbe it that\b|\bwhatever was\b|\b(?:is|are|was|were) (?:told|heard)\b|\b(?:is|are|was|were) taken (?:as|for|from|by|in|over|up|back|away)\b|\bof which (?:[a-z]+ ){0,3}(?:is|are|has|have|can|may)\b|, for (?:it|what|that|there|nobody|many|one|its|whoever|they|he|she|this|these|nothing|who) \b`)

// relative is a sentence whose subject is a relative clause.
var relative = regexp.MustCompile(`^(?:Who|What|Whoever|Whatever) [a-z][^?]*$`)

var sentenceEnd = regexp.MustCompile(`[.:;?!]\s+|\n\n`)

func phrases(p *pkg) []finding {
	var found []finding
	for _, f := range p.files {
		for _, group := range f.ast.Comments {
			text := strings.Join(strings.Fields(group.Text()), " ")
			for _, phrase := range listed.FindAllString(text, -1) {
				found = append(found, p.at(f, group.Pos(), phrase))
			}
			for _, sentence := range sentences(text) {
				if relative.MatchString(sentence) {
					found = append(found, p.at(f, group.Pos(), "a clause is the subject: "+sentence))
				}
			}
		}
	}
	return found
}

// sentences keeps the mark at the end of each.
func sentences(text string) []string {
	var all []string
	start := 0
	for _, end := range sentenceEnd.FindAllStringIndex(text, -1) {
		all = append(all, text[start:end[0]+1])
		start = end[1]
	}
	return append(all, text[start:])
}

// literals finds lines with three fields or more of a struct literal. The rows of a test's table may have them.
func literals(p *pkg) []finding {
	var found []finding
	for _, f := range p.files {
		rows := map[ast.Node]bool{}
		ast.Inspect(f.ast, func(n ast.Node) bool {
			literal, ok := n.(*ast.CompositeLit)
			if !ok {
				return true
			}
			for _, element := range literal.Elts {
				if pair, ok := element.(*ast.KeyValueExpr); ok {
					element = pair.Value
				}
				if row, ok := element.(*ast.CompositeLit); ok && row.Type == nil {
					rows[row] = true
				}
			}
			if f.test && rows[literal] {
				return true
			}
			fields := map[int]int{}
			for _, element := range literal.Elts {
				pair, ok := element.(*ast.KeyValueExpr)
				if !ok {
					continue
				}
				if _, ok := pair.Key.(*ast.Ident); ok {
					line := p.set.Position(pair.Pos()).Line
					if fields[line]++; fields[line] == 3 {
						found = append(found, p.at(f, pair.Pos(), "three fields of a struct literal on a line"))
					}
				}
			}
			return true
		})
	}
	return found
}
