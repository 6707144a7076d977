package operation

import (
	"encoding/base64"
	"strconv"
	"strings"
	"time"
)

// FormatCursor encodes a place in a list as an opaque cursor: its time in milliseconds and the other parts of its key.
func FormatCursor(at time.Time, parts ...string) string {
	text := strconv.FormatInt(at.UnixMilli(), 10) + " " + strings.Join(parts, " ")
	return base64.RawURLEncoding.EncodeToString([]byte(text))
}

// ParseCursor parses a cursor with a time and n more parts.
func ParseCursor(text string, n int) (at time.Time, parts []string, ok bool) {
	plain, err := base64.RawURLEncoding.DecodeString(text)
	if err != nil {
		return at, nil, false
	}
	parts = strings.Split(string(plain), " ")
	ms, err := strconv.ParseInt(parts[0], 10, 64)
	if err != nil || ms < 0 || ms > latest.UnixMilli() || len(parts) != 1+n {
		return at, nil, false
	}
	return time.UnixMilli(ms), parts[1:], true
}

// latest is the last time that RFC 3339 can write.
var latest = time.Date(9999, time.December, 31, 23, 59, 59, 0, time.UTC)
