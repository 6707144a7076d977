package history

import (
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/haggle-commerce/haggle/domain/id"
)

// A mark in a text is a byte with its kind, its content, and an end byte. Texts of the store have no such bytes.
const (
	markName    = '\x01' // P, A or M
	markID      = '\x02' // sess_1z: the 72nd session
	markTime    = '\x03' // 12z or 12z.: milliseconds before the end, as RFC 3339 without and with a fraction
	markMillis  = '\x04' // the same, as a number
	markDate    = '\x05' // and as a date
	markDerived = '\x06' // 1z: the name of the 72nd session's negotiation
	markEnd     = '\x07'
	base        = 36
)

// hashes are numbered as ids are: of the addresses of buyers, under the key of an installation, and of what they paid with.
const (
	hashes     = "hash_"
	hashLength = 64
)

// marker replaces ids, times and names, which differ between installations, by marks.
type marker struct {
	names   map[string]string // of the project and its owner
	ids     map[string]string // mark by id
	kinds   []string          // prefixes in the order in which they were met
	counts  map[string]int
	derived map[string]string // session by the name of its negotiation
	until   time.Time
	from    time.Time // nothing is older
}

var marked = regexp.MustCompile(`\b[0-9a-f]{64}\b|[a-z]+_[0-9a-hjkmnp-tv-z]{26}|[0-9]{4}-[0-9]{2}-[0-9]{2}(T[0-9]{2}:[0-9]{2}:[0-9]{2}(\.[0-9]+)?Z)?|[0-9]{13,}`)

// text puts marks into a text.
func (m *marker) text(text string) (string, error) {
	if i := strings.IndexFunc(text, func(r rune) bool { return r >= markName && r <= markEnd }); i >= 0 {
		return "", fmt.Errorf("%.60q has a control character", text)
	}
	var failed error
	replaced := marked.ReplaceAllStringFunc(text, func(found string) string {
		mark, err := m.found(found)
		if err != nil && failed == nil {
			failed = fmt.Errorf("%.200q: %w", text, err)
		}
		return mark
	})
	return replaced, failed
}

func (m *marker) found(text string) (string, error) {
	switch {
	case len(text) == hashLength && !strings.Contains(text, "_"):
		return m.number(hashes, text), nil
	case strings.Contains(text, "_"):
		return m.id(text), nil
	case strings.Contains(text, "T"):
		return m.time(text)
	case strings.Contains(text, "-"):
		at, err := time.Parse(time.DateOnly, text)
		if err != nil || at.Year() != m.until.Year() {
			return text, nil // a release of a protocol, or no date
		}
		return string(markDate) + m.before(at) + string(markEnd), nil
	}
	n, err := strconv.ParseInt(text, 10, 64)
	if at := time.UnixMilli(n); err == nil && m.within(at) {
		return string(markMillis) + m.before(at) + string(markEnd), nil
	}
	return text, nil
}

func (m *marker) id(text string) string {
	if name, ok := m.names[text]; ok {
		return string(markName) + name + string(markEnd)
	}
	if session, ok := m.derived[text]; ok {
		_, number, _ := strings.Cut(strings.Trim(m.id(session), string(markEnd)), "_")
		return string(markDerived) + number + string(markEnd)
	}
	kind := text[:strings.LastIndex(text, "_")+1]
	if kind == "sess_" {
		m.derived[id.NegotiationOf(id.Stored[id.Session](text)).String()] = text
	}
	return m.number(kind, text)
}

// number numbers an id or a hash, which Load draws anew.
func (m *marker) number(kind, text string) string {
	if mark, ok := m.ids[text]; ok {
		return mark
	}
	if m.counts[kind] == 0 {
		m.kinds = append(m.kinds, kind)
	}
	mark := string(markID) + kind + strconv.FormatInt(int64(m.counts[kind]), base) + string(markEnd)
	m.counts[kind]++
	m.ids[text] = mark
	return mark
}

func (m *marker) time(text string) (string, error) {
	at, err := time.Parse(time.RFC3339Nano, text)
	if err != nil {
		return text, err
	}
	if !m.within(at) {
		return text, fmt.Errorf("the time %s is not of the history", text)
	}
	fraction := ""
	if strings.Contains(text, ".") {
		fraction = "."
	}
	if again := format(at, fraction != ""); again != text {
		return text, fmt.Errorf("the time %s would be read as %s", text, again)
	}
	return string(markTime) + m.before(at) + fraction + string(markEnd), nil
}

// within reports whether a time can belong to the history. Stored times, such as the ends of links, may lie some time
// ahead.
func (m *marker) within(at time.Time) bool {
	return !at.Before(m.from.AddDate(0, 0, -1)) && at.Before(m.until.AddDate(1, 0, 0))
}

func (m *marker) before(at time.Time) string {
	return strconv.FormatInt(m.until.Sub(at).Milliseconds(), base)
}

func format(at time.Time, fraction bool) string {
	if fraction {
		return at.UTC().Format(time.RFC3339Nano)
	}
	return at.UTC().Format(time.RFC3339)
}
