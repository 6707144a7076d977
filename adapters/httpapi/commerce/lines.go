package commerce

import (
	"strconv"
	"strings"
)

// linePrefix is the prefix of line ids: li_1, li_2.
const linePrefix = "li_"

// LineID returns the id of a line of a cart.
func LineID(line int) string { return linePrefix + strconv.Itoa(line) }

// ParseLine parses an id that LineID wrote. It returns 0 for "", and false for any other text, which names a line that no cart has.
func ParseLine(text string) (line int, ok bool) {
	if text == "" {
		return 0, true
	}
	line, err := strconv.Atoi(strings.TrimPrefix(text, linePrefix))
	if err != nil || line < 1 || LineID(line) != text {
		return 0, false
	}
	return line, true
}
