package spelling

import (
	"math/bits"
	"slices"
)

// If two words are near to each other, deleting up to two letters from their beginnings can leave the same remainder. A beginning
// of seven letters distinguishes words well enough, and has 29 remainders.
const (
	beginning  = 7
	remainders = 1 + beginning + beginning*(beginning-1)/2
)

// deletes finds the words that have a remainder in common with a given word, and a few more because of hash collisions. An entry
// is a word's number in the lower bits, and part of the remainder's hash in the upper ones. Entries are grouped by other bits of
// the hash.
type deletes struct {
	entries []uint32
	ends    []uint32 // by group, in entries; the first one belongs to no group
	shift   int      // from hash to group
	number  uint32   // mask of the word's number in an entry
}

func newDeletes(n int, at func(int) string) *deletes {
	d := &deletes{number: 1<<bits.Len(uint(n)) - 1}
	groups := bits.Len(uint(n)) + 1 // as a power of two; about eight entries each
	d.shift = 64 - groups
	d.ends = make([]uint32, 1<<groups+1)
	each(n, at, func(_ uint32, hash uint64) { d.ends[d.group(hash)+1]++ })
	for i := 1; i < len(d.ends); i++ {
		d.ends[i] += d.ends[i-1]
	}
	d.entries = make([]uint32, d.ends[len(d.ends)-1])
	// While entries are added, ends has the position of the next entry of each group.
	each(n, at, func(word uint32, hash uint64) {
		group := d.group(hash)
		d.entries[d.ends[group]] = d.check(hash) | word
		d.ends[group]++
	})
	copy(d.ends[1:], d.ends)
	d.ends[0] = 0
	return d
}

func (d *deletes) group(hash uint64) uint64 { return hash >> d.shift }

func (d *deletes) check(hash uint64) uint32 { return uint32(hash) &^ d.number }

// each calls use with the hashes of every word that can be suggested.
func each(n int, at func(int) string, use func(word uint32, hash uint64)) {
	var hashes [remainders]uint64
	for i := range n {
		var s spelled
		if !s.read(at(i), longest) || s.count < shortestKnown {
			continue
		}
		most := errorsIn(s.count)
		if s.count == shortestKnown {
			most = 0 // only a word of one letter more is written for it
		}
		for _, hash := range remaindersOf(&s, most, &hashes) {
			use(uint32(i), hash)
		}
	}
}

// candidates appends the numbers of words that may be near, sorted and distinct. It gives up if the table has more than most,
// duplicates included.
func (d *deletes) candidates(asked *spelled, found []uint32, most int) (_ []uint32, few bool) {
	var hashes [remainders]uint64
	for _, hash := range remaindersOf(asked, errorsIn(asked.count), &hashes) {
		group, check := d.group(hash), d.check(hash)
		for _, entry := range d.entries[d.ends[group]:d.ends[group+1]] {
			if entry&^d.number == check {
				found = append(found, entry&d.number)
			}
		}
		if len(found) > most {
			return nil, false
		}
	}
	slices.Sort(found)
	return slices.Compact(found), true
}

// remaindersOf returns the hashes of the remainders of a word's beginning after deleting at most so many letters. Of equal
// neighbouring letters it deletes only the first ones, because the others would leave the same remainder.
func remaindersOf(s *spelled, most int, into *[remainders]uint64) []uint64 {
	letters := s.runes[:min(s.count, beginning)]
	list := append(into[:0], hashOf(letters, -1, -1))
	for i := 0; i < len(letters) && most > 0; i++ {
		if i > 0 && letters[i] == letters[i-1] {
			continue
		}
		list = append(list, hashOf(letters, i, -1))
		for j := i + 1; j < len(letters) && most > 1; j++ {
			if j == i+1 || letters[j] != letters[j-1] {
				list = append(list, hashOf(letters, i, j))
			}
		}
	}
	return list
}

// hashOf returns the FNV-1a hash of all letters but two. It mixes the bits, because the high bits of FNV are poor.
func hashOf(letters []rune, without, and int) uint64 {
	hash := uint64(14695981039346656037)
	for i, r := range letters {
		if i != without && i != and {
			hash = (hash ^ uint64(r)) * 1099511628211
		}
	}
	hash ^= hash >> 32
	hash *= 0x9e3779b97f4a7c15
	return hash ^ hash>>29
}
