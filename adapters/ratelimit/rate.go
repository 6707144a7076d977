package ratelimit

import (
	"errors"
	"strconv"
	"strings"

	"github.com/haggle-commerce/haggle/ports"
)

// most bounds both numbers of a rate. It is far more than a process can serve.
const most = 1_000_000

var errNoRate = errors.New("it must be REQUESTS_PER_MINUTE/BURST, each from 1 to 1000000, such as 600/900; or off")

// ParseRate parses "600/900": requests per minute, and the burst. "off" means no limit.
func ParseRate(text string) (r ports.Rate, off bool, err error) {
	text = strings.TrimSpace(text)
	if text == "off" {
		return ports.Rate{}, true, nil
	}
	perMinute, burst, _ := strings.Cut(text, "/")
	if r.PerMinute, err = strconv.Atoi(perMinute); err == nil {
		r.Burst, err = strconv.Atoi(burst)
	}
	if err != nil || r != bounded(r) {
		return ports.Rate{}, false, errNoRate
	}
	return r, false, nil
}

func bounded(r ports.Rate) ports.Rate {
	return ports.Rate{PerMinute: min(max(r.PerMinute, 1), most), Burst: min(max(r.Burst, 1), most)}
}

// share returns the rate of one of n limiters that count separately: at least one request a minute.
func share(r ports.Rate, n int) ports.Rate {
	return ports.Rate{PerMinute: (r.PerMinute + n - 1) / n, Burst: (r.Burst + n - 1) / n}
}

// name returns a name for the count of a key under a rate, because each rate has its own count.
func name(key string, r ports.Rate) string {
	var room [96]byte
	text := strconv.AppendInt(room[:0], int64(r.PerMinute), 10)
	text = append(text, '/')
	text = strconv.AppendInt(text, int64(r.Burst), 10)
	text = append(text, ':')
	return string(append(text, key...))
}
