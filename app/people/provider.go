package people

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"time"

	"github.com/haggle-commerce/haggle/domain/audit"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/id"
	"github.com/haggle-commerce/haggle/domain/member"
	"github.com/haggle-commerce/haggle/ports"
)

// AttemptFor is how long a sign-in by the OpenID Connect provider can be completed after it began.
const AttemptFor = 10 * time.Minute

// longestAttempt is how many bytes of an unauthenticated caller's attempt are unsealed at most.
const longestAttempt = 4 << 10

const attemptPurpose = "sign-in by the OpenID Connect provider"

// attempt is a sign-in in progress. The browser that began it keeps it sealed, so that no other browser can complete it
// (RFC 9700, section 4.7).
type attempt struct {
	ports.Challenge
	Next       string    // the page of the console to show afterwards
	Invitation string    // the secret of the invitation that the sign-in accepts; "": none
	Until      time.Time // when the attempt expires
}

// Returned has the parameters of the provider's redirect (RFC 6749, section 4.1.2; RFC 9207).
type Returned struct {
	State  string
	Code   string
	Error  string
	Issuer string
}

// Errors of a sign-in by the provider. They do not reveal if an address is a member's.
var (
	errAttempt = fault.New(fault.Unauthenticated, "sign_in_expired",
		"This sign-in was started in another browser or tab, or took too long. Start again.")
	errNotVouched = fault.New(fault.Unauthenticated, "sign_in_refused",
		"No account belongs to this sign-in. Sign in with the verified e-mail address that an owner has invited, or with your password.")
	errUnfinished = fault.New(fault.Unauthenticated, "sign_in_refused",
		"The sign-in at the provider was not completed. Start again, or sign in with your password.")
	errOtherAddress = fault.New(fault.Unauthenticated, "invitation_for_another",
		"The invitation is for another e-mail address than the verified one of this sign-in. Sign in with the invited address, or choose a password.")
	errNoProvider = fault.New(fault.NotFound, "provider_not_found", "No OpenID Connect provider is configured.")
)

// ProviderName returns the provider's name for members, or "" without a provider.
func (s *Service) ProviderName() string {
	if s.Provider == nil {
		return ""
	}
	return s.Provider.Name()
}

// BeginAtProvider begins a sign-in by the provider. It returns the URL to redirect the browser to, and the sealed attempt that
// the browser keeps until it returns. With an invitation's secret, the sign-in accepts the invitation.
func (s *Service) BeginAtProvider(ctx ports.Outbound, next, invitation string, from Client) (address, kept string, err error) {
	if s.Provider == nil {
		return "", "", errNoProvider
	}
	if err := s.countClient(ctx, from); err != nil {
		return "", "", err
	}
	if invitation != "" {
		if _, err := s.link(ctx, member.Join, invitation); err != nil {
			return "", "", err
		}
	}
	begun := attempt{
		Challenge: ports.Challenge{
			State:    s.Entropy.Secret(secretBytes),
			Nonce:    s.Entropy.Secret(secretBytes),
			Verifier: s.Entropy.Secret(verifierBytes),
		},
		Next:       next,
		Invitation: invitation,
		Until:      s.Clock.Now().Add(AttemptFor),
	}
	if address, err = s.Provider.Address(ctx, begun.Challenge); err != nil {
		return "", "", err
	}
	text, err := json.Marshal(begun)
	return address, base64.RawURLEncoding.EncodeToString(s.Vault.Seal(text, attemptPurpose)), err
}

// verifierBytes is the size of a PKCE verifier: 52 characters; 43 to 128 are allowed (RFC 7636, section 4.1).
const verifierBytes = 32

// openAttempt unseals the attempt that a browser has kept.
func (s *Service) openAttempt(kept string) (begun attempt, err error) {
	if len(kept) > longestAttempt {
		return begun, errAttempt
	}
	sealed, err := base64.RawURLEncoding.DecodeString(kept)
	if err != nil {
		return begun, errAttempt
	}
	text, err := s.Vault.Open(sealed, attemptPurpose)
	if err != nil || json.Unmarshal(text, &begun) != nil || !s.Clock.Now().Before(begun.Until) {
		return attempt{}, errAttempt
	}
	return begun, nil
}

// ReturnFromProvider completes a sign-in by the provider. kept is the sealed attempt that the browser has kept. It returns the page
// to show next. It creates no accounts: the person must be a member or accept an invitation.
func (s *Service) ReturnFromProvider(ctx ports.Outbound, kept string, back Returned, from Client) (in SignedIn, next string, err error) {
	if s.Provider == nil {
		return SignedIn{}, "", errNoProvider
	}
	if err := s.countClient(ctx, from); err != nil {
		return SignedIn{}, "", err
	}
	begun, err := s.openAttempt(kept)
	if err != nil || subtle.ConstantTimeCompare([]byte(begun.State), []byte(back.State)) != 1 {
		return SignedIn{}, "", errAttempt
	}
	// A response with another issuer may be a mix-up attack (RFC 9207, section 2.4).
	if back.Error != "" || back.Code == "" || back.Issuer != "" && back.Issuer != s.Provider.Issuer() {
		return SignedIn{}, begun.Next, errUnfinished
	}
	person, err := s.Provider.Vouch(ctx, begun.Challenge, back.Code)
	if err != nil {
		return SignedIn{}, begun.Next, err
	}
	if !person.Valid() {
		return SignedIn{}, begun.Next, errNotVouched
	}
	if begun.Invitation != "" {
		in, err = s.joinVouched(ctx, begun.Invitation, person, from)
	} else {
		in, err = s.signInVouched(ctx, person, from)
	}
	return in, begun.Next, err
}

// signInVouched signs in the member to whom the identity is linked. If it is not linked yet, signInVouched links it to the member
// with the verified e-mail address. Later sign-ins find the member by the identity, even if the address has changed.
func (s *Service) signInVouched(ctx context.Context, person member.Vouched, from Client) (SignedIn, error) {
	details, link := signInDetails{Issuer: person.Issuer}, (func(*ports.Stores) error)(nil)
	m, err := s.Members.ByIdentity(ctx, person.Identity)
	if fault.KindOf(err) == fault.NotFound {
		address, verified := person.Address()
		if !verified {
			return SignedIn{}, errNotVouched
		}
		details.Linked = true
		link = func(stores *ports.Stores) error {
			return stores.Members.LinkIdentity(ctx, m, person.Identity, s.Clock.Now())
		}
		m, err = s.Members.ByEmail(ctx, address)
	}
	if err == nil {
		var in SignedIn
		if in, err = s.openInTx(ctx, audit.SignIn, m, from, details, member.ByProvider, link); err == nil {
			return in, nil
		}
	}
	if fault.KindOf(err) == fault.NotFound || fault.Is(err, "identity_taken") {
		err = errNotVouched
	}
	return SignedIn{}, err
}

// joinVouched accepts an invitation to the e-mail address that the provider has verified, and creates the member.
func (s *Service) joinVouched(ctx context.Context, secret string, person member.Vouched, from Client) (SignedIn, error) {
	l, err := s.link(ctx, member.Join, secret)
	if err != nil {
		return SignedIn{}, err
	}
	if address, verified := person.Address(); !verified || address != l.Email {
		return SignedIn{}, errOtherAddress
	}
	now := s.Clock.Now()
	if err := l.Use(now); err != nil {
		return SignedIn{}, err
	}
	m := &member.Member{
		ID:        id.New[id.Member](s.Entropy.IDBits()),
		Account:   l.Account,
		Email:     l.Email,
		Name:      person.Called(),
		Role:      l.Grant.Role,
		Projects:  l.Grant.Projects,
		CreatedAt: now,
	}
	details := signInDetails{Issuer: person.Issuer, Linked: true}
	in, err := s.openInTx(ctx, audit.Join, m, from, details, member.ByProvider, func(stores *ports.Stores) error {
		if err := stores.Members.Join(ctx, l, m); err != nil {
			return err
		}
		return stores.Members.LinkIdentity(ctx, m, person.Identity, now)
	})
	if fault.Is(err, "identity_taken") {
		err = errOtherAddress
	}
	return in, err
}
