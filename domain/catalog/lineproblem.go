package catalog

import (
	"fmt"
	"strconv"
	"strings"
	"unicode/utf8"
)

// LineProblem is a problem with a line of a product file.
type LineProblem struct {
	Line    int    // of the file, from 1
	SKU     string // as written; "": not known
	Field   string // the column, or the path in JSON; "": the line as a whole
	Value   string // as written, shortened; "": none
	Message string // a predicate: "is not a decimal number; write 12.50"
}

// longestShown is the largest length of a shown value, in bytes.
const longestShown = 100

// Shown shortens a value for a LineProblem and replaces invalid UTF-8 by U+FFFD.
func Shown(value string) string {
	value = strings.ToValidUTF8(value, "\ufffd")
	if len(value) <= longestShown {
		return value
	}
	cut := longestShown
	for !utf8.RuneStart(value[cut]) {
		cut--
	}
	return value[:cut] + "…"
}

// String returns the problem with its line: `line 6 (sku TENT-2): price "12,50" is not a decimal number; write 12.50`.
func (p LineProblem) String() string {
	var at strings.Builder
	fmt.Fprintf(&at, "line %d", p.Line)
	if p.SKU != "" {
		fmt.Fprintf(&at, " (sku %s)", Shown(p.SKU))
	}
	if p.Field == "" {
		return at.String() + " " + p.Message
	}
	return at.String() + ": " + p.Says()
}

// Says returns the problem without its line: `price "12,50" is not a decimal number; write 12.50`.
func (p LineProblem) Says() string {
	switch {
	case p.Field == "":
		return p.Message
	case p.Value == "":
		return p.Field + " " + p.Message
	}
	return p.Field + " " + strconv.Quote(p.Value) + " " + p.Message
}

// kind is equal for problems that differ only in their lines and values.
func (p LineProblem) kind() string {
	message, _, _ := strings.Cut(p.Message, ";")
	message = strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, message)
	return p.Field + "\x00" + message
}

const (
	// mostAlike is the largest number of problems per kind in a ProblemList, and mostKinds that of kinds.
	mostAlike = 10
	mostKinds = 100
)

// ProblemList summarizes problems: it keeps the first ten of each kind and counts the others.
type ProblemList struct {
	Kinds []ProblemKind // in the order of their first problems
	Other int           // problems of further kinds
	at    map[string]int
}

// ProblemKind has problems that differ only in their lines and values.
type ProblemKind struct {
	First []LineProblem
	More  int // beyond those
}

// Add counts a problem.
func (l *ProblemList) Add(p LineProblem) {
	kind := p.kind()
	i, known := l.at[kind]
	switch {
	case known && len(l.Kinds[i].First) < mostAlike:
		l.Kinds[i].First = append(l.Kinds[i].First, p)
	case known:
		l.Kinds[i].More++
	case len(l.Kinds) < mostKinds:
		if l.at == nil {
			l.at = map[string]int{}
		}
		l.at[kind] = len(l.Kinds)
		l.Kinds = append(l.Kinds, ProblemKind{First: []LineProblem{p}})
	default:
		l.Other++
	}
}

// Lines returns the problems as text, one per line.
func (l *ProblemList) Lines() (all []string) {
	for _, kind := range l.Kinds {
		for _, p := range kind.First {
			all = append(all, p.String())
		}
		if kind.More > 0 {
			all = append(all, fmt.Sprintf("… and %d more like this", kind.More))
		}
	}
	if l.Other > 0 {
		all = append(all, fmt.Sprintf("… and %d other problems", l.Other))
	}
	return all
}
