package spelling

import "math/bits"

// weight is a part of a distance, in twentieths of an ordinary error.
type weight int

// Weights of errors. Typical errors are swapped neighbours (printre), missing or repeated double letters (jaket, cammera), wrong
// vowels (moniter), consonants of similar sound (labtop), missing vowels (wirless), and neighbouring keys (keyboatd). Errors in
// the first letter are rare. The order of these weights matters more than their exact values.
const (
	ordinary = 20
	doubling = 10 // a letter twice instead of once, or once instead of twice
	vowelOut = 12 // a vowel too many or too few
	vowels   = 13 // one vowel for another
	swapping = 14 // two neighbouring letters in the wrong order
	alike    = 15 // a consonant of similar sound, or a neighbouring key
	first    = 10 // added if the first letter is affected

	tooFar weight = 1000
)

// furthest returns the greatest distance of a suggestion for a word of so many runes. It allows any single error. Of two errors,
// at least one must be of a likelier kind; in short words, which have more neighbours with other meanings, both must.
func furthest(count int) weight {
	if count < 8 {
		return max(2*alike, ordinary+first)
	}
	return ordinary + alike
}

// lacks reports whether more letters are missing in another word than there may be errors.
func (s *spelled) lacks(other *spelled, errors int) bool {
	return bits.OnesCount64(s.kinds&^other.kinds) > errors
}

// distanceOf returns the least total weight of at most so many errors that turn one word into the other, or tooFar. It is
// symmetric.
func distanceOf(a, b []rune, errors int) weight {
	return comparison{a, b}.from(0, 0, errors)
}

type comparison struct{ a, b []rune }

// from compares the rest after i letters of a and j of b. It pairs equal letters greedily, which never takes more errors than
// another alignment. This moves an error in a run of the same letter to the run's end, where it is recognized as a doubling.
func (c comparison) from(i, j, errors int) weight {
	for i < len(c.a) && j < len(c.b) && c.a[i] == c.b[j] {
		i, j = i+1, j+1
	}
	left, right := len(c.a)-i, len(c.b)-j
	if left == 0 && right == 0 {
		return 0
	}
	if errors == 0 || left-right > errors || right-left > errors {
		return tooFar
	}
	best := tooFar
	if left > 0 && right > 0 {
		best = changed(c.a[i], c.b[j], i == 0 || j == 0) + c.from(i+1, j+1, errors-1)
	}
	if left > 1 && right > 1 && c.a[i] == c.b[j+1] && c.a[i+1] == c.b[j] {
		best = min(best, swapped(i == 0 || j == 0)+c.from(i+2, j+2, errors-1))
	}
	if left > 0 {
		best = min(best, added(c.a, i)+c.from(i+1, j, errors-1))
	}
	if right > 0 {
		best = min(best, added(c.b, j)+c.from(i, j+1, errors-1))
	}
	return min(best, tooFar)
}

// changed returns the weight of replacing one letter by another.
func changed(a, b rune, atFirst bool) weight {
	w := weight(ordinary)
	if plain(a) && plain(b) {
		w = weight(changes[a-'a'][b-'a'])
	}
	if atFirst {
		w += first
	}
	return w
}

func swapped(atFirst bool) weight {
	if atFirst {
		return swapping + first
	}
	return swapping
}

// added returns the weight of a letter that the other word does not have.
func added(word []rune, i int) weight {
	switch r := word[i]; {
	case i > 0 && word[i-1] == r:
		return doubling
	case i == 0 && vowel(r):
		return vowelOut + first
	case i == 0:
		return ordinary + first
	case vowel(r):
		return vowelOut
	}
	return ordinary
}

func plain(r rune) bool { return 'a' <= r && r <= 'z' }

func vowel(r rune) bool {
	switch r {
	case 'a', 'e', 'i', 'o', 'u', 'y':
		return true
	}
	return false
}

// changes has the weights of replacing any letter by any other.
var changes = func() (table [26][26]uint8) {
	for a := range table {
		for b := range table {
			table[a][b] = ordinary
		}
	}
	set := func(a, b byte, w uint8) {
		table[a-'a'][b-'a'] = min(table[a-'a'][b-'a'], w)
		table[b-'a'][a-'a'] = table[a-'a'][b-'a']
	}
	pairs := func(group string, w uint8) {
		for i := range group {
			for j := range i {
				set(group[i], group[j], w)
			}
		}
	}
	for _, group := range []string{"ckq", "cs", "sz", "xz", "xs", "gj", "bp", "dt", "fv", "vw", "mn"} {
		pairs(group, alike)
	}
	pairs("aeiouy", vowels)
	keyboard(func(a, b byte) { set(a, b, alike) })
	return table
}()

// keyboard calls touch with all pairs of neighbouring keys of a QWERTY keyboard. Each row starts half a key to the right of the
// one above it.
func keyboard(touch func(a, b byte)) {
	rows := []string{"qwertyuiop", "asdfghjkl", "zxcvbnm"}
	for n, row := range rows {
		for i := range row {
			if i > 0 {
				touch(row[i-1], row[i])
			}
			if n > 0 {
				touch(rows[n-1][i], row[i])
				touch(rows[n-1][i+1], row[i])
			}
		}
	}
}
