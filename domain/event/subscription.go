package event

import (
	"net/netip"
	"net/url"
	"slices"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/patch"
)

const (
	// MaxSubscriptions is the largest number of subscriptions of a project.
	MaxSubscriptions = 50
	// SecretOverlap is how long the previous secret stays valid after a rotation.
	SecretOverlap = 24 * time.Hour

	maxURL         = 2_048
	maxDescription = 5_000
)

// Every stands for all types, including those of later versions.
var Every = Type{"*"}

// Status of a subscription.
type Status struct{ name string }

var (
	Active   = Status{"active"}
	Disabled = Status{"disabled"} // gets no events until it is enabled
)

func (s Status) String() string { return s.name }

// Statuses are both statuses by name.
var Statuses = map[string]Status{"active": Active, "disabled": Disabled}

// Reason is why a subscription is disabled. The zero Reason is none.
type Reason struct{ name string }

var (
	ByMerchant  = Reason{"merchant"}
	Gone        = Reason{"gone"}        // the receiver answered 410
	Unreachable = Reason{"unreachable"} // an event could not be delivered in a day
)

func (r Reason) String() string { return r.name }

// StoredReason returns a stored reason without validating it.
func StoredReason(name string) Reason { return Reason{name} }

// Subscription sends events of some types to a merchant's URL. Its secrets are encrypted, so they cannot sign as
// stored.
type Subscription struct {
	ID          id.Subscription
	Project     id.Project
	URL         string
	Description string
	Types       []Type
	Status      Status
	Reason      Reason // why it is disabled
	Secret      []byte
	Previous    []byte // the previous secret
	PreviousEnd *time.Time
	ActiveSince time.Time // earlier events are not sent to it
	CreatedAt   time.Time
	UpdatedAt   time.Time
}

// Draft has the settings of a new subscription.
type Draft struct {
	URL         string
	Types       []string
	Description string
}

// Change is a partial change of a subscription.
type Change struct {
	URL         patch.Field[string]
	Types       patch.Field[[]string]
	Description patch.Field[string]
	Status      patch.Field[string]
}

// Rules are those of the installation: whether http URLs of the same machine are allowed.
type Rules struct{ AllowLoopback bool }

// Subscribe returns an active subscription with an encrypted secret.
func Subscribe(name id.Subscription, project id.Project, d Draft, sealed []byte, r Rules, now time.Time) (*Subscription, error) {
	s := &Subscription{
		ID:          name,
		Project:     project,
		Status:      Active,
		Secret:      sealed,
		URL:         d.URL,
		Description: d.Description,
		ActiveSince: now,
		CreatedAt:   now,
		UpdatedAt:   now,
	}
	check := fault.NewCheck()
	s.Types = checkTypes(check, d.Types)
	s.check(check, r)
	return s, check.Err()
}

// Change applies the given fields. Null is allowed only for the description, because the other fields have no defaults.
func (s *Subscription) Change(c Change, r Rules, now time.Time) error {
	changed, check := *s, fault.NewCheck()
	c.URL.Apply(&changed.URL, "")
	c.Description.Apply(&changed.Description, "")
	if c.Types.Given() {
		names, _ := c.Types.Value()
		changed.Types = checkTypes(check, names)
	}
	if c.Status.Given() {
		name, _ := c.Status.Value()
		status, known := Statuses[name]
		check.That(known, "status", "must be active or disabled")
		if status == Active {
			changed.Enable(now)
		} else {
			changed.Disable(ByMerchant, now)
		}
	}
	changed.check(check, r)
	if err := check.Err(); err != nil {
		return err
	}
	*s, s.UpdatedAt = changed, now
	return nil
}

// Disable stops the subscription and reports whether it was active. A disabled subscription keeps its reason.
func (s *Subscription) Disable(why Reason, now time.Time) bool {
	if s.Status != Active {
		return false
	}
	s.Status, s.Reason, s.UpdatedAt = Disabled, why, now
	return true
}

// Enable starts the subscription again. Events that happened meanwhile are not sent.
func (s *Subscription) Enable(now time.Time) {
	if s.Status != Active {
		s.Status, s.Reason, s.ActiveSince, s.UpdatedAt = Active, Reason{}, now, now
	}
}

// Rotate replaces the secret. The previous one stays valid for a day, and the one before it becomes invalid.
func (s *Subscription) Rotate(sealed []byte, now time.Time) {
	end := now.Add(SecretOverlap)
	s.Previous, s.PreviousEnd = s.Secret, &end
	s.Secret, s.UpdatedAt = sealed, now
}

// Secrets returns the encrypted secrets to sign with, the newest first.
func (s *Subscription) Secrets(now time.Time) [][]byte {
	list := [][]byte{s.Secret}
	if s.PreviousEnd != nil && now.Before(*s.PreviousEnd) {
		list = append(list, s.Previous)
	}
	return list
}

// Wants reports whether the subscription gets events of a type that happened at a time.
func (s *Subscription) Wants(t Type, at time.Time) bool {
	return s.Status == Active && !at.Before(s.ActiveSince) && t != PingType && (slices.Contains(s.Types, Every) || slices.Contains(s.Types, t))
}

func (s *Subscription) check(c fault.Check, r Rules) {
	c.That(utf8.RuneCountInString(s.Description) <= maxDescription, "description", "must be at most 5000 characters")
	r.CheckURL(c, "url", s.URL)
}

// MaskURL returns a URL in the form that others may see: its host and, if the rest is long, the rest's last four
// characters. The rest may hold a token.
func MaskURL(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return "…"
	}
	rest := strings.TrimPrefix(address, u.Scheme+"://"+u.Host)
	switch {
	case rest == "" || rest == "/":
		return address
	case len(rest) < 16:
		return u.Scheme + "://" + u.Host + "/…"
	}
	return u.Scheme + "://" + u.Host + "/…" + rest[len(rest)-4:]
}

// CheckURL checks the URL of a system that we send requests to. ports.Addresses checks whether it is public.
func (r Rules) CheckURL(c fault.Check, field, address string) {
	u, err := url.Parse(address)
	switch {
	case !c.That(address != "" && err == nil && plainHost(u) && plainPort(u), field, "must be an https URL"):
	case !c.That(utf8.RuneCountInString(address) <= maxURL, field, "must be at most 2048 characters"):
	case !c.That(u.User == nil, field, "must not contain a user or password"):
	default:
		c.That(u.Scheme == "https" || u.Scheme == "http" && r.AllowLoopback && loopback(u.Hostname()), field, "must be an https URL")
	}
}

// KnownTypes lists the types that can be subscribed to, for error messages.
func KnownTypes() string {
	names := make([]string, len(Types))
	for i, t := range Types {
		names[i] = t.String()
	}
	return "one of " + fault.Known(names)
}

// unknownType returns the message that refuses an unknown type, with the type that was probably meant.
func unknownType(name string) string {
	names := make([]string, len(Types))
	for i, t := range Types {
		names[i] = t.String()
	}
	message := "must be " + KnownTypes() + ", or only \"*\""
	if meant := fault.Nearest(name, names); meant != "" {
		return message + "; did you mean " + meant + "?"
	}
	return message
}

// checkTypes parses the names of types: either "*" alone, or several types, each once.
func checkTypes(c fault.Check, names []string) []Type {
	c.That(len(names) > 0, "event_types", "must name at least one type, or \"*\"")
	var types []Type
	for i, name := range names {
		t, known := ParseType(name)
		if name == Every.name {
			t, known = Every, len(names) == 1
		}
		at := "event_types." + strconv.Itoa(i)
		if !known {
			c.That(false, at, unknownType(name))
		}
		c.That(!slices.Contains(types, t), at, "must not be repeated")
		types = append(types, t)
	}
	return types
}

// plainHost accepts names and addresses, but not the other spellings of an address that some clients read: 127.1,
// 2130706433, 0x7f.1.
func plainHost(u *url.URL) bool {
	host := u.Hostname()
	if _, err := netip.ParseAddr(host); err == nil {
		return true
	}
	last := host[strings.LastIndexByte(strings.TrimSuffix(host, "."), '.')+1:]
	return last != "" && (last[0] < '0' || last[0] > '9')
}

func plainPort(u *url.URL) bool {
	port := u.Port()
	n, err := strconv.Atoi(port)
	return port == "" || err == nil && n > 0 && n < 1<<16
}

func loopback(host string) bool {
	address, err := netip.ParseAddr(host)
	return host == "localhost" || err == nil && address.Unmap().IsLoopback()
}
