package fault

import (
	"strings"
	"unicode/utf8"
)

// longestNamed is the largest length of the texts that Nearest compares.
const longestNamed = 60

// Nearest returns the known value that was probably meant by an unknown one, or "": the value that differs in the
// fewest letters, at most in a third of them. Case, spaces, hyphens and underscores do not count.
func Nearest(meant string, known []string) string {
	meant = plainName(meant)
	if n := utf8.RuneCountInString(meant); n == 0 || n > longestNamed {
		return ""
	}
	best, least := "", max(utf8.RuneCountInString(meant)/3, 1)+1
	for _, k := range known {
		if d := distance([]rune(meant), []rune(plainName(k))); d < least {
			best, least = k, d
		}
	}
	return best
}

func plainName(text string) string {
	return strings.NewReplacer(" ", "", "-", "", "_", "").Replace(strings.ToLower(text))
}

// distance is the Levenshtein distance.
func distance(a, b []rune) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i, left := range a {
		diagonal := row[0]
		row[0] = i + 1
		for j, right := range b {
			change := diagonal
			if left != right {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
