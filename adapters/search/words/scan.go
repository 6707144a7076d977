package words

import (
	"unicode"
	"unicode/utf8"
)

// piece is a run of letters, digits and marks in a text.
type piece struct {
	from, to int32 // of its lower-case form, in the reader's memory
	at       int32 // its offset in the text
	tied     bool  // only a hyphen is between it and the previous piece
	near     bool  // only spaces, a hyphen or a point are between it and the previous piece
	mark     rune  // after digits: " or ' for inches or feet, % for percent
	paired   bool  // it is a run of characters of a script without spaces
}

// scan splits a text into pieces: "men's" becomes men, "o'neill" oneill, "t-shirt" t and shirt; "43.2", "1,000" and "3/4" are one
// piece each.
func (r *Reader) scan(text string) {
	r.memory, r.pieces = r.memory[:0], r.pieces[:0]
	for at, before := 0, 0; at < len(text); {
		c, size := utf8.DecodeRuneInString(text[at:])
		if c == '×' {
			r.memory = append(r.memory, 'x')
			r.pieces = append(r.pieces, piece{
				from: int32(len(r.memory) - 1),
				to:   int32(len(r.memory)),
				at:   int32(at),
				near: true,
			})
			at += size
			before = at
			continue
		}
		if !begins(c) && !pointed(text, at) {
			at += size
			continue
		}
		p := piece{from: int32(len(r.memory)), at: int32(at)}
		p.tied, p.near = between(text[before:at])
		if p.paired = paired(c); p.paired {
			p.tied = false
			at = r.run(text, at)
		} else {
			at = r.word(text, at, &p)
		}
		p.to = int32(len(r.memory))
		r.pieces = append(r.pieces, p)
		before = at
	}
	if len(r.pieces) > 0 {
		r.pieces[0].tied, r.pieces[0].near = false, false
	}
}

// word reads a piece into memory, and returns its end in the text.
func (r *Reader) word(text string, at int, p *piece) int {
	if text[at] == '.' { // .5
		r.memory = append(r.memory, '0', '.')
		at++
	}
	for at < len(text) {
		c, size := utf8.DecodeRuneInString(text[at:])
		switch {
		case paired(c):
			return at
		case inWord(c):
			r.memory = utf8.AppendRune(r.memory, unicode.ToLower(c))
		case c == '\'' || c == '’' || c == '′':
			if r.numeric(p) && !followed(text, at+size, 'x') {
				p.mark = '\''
				return at + size
			}
			if possessive(text[at+size:]) {
				return at + size + 1
			}
		case (c == '"' || c == '”' || c == '″') && r.numeric(p):
			p.mark = '"'
			return at + size
		case c == '%' && r.numeric(p):
			p.mark = '%'
			return at + size
		case c == '.' && inNumber(text, at), c == '/' && inNumber(text, at):
			r.memory = append(r.memory, byte(c))
		case c == ',' && thousands(text, at):
		default:
			return at
		}
		at += size
	}
	return at
}

// numeric reports whether the part of a piece that has been read is a number.
func (r *Reader) numeric(p *piece) bool {
	text := r.memory[p.from:]
	return len(text) > 0 && digit(text[0]) && digit(text[len(text)-1])
}

// between reports whether a gap ties two pieces, and whether they are near.
func between(gap string) (tied, near bool) {
	if gap == "-" || gap == "‑" {
		return true, true
	}
	for i := range len(gap) {
		if gap[i] != ' ' && gap[i] != '-' && gap[i] != '.' {
			return false, false
		}
	}
	return false, true
}

func inWord(r rune) bool {
	if r < utf8.RuneSelf {
		return 'a' <= r && r <= 'z' || '0' <= r && r <= '9' || 'A' <= r && r <= 'Z'
	}
	return unicode.IsLetter(r) || unicode.IsNumber(r) || unicode.IsMark(r)
}

// begins reports whether a word can begin with a rune: a mark needs a letter before it.
func begins(r rune) bool { return inWord(r) && (r < utf8.RuneSelf || !unicode.IsMark(r)) }

// possessive reports whether an apostrophe is followed by an s that ends the word.
func possessive(rest string) bool {
	if rest == "" || rest[0] != 's' && rest[0] != 'S' {
		return false
	}
	r, _ := utf8.DecodeRuneInString(rest[1:])
	return !inWord(r)
}

func followed(text string, at int, by byte) bool { return at < len(text) && text[at]|0x20 == by }

// pointed reports whether a point here starts a number: .5
func pointed(text string, at int) bool {
	return text[at] == '.' && at+1 < len(text) && digit(text[at+1]) && (at == 0 || text[at-1] == ' ' || text[at-1] == '(')
}

// inNumber reports whether a character is between two digits.
func inNumber(text string, at int) bool {
	return at > 0 && at+1 < len(text) && digit(text[at-1]) && digit(text[at+1])
}

// thousands reports whether a comma here groups the digits of a number: 1,000
func thousands(text string, at int) bool {
	if !inNumber(text, at) || at+3 >= len(text) || !digit(text[at+2]) || !digit(text[at+3]) {
		return false
	}
	return at+4 == len(text) || !digit(text[at+4])
}

func digit(b byte) bool { return '0' <= b && b <= '9' }
