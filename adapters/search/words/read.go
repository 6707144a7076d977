package words

import "bytes"

// Kind is how a word was derived from a text.
type Kind uint8

const (
	Said      Kind = iota // as written; a number with its unit is one word (17in), and so is a size (8x10)
	Joined                // another reading: two words with a hyphen between, as one
	Number                // another reading: the number of a quantity, without its unit
	Side                  // another reading: a side of a size
	Character             // another reading: a character of a script without spaces
)

// Extra reports whether the word is another reading, which does not count in the length of a text.
func (k Kind) Extra() bool { return k != Said }

// Reader reads texts, one at a time. It reuses its memory.
type Reader struct {
	memory []byte
	pieces []piece
	made   []byte
}

// Read calls use with the words of a text in order, in lower case. word is valid until the next call; at is its offset in
// Even(text).
func (r *Reader) Read(text string, use func(word []byte, kind Kind, at int)) {
	r.scan(Even(text))
	for i := 0; i < len(r.pieces); {
		at := int(r.pieces[i].at)
		if r.pieces[i].paired {
			r.pairs(i, at, use)
			i++
			continue
		}
		if next := r.size(i, at, use); next > i {
			i = next
			continue
		}
		q, counted := r.quantity(i)
		switch {
		case !counted:
			r.plainWord(i, at, use)
			i++
		case q.unit == "":
			use(r.make(q.number), Said, at)
			r.joined(i, at, use)
			i = q.next
		default:
			use(r.make(q.number, q.unit), Said, at)
			use(r.make(q.number), Number, at)
			i = q.next
		}
	}
}

// text returns a piece in lower case.
func (r *Reader) text(i int) []byte { return r.memory[r.pieces[i].from:r.pieces[i].to] }

// make concatenates parts to a word.
func (r *Reader) make(parts ...string) []byte {
	r.made = r.made[:0]
	for _, part := range parts {
		r.made = append(r.made, part...)
	}
	return r.made
}

// plainWord passes a piece to use as it is. 24/7 is 24 and 7.
func (r *Reader) plainWord(i, at int, use func([]byte, Kind, int)) {
	text := r.text(i)
	for {
		first, rest, more := bytes.Cut(text, []byte("/"))
		if len(first) > 0 {
			use(first, Said, at)
		}
		if !more {
			break
		}
		text = rest
	}
	r.joined(i, at, use)
}

// joined passes a piece and the one it is tied to as one word: wi-fi is also wifi.
func (r *Reader) joined(i, at int, use func([]byte, Kind, int)) {
	if r.pieces[i].tied {
		r.made = append(append(r.made[:0], r.text(i-1)...), r.text(i)...)
		use(r.made, Joined, at)
	}
}

const mostSides = 3

// size passes a size of two or three sides to use: 8x10, 8 x 10, 8 ft. by 10 ft. It returns the index of the piece after it, or i
// if there is no size.
func (r *Reader) size(i, at int, use func([]byte, Kind, int)) (next int) {
	var sides [mostSides]quantity
	n := 0
	if inside := r.inside(i); len(inside) > 1 && len(inside) <= mostSides {
		for _, number := range inside {
			sides[n] = quantity{number: number, next: i + 1}
			n++
		}
		if n > 0 && r.pieces[i].mark != 0 {
			r.unitOf(&sides[n-1])
		}
	} else {
		for at := i; n < mostSides; at = sides[n-1].next + 1 {
			q, counted := r.quantity(at)
			if !counted {
				break
			}
			sides[n] = q
			n++
			if !r.times(q.next) || !r.pieces[q.next].near && !r.pieces[q.next].tied {
				break
			}
		}
	}
	if n < 2 {
		return i
	}
	r.handOut(sides[:n], at, use)
	return sides[n-1].next
}

func (r *Reader) handOut(sides []quantity, at int, use func([]byte, Kind, int)) {
	r.made = r.made[:0]
	for i, side := range sides {
		if i > 0 {
			r.made = append(r.made, 'x')
		}
		r.made = append(r.made, side.number...)
	}
	use(r.made, Said, at)
	if len(sides) == mostSides { // 2x4x8 is also a 2x4, and 0.5x4x8 a 4x8
		use(r.make(sides[0].number, "x", sides[1].number), Side, at)
		use(r.make(sides[1].number, "x", sides[2].number), Side, at)
	}
	for _, side := range sides {
		use(r.make(side.number), Side, at)
		if side.unit != "" {
			use(r.make(side.number, side.unit), Side, at)
		}
	}
}

// inside returns the sides of a size that is written as one piece: 8x10, 2x4x8.
func (r *Reader) inside(i int) (sides []string) {
	text := r.text(i)
	if !digit(text[0]) || !bytes.ContainsRune(text, 'x') {
		return nil
	}
	for side := range bytes.SplitSeq(text, []byte("x")) {
		number := ""
		if len(side) > 0 && numberEnd(side) == len(side) {
			number = plain(side)
		}
		if number == "" {
			return nil
		}
		sides = append(sides, number)
	}
	return sides
}
