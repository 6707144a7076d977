// Package agentprofiles fetches and caches the profiles that agents publish (UCP, "Profile Structure", "Fetching"): known
// ones from a file, all others from their addresses. Memory and request rates are bounded, however many agents there are.
// It neither authenticates nor authorizes agents.
//
// A profile whose host name has no public address gets the same error as an unreachable one, so that the error does not
// reveal names of the internal network.
package agentprofiles

import (
	"context"
	"errors"
	"io"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"time"

	lru "github.com/hashicorp/golang-lru/v2"
	"golang.org/x/sync/singleflight"
	"golang.org/x/time/rate"

	"github.com/haggle-commerce/haggle/app/bulkhead"
	"github.com/haggle-commerce/haggle/domain/agentid"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// The protocol's error codes of an unusable profile.
const (
	codeUnreachable = "profile_unreachable"
	codeMalformed   = "profile_malformed"
)

const (
	patience = 3 * time.Second // of one request for a profile

	mostKept   = 1_024    // profiles, and as many failures and renewed origins
	mostBytes  = 32 << 20 // of cached profiles, in bytes as received
	renewEvery = time.Minute

	firstPause, longestPause = 30 * time.Second, 10 * time.Minute // after failures in a row

	// Requests a second. One of them is reserved for profiles that were read before, so that made-up addresses cannot use
	// up the rate.
	perSecond, ofStrangers = 5, 4
	// One client uses at most half of the strangers' rate, however many addresses it makes up.
	ofClient = ofStrangers / 2

	mostClients = 4_096 // whose shares are counted, the most recent ones
	// mostFlights is how often a client with a share left tries again when the request that it waited for was refused because
	// of another client's share.
	mostFlights = 4
)

// waiting bounds how many callers wait for profiles. Hanging servers cannot fill it: at most 23 hang at a time.
var waiting = bulkhead.Shares{
	Places: 512,
	Tenant: 512,
	Target: 20,
}

// Config configures Profiles.
type Config struct {
	Client    *http.Client // delivery.SafeClient: it refuses private addresses, redirects and proxies
	UserAgent string
	// Addresses refuses URLs of a private network before a request is made. Client refuses names that resolve to one.
	Addresses ports.Addresses
	// Known maps URLs, which may be private, to profiles. They are never fetched.
	Known map[string]agentid.Profile
	// Trusting accepts a capability on whatever host its schema lies. It is for development, where addresses are not domains.
	Trusting bool
	// Unlimited disables the request rates.
	Unlimited bool
	Now       func() time.Time // a monotonic clock
	Log       *slog.Logger
}

// Profiles is a ports.AgentProfiles. It is safe for concurrent use. The profiles that it returns are shared and must not be
// modified.
type Profiles struct {
	Config
	flights singleflight.Group
	waiting *bulkhead.Room

	all, strangers *rate.Limiter

	mu      sync.Mutex // guards all fields below
	kept    *lru.Cache[string, *kept]
	bytes   int
	failed  *lru.Cache[string, failure]
	renewed *lru.Cache[string, time.Time] // by origin
	shares  *lru.Cache[string, *rate.Limiter]
}

var _ ports.AgentProfiles = (*Profiles)(nil)

// kept is a profile that was read.
type kept struct {
	profile agentid.Profile
	size    int
	until   time.Time
}

// failure is why a profile could not be fetched, and when it may be tried again.
type failure struct {
	fault *fault.Error
	pause time.Duration
	until time.Time
}

// New returns Profiles with an empty cache.
func New(c Config) *Profiles {
	p := &Profiles{
		Config:    c,
		waiting:   bulkhead.NewRoom(waiting),
		all:       rate.NewLimiter(perSecond, perSecond),
		strangers: rate.NewLimiter(ofStrangers, ofStrangers),
	}
	if c.Unlimited {
		p.all.SetLimit(rate.Inf)
		p.strangers.SetLimit(rate.Inf)
	}
	// lru.New fails only for sizes below one.
	p.kept, _ = lru.NewWithEvict(mostKept, func(_ string, k *kept) { p.bytes -= k.size })
	p.failed, _ = lru.New[string, failure](mostKept)
	p.renewed, _ = lru.New[string, time.Time](mostKept)
	p.shares, _ = lru.New[string, *rate.Limiter](mostClients)
	return p
}

// Profile implements ports.AgentProfiles.
func (p *Profiles) Profile(ctx ports.Outbound, address, asker string) (agentid.Profile, error) {
	if known, ok := p.Known[address]; ok {
		return known, nil
	}
	if profile, err, ok := p.remembered(address); ok {
		return profile, err
	}
	if p.Addresses.LeadsInside(address) {
		return agentid.Profile{}, agentid.ErrProfileURL()
	}
	for range mostFlights {
		profile, err := p.shared(ctx, address, address, func(ctx context.Context) (agentid.Profile, error) {
			return p.read(ctx, address, asker)
		})
		var of spent
		if !errors.As(err, &of) {
			return profile, err
		}
		if of.asker == asker {
			break
		}
	}
	return agentid.Profile{}, overloaded()
}

// read fetches a profile within the client's share and the overall rate.
func (p *Profiles) read(ctx context.Context, address, asker string) (agentid.Profile, error) {
	if profile, err, ok := p.remembered(address); ok { // from a request that has just ended
		return profile, err
	}
	if err := p.admit(address, asker); err != nil {
		return agentid.Profile{}, err
	}
	k, err := p.fetch(ctx, address)
	if err != nil {
		return agentid.Profile{}, p.fail(ctx, address, err)
	}
	p.keep(address, k)
	return k.profile, nil
}

// Room returns the bulkhead of callers that wait for a profile.
func (p *Profiles) Room() *bulkhead.Room { return p.waiting }

// Renew implements ports.AgentProfiles.
func (p *Profiles) Renew(ctx ports.Outbound, address, asker string) (agentid.Profile, error) {
	before, err := p.Profile(ctx, address, asker)
	if err != nil || !p.mayRenew(address, asker) {
		return before, err
	}
	return p.shared(ctx, address, "renew "+address, func(ctx context.Context) (agentid.Profile, error) {
		k, err := p.fetch(ctx, address)
		if err != nil { // the cached profile stays valid until it expires
			p.note(ctx, address, err)
			return before, nil
		}
		p.keep(address, k)
		return k.profile, nil
	})
}

// remembered returns the cached profile or failure of an address, and reports whether there is one.
func (p *Profiles) remembered(address string) (agentid.Profile, error, bool) {
	now := p.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	if k, ok := p.kept.Get(address); ok && now.Before(k.until) {
		return k.profile, nil, true
	}
	if f, ok := p.failed.Get(address); ok && now.Before(f.until) {
		again := *f.fault
		return agentid.Profile{}, &again, true
	}
	return agentid.Profile{}, nil, false
}

// keep caches a profile and evicts the least recently used ones beyond mostBytes.
func (p *Profiles) keep(address string, k *kept) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.failed.Remove(address)
	p.kept.Remove(address)
	p.kept.Add(address, k)
	p.bytes += k.size
	for p.bytes > mostBytes {
		p.kept.RemoveOldest()
	}
}

// fail caches a failure, for twice as long as the previous one.
func (p *Profiles) fail(ctx context.Context, address string, err *fault.Error) error {
	p.note(ctx, address, err)
	now := p.Now()
	p.mu.Lock()
	defer p.mu.Unlock()
	f := failure{fault: err, pause: firstPause}
	if last, ok := p.failed.Peek(address); ok {
		f.pause = min(2*last.pause, longestPause)
	}
	f.until = now.Add(f.pause)
	p.failed.Add(address, f)
	again := *err
	return &again
}

func (p *Profiles) note(ctx context.Context, address string, err error) {
	if request := new(url.Error); errors.As(err, &request) {
		err = request.Err // without the query
	}
	p.Log.DebugContext(ctx, "an agent's profile could not be fetched", "profile", agentid.Agent{Profile: address}.InLog(), "error", err)
}

// shared runs one request for concurrent callers of the same flight. Each waits until its own context ends, at most
// patience.
func (p *Profiles) shared(ctx ports.Outbound, address, flight string, ask func(context.Context) (agentid.Profile, error)) (agentid.Profile, error) {
	var landed singleflight.Result
	err := p.waiting.Wait(ctx, address, func() error {
		select {
		case landed = <-p.flights.DoChan(flight, func() (any, error) { return recoverPanic(ctx.WithoutCancel(), ask) }):
			return landed.Err
		case <-ctx.Done():
			return ctx.Err()
		}
	})
	if err != nil {
		return agentid.Profile{}, err
	}
	return landed.Val.(agentid.Profile), nil
}

// recoverPanic returns a panic as an error, because a panic in singleflight's goroutine cannot be recovered by a caller.
func recoverPanic(ctx ports.Outbound, ask func(context.Context) (agentid.Profile, error)) (profile agentid.Profile, err error) {
	ctx, cancel := ctx.WithTimeout(patience)
	defer cancel()
	err = fault.Survive(func() error {
		profile, err = ask(ctx)
		return err
	})
	return profile, err
}

// fetch requests a profile and reads it.
func (p *Profiles) fetch(ctx context.Context, address string) (*kept, *fault.Error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		return nil, unreachable("its address cannot be read").Because(err)
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("User-Agent", p.UserAgent)
	answer, err := p.Client.Do(request)
	if err != nil {
		return nil, lost(err)
	}
	defer answer.Body.Close()
	if answer.StatusCode < 200 || answer.StatusCode > 299 {
		return nil, unreachable("the server does not answer with it")
	}
	if encoding := answer.Header.Get("Content-Encoding"); encoding != "" && !strings.EqualFold(encoding, "identity") {
		return nil, malformed("", "is sent compressed, which was not asked for")
	}
	body, err := io.ReadAll(io.LimitReader(answer.Body, MaxSize+1))
	if err != nil {
		return nil, lost(err)
	}
	profile, err := Read(body, address, p.Trusting)
	if err != nil {
		var bad *fault.Error
		errors.As(err, &bad) // it always is one
		return nil, bad
	}
	return &kept{
		profile: profile,
		size:    len(body),
		until:   p.Now().Add(lifetime(answer.Header)),
	}, nil
}

func unreachable(why string) *fault.Error {
	return fault.New(fault.Unfulfilled, codeUnreachable, "The agent's profile cannot be fetched: "+why+".")
}

// lost returns the error of a request without a response. Its text reveals nothing about the internal network.
func lost(err error) *fault.Error {
	var late net.Error
	if errors.As(err, &late) && late.Timeout() {
		return unreachable("there was no answer in time").Because(err)
	}
	return unreachable("the connection failed").Because(err)
}
