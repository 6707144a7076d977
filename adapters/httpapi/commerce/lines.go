package commerce

import (
	"strconv"
	"strings"
)

// linePrefix begins the name of a line: li_1, li_2.
const linePrefix = "li_"

// LineID is the name of a line of a cart.
func LineID(line int) string { return linePrefix + strconv.Itoa(line) }

// ParseLine reads what LineID wrote; 0 for "". Whatever else names a line that no cart has, which is not ok.
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
