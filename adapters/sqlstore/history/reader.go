package history

import (
	"encoding/hex"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// reader replaces marks by ids and times.
type reader struct {
	names       map[string]string
	ids         map[string][]string // by kind, in their order
	from, until time.Time
	random      func([]byte)
}

// draw generates ids of a kind, or hashes. They sort like those of the history, because their first bits are a time in
// it.
func (r *reader) draw(kind string, n int) {
	list := make([]string, n)
	random := make([]byte, hashLength/2*n)
	r.random(random)
	r.ids[kind] = list
	if kind == hashes {
		for i := range list {
			list[i] = hex.EncodeToString(random[hashLength/2*i:][:hashLength/2])
		}
		return
	}
	span := r.until.Sub(r.from).Milliseconds()
	for i := range list {
		at := uint64(r.from.UnixMilli() + span*int64(i)/int64(n))
		bits := [16]byte{byte(at >> 40), byte(at >> 32), byte(at >> 24), byte(at >> 16), byte(at >> 8), byte(at)}
		copy(bits[6:], random[10*i:])
		_, body, _ := strings.Cut(id.New[id.Order](bits).String(), "_")
		list[i] = kind + body
	}
}

// field returns the value of a field of a row.
func (r *reader) field(text string) (any, error) {
	if text == "" {
		return nil, errors.New("a field is empty")
	}
	switch rest := text[1:]; text[0] {
	case '~':
		return nil, nil
	case '@':
		at, err := r.before(rest)
		return at.UnixMilli(), err
	case '#':
		return strconv.ParseInt(rest, 10, 64)
	case '=':
		return r.text(rest)
	}
	return nil, fmt.Errorf("the field %.20q is of no known type", text)
}

func (r *reader) before(text string) (time.Time, error) {
	n, err := strconv.ParseInt(text, base, 64)
	return r.until.Add(-time.Duration(n) * time.Millisecond).UTC(), err
}

// text fills in a text's marks.
func (r *reader) text(text string) (string, error) {
	if strings.IndexByte(text, '\\') >= 0 {
		text = unescape.Replace(text)
	}
	first := strings.IndexAny(text, "\x01\x02\x03\x04\x05\x06")
	if first < 0 {
		return text, nil
	}
	var filled strings.Builder
	filled.Grow(len(text) + 64)
	for first >= 0 {
		filled.WriteString(text[:first])
		end := strings.IndexByte(text[first:], markEnd)
		if end < 0 {
			return "", errors.New("a mark has no end")
		}
		value, err := r.mark(text[first], text[first+1:first+end])
		if err != nil {
			return "", err
		}
		filled.WriteString(value)
		text = text[first+end+1:]
		first = strings.IndexAny(text, "\x01\x02\x03\x04\x05\x06")
	}
	filled.WriteString(text)
	return filled.String(), nil
}

var unescape = strings.NewReplacer(`\\`, `\`, `\t`, "\t", `\n`, "\n")

func (r *reader) mark(kind byte, text string) (string, error) {
	switch kind {
	case markName:
		return r.names[text], nil
	case markID:
		prefix, number, _ := strings.Cut(text, "_")
		return r.id(prefix+"_", number)
	case markDerived:
		session, err := r.id("sess_", text)
		return id.NegotiationOf(id.Stored[id.Session](session)).String(), err
	}
	digits, fraction := strings.CutSuffix(text, ".")
	at, err := r.before(digits)
	switch kind {
	case markTime:
		return format(at, fraction), err
	case markDate:
		return at.Format(time.DateOnly), err
	}
	return strconv.FormatInt(at.UnixMilli(), 10), err
}

func (r *reader) id(kind, number string) (string, error) {
	n, err := strconv.ParseInt(number, base, 64)
	if err != nil || n < 0 || int(n) >= len(r.ids[kind]) {
		return "", fmt.Errorf("there is no %s%s", kind, number)
	}
	return r.ids[kind][n], nil
}
