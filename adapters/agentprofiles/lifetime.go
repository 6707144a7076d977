package agentprofiles

import (
	"net/http"
	"strconv"
	"strings"
	"time"
)

// How long a profile is good, whatever its server says.
const shortest, longest = time.Minute, 24 * time.Hour

// lifetime is how long an answer may be kept: the max-age of its Cache-Control (RFC 9111, section 5.2.2.1), within bounds.
// Without one it is the least; so it is with no-store, which the protocol forbids.
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
		case digits != "" && strings.Trim(digits, "0123456789") == "": // too many to count
			return longest
		}
		return shortest
	}
	return shortest
}
