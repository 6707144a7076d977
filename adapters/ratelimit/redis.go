package ratelimit

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/url"
	"runtime"
	"time"

	"github.com/go-redis/redis_rate/v10"
	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"
	"github.com/redis/go-redis/v9/maintnotifications"

	"github.com/haggle-commerce/haggle/ports"
)

// Timeouts of Redis, unless the URL has others (?read_timeout=1s).
const (
	dialTimeout = 200 * time.Millisecond
	callTimeout = 100 * time.Millisecond // also for a free connection
)

// shared counts in Redis, together with every process that uses the same Redis database. The keys begin with haggle:rate:,
// and time is that of Redis' clock.
type shared struct {
	client *redis.Client
	rates  *redis_rate.Limiter
}

func newShared(address string) (*shared, error) {
	client, err := newClient(address)
	if err != nil {
		return nil, err
	}
	return &shared{client, redis_rate.NewLimiter(prefixed{client})}, nil
}

func newClient(address string) (*redis.Client, error) {
	logging.Disable() // the client logs a line per connection: Limiter logs the change only
	if u, err := url.Parse(address); err == nil && u.Query().Has("master_name") {
		return newSentinelClient(address)
	}
	o, err := redis.ParseURL(address)
	if err != nil {
		return nil, refusedURL(err)
	}
	o.DialTimeout = cmp.Or(o.DialTimeout, dialTimeout)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, callTimeout)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, callTimeout)
	o.PoolTimeout = cmp.Or(o.PoolTimeout, callTimeout)
	o.PoolSize = cmp.Or(o.PoolSize, 10*runtime.GOMAXPROCS(0))
	o.MaxActiveConns = cmp.Or(o.MaxActiveConns, o.PoolSize)
	o.MaxRetries = -1 // a retry could count a request twice
	o.DialerRetries = 1
	o.PipelinePoolSize = -1
	o.DisableIdentity = true
	o.MaintNotificationsConfig = &maintnotifications.Config{Mode: maintnotifications.ModeDisabled}
	return redis.NewClient(o), nil
}

// newSentinelClient returns a client of the primary that the sentinels name (go-redis v9.23.0, ParseFailoverURL, read
// 2026-11-27).
func newSentinelClient(address string) (*redis.Client, error) {
	o, err := redis.ParseFailoverURL(address)
	if err == nil && o.MasterName == "" {
		err = errors.New("master_name is empty")
	}
	if err == nil && (o.RouteByLatency || o.RouteRandomly || o.ReplicaOnly) {
		err = errors.New("requests are counted by the primary alone, not by replicas")
	}
	if err != nil {
		return nil, refusedURL(err)
	}
	o.DialTimeout = cmp.Or(o.DialTimeout, dialTimeout)
	o.ReadTimeout = cmp.Or(o.ReadTimeout, callTimeout)
	o.WriteTimeout = cmp.Or(o.WriteTimeout, callTimeout)
	o.PoolTimeout = cmp.Or(o.PoolTimeout, callTimeout)
	o.PoolSize = cmp.Or(o.PoolSize, 10*runtime.GOMAXPROCS(0))
	o.MaxActiveConns = cmp.Or(o.MaxActiveConns, o.PoolSize)
	o.MaxRetries = -1
	o.DialerRetries = 1
	o.PipelinePoolSize = -1
	o.DisableIdentity = true
	return redis.NewFailoverClient(o), nil
}

// refusedURL returns the error for an invalid URL. It does not quote the URL, which may contain a password.
func refusedURL(err error) error {
	if syntax := new(url.Error); errors.As(err, &syntax) {
		err = errors.New("it is not a URL")
	}
	return fmt.Errorf("it must be redis://[user:password@]host:port/database, rediss://…, unix:///path, or with Sentinel "+
		"redis://sentinel1:26379/database?master_name=NAME&addr=sentinel2:26379&password=…: %w", err)
}

// count counts n requests of the key, which may be 0, in one round trip. The client's timeouts bound its time even if ctx has
// no deadline.
func (s *shared) count(ctx context.Context, key string, r ports.Rate, n int) (ports.Verdict, error) {
	limit := redis_rate.Limit{
		Rate:   r.PerMinute,
		Burst:  r.Burst,
		Period: time.Minute,
	}
	result, err := s.rates.AllowN(ctx, name(key, r), limit, min(n, r.Burst))
	if err != nil {
		return ports.Verdict{}, err
	}
	v := ports.Verdict{
		Allowed:   result.Allowed > 0,
		Limit:     r.Burst,
		Remaining: min(max(result.Remaining, 0), r.Burst),
		Reset:     max(result.ResetAfter, 0),
	}
	wait := result.RetryAfter
	if n == 0 {
		rested := time.Minute * time.Duration(r.Burst-1) / time.Duration(r.PerMinute) // except for one request
		v.Allowed, wait = v.Remaining > 0, max(v.Reset-rested, 0)
	}
	if !v.Allowed {
		// Redis calculates in floating point and whole microseconds: one more millisecond is enough.
		v.RetryAfter = wait + time.Millisecond
	}
	return v, nil
}

// prefixed adds the prefix "haggle:" to the keys of redis_rate, which begin with "rate:".
type prefixed struct{ *redis.Client }

func (p prefixed) EvalSha(ctx context.Context, sha string, keys []string, args ...any) *redis.Cmd {
	return p.Client.EvalSha(ctx, sha, withPrefix(keys), args...)
}

func (p prefixed) Eval(ctx context.Context, script string, keys []string, args ...any) *redis.Cmd {
	return p.Client.Eval(ctx, script, withPrefix(keys), args...)
}

func withPrefix(keys []string) []string {
	named := make([]string, len(keys))
	for i, key := range keys {
		named[i] = "haggle:" + key
	}
	return named
}
