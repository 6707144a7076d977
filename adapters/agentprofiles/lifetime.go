package agentprofiles

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// Bounds of a profile's lifetime, whatever its server says.
const shortest, longest = time.Minute, 24 * time.Hour

// lifetime returns how long a response may be cached: the max-age of its Cache-Control (RFC 9111, section 5.2.2.1), within
// bounds. Without max-age, or with no-store, which the protocol forbids, it is the shortest.
func lifetime(header http.Header) time.Duration {
	for _, directive := range strings.Split(strings.Join(header.Values("Cache-Control"), ","), ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(directive), "=")
		if !strings.EqualFold(name, "max-age") {
			continue
		}
		digits := strings.Trim(value, `"`)
		seconds, err := strconv.ParseUint(digits, 10, 31)
		switch {
		case err == nil:
			return min(max(time.Duration(seconds)*time.Second, shortest), longest)
		case digits != "" && strings.Trim(digits, "0123456789") == "": // too large for an integer
			return longest
		}
		return shortest
	}
	return shortest
}
