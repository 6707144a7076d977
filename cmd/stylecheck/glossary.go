package main

import (
	"bufio"
	"os"
	"path/filepath"
	"regexp"
)

// glossaryFile is from the module's root.
const glossaryFile = "domain/README.md"

// carrier is the second column of a row of the glossary.
var carrier = regexp.MustCompile("^\\|[^|]+\\| `([a-z]+)\\.([A-Za-z]+)` \\|")

// glossary finds rows of the glossary whose identifier is not declared. Rows are judged once, with the folder of the glossary.
func glossary(all []*pkg) []finding {
	declares := map[string]map[string]bool{} // by the last part of the folder
	for _, p := range all {
		if declares[p.name()] == nil {
			declares[p.name()] = map[string]bool{}
		}
		for _, f := range p.files {
			if !f.test {
				topNames(f.ast, func(name string) { declares[p.name()][name] = true })
			}
		}
	}
	file, err := os.Open(filepath.Join(all[0].root, glossaryFile))
	if err != nil {
		return []finding{{file: glossaryFile, text: err.Error()}}
	}
	defer file.Close()
	var found []finding
	lines := bufio.NewScanner(file)
	for line := 1; lines.Scan(); line++ {
		row := carrier.FindStringSubmatch(lines.Text())
		if row != nil && !declares[row[1]][row[2]] {
			found = append(found, finding{
				file: glossaryFile,
				line: line,
				text: row[1] + "." + row[2] + " is not declared",
			})
		}
	}
	return found
}
