package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
)

var (
	elsewhere = regexp.MustCompile(`\b(?:spec|decisions|design|decisions-interop) [0-9]{1,2}(?:\.[0-9]+)*\b`) // documents that the repository does not have
	cited     = regexp.MustCompile(`\b([A-Za-z0-9_/-]+\.md)#([A-Za-z0-9_-]+)`)
)

// citations finds comments that cite a document, or a heading of one, that is not in the module. Paths are from its root.
func citations(p *pkg) []finding {
	var found []finding
	for _, f := range p.files {
		for _, group := range f.ast.Comments {
			text := group.Text()
			for _, c := range elsewhere.FindAllString(text, -1) {
				found = append(found, p.at(f, group.Pos(), c+" is not in the repository"))
			}
			for _, c := range cited.FindAllStringSubmatch(text, -1) {
				if !headings(p.root, c[1])[c[2]] {
					found = append(found, p.at(f, group.Pos(), c[0]+": there is no such heading"))
				}
			}
		}
	}
	return found
}

var read sync.Map // path of a document: its headings

// headings returns the anchors of a document's headings, as GitHub makes them.
func headings(root, document string) map[string]bool {
	path := filepath.Join(root, document)
	if known, ok := read.Load(path); ok {
		return known.(map[string]bool)
	}
	anchors := map[string]bool{}
	text, _ := os.ReadFile(path) // a document that cannot be read has no headings
	for line := range strings.Lines(string(text)) {
		if title := strings.TrimLeft(line, "#"); title != line && strings.HasPrefix(title, " ") {
			anchors[anchor(title)] = true
		}
	}
	read.Store(path, anchors)
	return anchors
}

// anchor is a heading's text in small letters, with dashes for spaces and without other marks.
func anchor(title string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case r == '-' || r == '_' || r >= 'a' && r <= 'z' || r >= '0' && r <= '9':
			return r
		}
		return -1
	}, strings.ToLower(strings.TrimSpace(title)))
}
