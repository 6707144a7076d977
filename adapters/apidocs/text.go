package apidocs

import (
	"regexp"
	"strings"
)

// block is a paragraph, a list or a table of a description. Descriptions use only these parts of Markdown.
type block struct {
	Words []word     // a paragraph
	Items [][]word   // or a list
	Head  [][]word   // or a table
	Rows  [][][]word // of it
}

// word is a run of text, or code.
type word struct {
	Text string
	Code bool
}

// textOf parses a description.
func textOf(text string) []block {
	var blocks []block
	for part := range strings.SplitSeq(text, "\n\n") {
		lines := strings.Split(strings.TrimSpace(part), "\n")
		switch {
		case lines[0] == "":
		case strings.HasPrefix(lines[0], "| "):
			blocks = append(blocks, tableOf(lines))
		case strings.HasPrefix(lines[0], "- "):
			var b block
			for _, line := range lines {
				b.Items = append(b.Items, wordsOf(strings.TrimPrefix(line, "- ")))
			}
			blocks = append(blocks, b)
		default:
			blocks = append(blocks, block{Words: wordsOf(strings.Join(lines, " "))})
		}
	}
	return blocks
}

func tableOf(lines []string) block {
	var b block
	for i, line := range lines {
		var cells [][]word
		for cell := range strings.SplitSeq(strings.Trim(line, "| "), "|") {
			cells = append(cells, wordsOf(strings.TrimSpace(cell)))
		}
		switch i {
		case 0:
			b.Head = cells
		case 1: // the line under the head
		default:
			b.Rows = append(b.Rows, cells)
		}
	}
	return b
}

// identifier matches a name of the API within text: it has an underscore.
var identifier = regexp.MustCompile(`\b[a-z0-9]+(?:_[a-z0-9]+)+\b`)

// wordsOf splits a line into text and code. Code is between back quotes, or an identifier.
func wordsOf(text string) []word {
	var words []word
	for i, part := range strings.Split(text, "`") {
		switch {
		case part == "":
		case i%2 == 1:
			words = append(words, word{part, true})
		default:
			at := 0
			for _, found := range identifier.FindAllStringIndex(part, -1) {
				words = append(words, word{part[at:found[0]], false}, word{part[found[0]:found[1]], true})
				at = found[1]
			}
			words = append(words, word{part[at:], false})
		}
	}
	return words
}
