package ports

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/domain/integration"
	"github.com/haggle-commerce/haggle/domain/order"
	"github.com/haggle-commerce/haggle/domain/syncrun"
)

// Connection is an account with a platform, ready for use.
type Connection struct {
	Key         string // identifies the account wherever connections are distinguished: the integration's id, or the account being connected
	Account     string // the platform's id of it; "": it is being connected
	Store       string // a shop's domain with the platform
	BaseURL     string // of a merchant's own system
	Credentials integration.Credentials
	Offer       integration.Offers // what products the merchant wants to be offered beside those for general sale
}

// Connector is a platform whose data is synchronised. Its errors, besides ctx's: ErrCredentialsRefused, Throttled,
// PlatformFailure if a retry may help, PlatformRefusal if it will not.
type Connector interface {
	// Inspect asks which account it is. Account is always set in the result.
	Inspect(ctx Outbound, c Connection) (integration.Config, error)
	// Read reads one page. It reports problems record by record; a page that cannot be read at all is a
	// PlatformFailure.
	Read(ctx Outbound, c Connection, r PageRequest) (RecordPage, error)
}

// PageRequest is a page of a resource.
type PageRequest struct {
	Resource syncrun.Resource
	Since    time.Time // what changed earlier may be left out; zero: nothing may
	Full     bool      // everything is wanted: a platform that has a way for that may take it
	Cursor   string    // "" for the first page, else the Next of the one before
}

// RecordPage is a page of records. Next is "" after the last one. Notices tell what it lacks.
type RecordPage struct {
	Records []syncrun.Record
	Next    string
	Notices []syncrun.Notice
	Total   syncrun.Total // of the reading, all of its pages, on whichever page tells it
	// Restarted means that reading starts anew with Next: earlier pages are read again.
	Restarted bool
}

// OAuthConnector is a platform whose users consent that we act for them (RFC 6749).
type OAuthConnector interface {
	// NeedsStore reports whether Consent needs a store.
	NeedsStore() bool
	// Consent returns the URL at which a merchant consents.
	Consent(c Consent) (address string, err error)
	// CheckCallback checks the query with which the platform sent the merchant back: ErrCredentialsRefused if it is not
	// signed by a platform that signs it, not recent, or does not fit the grant's other fields.
	CheckCallback(g CodeGrant) error
	// Exchange redeems a code: ErrCredentialsRefused if the platform refuses it.
	Exchange(ctx Outbound, g CodeGrant) (integration.Credentials, error)
	// Refresh exchanges a refresh token: ErrCredentialsRefused if it is no longer valid.
	Refresh(ctx Outbound, c Connection) (integration.Credentials, error)
}

// Consent is a request for a merchant's consent.
type Consent struct {
	Store       string
	RedirectURI string
	State       string
	Verifier    string // of PKCE (RFC 7636, S256), for platforms that know it
}

// CodeGrant is a consent that was given.
type CodeGrant struct {
	Store       string
	RedirectURI string
	Code        string
	Verifier    string
	// Callback is the query with which the platform sent the merchant back. A platform that signs it needs it, and
	// has its signature checked. "": it was not passed on.
	Callback string
	State    string
}

// CalledConnector is a platform that calls us at webhooks.
type CalledConnector interface {
	// Register makes the platform call an address with a topic. signing is the secret of its calls, to be stored
	// encrypted; "" if the platform signs in its own way. Registering an address again changes nothing.
	Register(ctx Outbound, c Connection, topic, address string) (remote, signing string, err error)
	// Unregister ends the registration. One that is gone already is no error.
	Unregister(ctx Outbound, c Connection, remote string) error
	// SignatureHeader is the header that has the signature of calls that may be large; "": there are none.
	SignatureHeader() string
	// Verify checks a call's signature over the payload's bytes. Anything wrong with it: Unauthenticated
	// invalid_signature. signing is as Register gave it.
	Verify(call Call, signing string) (CallStamp, error)
	// News reads the records of a verified call. If the call only names them, they are read from the platform.
	News(ctx Outbound, c Connection, topic string, at time.Time, payload []byte) ([]syncrun.Record, error)
}

// WebhookLister is a CalledConnector whose platform says which webhooks it has.
type WebhookLister interface {
	// Webhooks are those that the platform has, also those that others registered.
	Webhooks(ctx Outbound, c Connection) ([]RemoteWebhook, error)
}

// RemoteWebhook is a webhook as a platform has it.
type RemoteWebhook struct {
	Remote  string
	Topic   string // as Register takes it
	Address string
	// Disabled reports that the platform has stopped it after failures.
	Disabled bool
	// Outdated reports that it was registered with other fields than Register asks for.
	Outdated bool
	// Paused reports that a user of the platform has stopped it on purpose.
	Paused bool
}

// Call is a request to a webhook.
type Call struct {
	Header  func(name string) string
	Payload []byte
	Now     time.Time
}

// CallStamp is a platform's metadata of a call.
type CallStamp struct {
	Delivery string    // its id of the call, the same whenever it repeats it; "": it has none
	Topic    string    // "": it does not say
	At       time.Time // when what it tells happened; zero: it does not say
	Store    string    // of a shop's domain; "": it does not say
}

// Shipper is a platform that ships orders.
type Shipper interface {
	// Rates asks what shipping a package costs.
	Rates(ctx Outbound, c Connection, r RateRequest) ([]ShippingRate, error)
	// Buy buys a label for an order, once: asked again for the same order it finds the one that was bought.
	Buy(ctx Outbound, c Connection, r LabelRequest) (ShippingLabel, error)
	// Bought finds the label of an order; nil: there is none.
	Bought(ctx Outbound, c Connection, o *order.Order) (*ShippingLabel, error)
	// Void voids a label, so that its carrier refunds it. A label that is voided already is a success. A label that the
	// platform does not void, and that it shows as not voided: PlatformRefusal with its reason. An unknown outcome is a
	// PlatformFailure, which wraps neither a refusal nor ErrCredentialsRefused nor Throttled.
	Void(ctx Outbound, c Connection, r VoidRequest) error
}

// Package is the package of an order.
type Package struct {
	Order  *order.Order
	Grams  int
	Origin string // the postal code that it leaves from
}

// RateRequest is a package and the carriers that may carry it.
type RateRequest struct {
	Package
	Carrier string // a carrier's code; "": all that the account has
}

// ShippingRate is an offer of a carrier's. Price is decimal digits in Currency.
type ShippingRate struct {
	Carrier  string
	Service  string
	Name     string
	Price    string
	Currency string
}

// LabelRequest is a package and the service that takes it.
type LabelRequest struct {
	Package
	Carrier string
	Service string
	Test    bool // a label that nobody ships, and that costs nothing
	// Voided are labels of the order that were voided. None of them is the label that is asked for, even if the
	// platform still lists it as good. One is known by its Remote or, as that may be missing or of another API, by its
	// tracking number.
	Voided []order.VoidedLabel
}

// VoidRequest is a label that was bought.
type VoidRequest struct {
	Order          *order.Order
	Remote         string // the platform's id of it; "": the platform did not say
	TrackingNumber string // "" where it was erased, or the platform did not say
	Test           bool
}

// ShippingLabel was bought. PDF may be empty for one that was found later.
type ShippingLabel struct {
	Remote         string
	Carrier        string
	Service        string
	TrackingNumber string
	Price          string
	Currency       string
	PDF            []byte
}

// Throttled is a platform's request to wait before the next call.
type Throttled struct {
	After     time.Duration
	Preparing bool // it prepares the data; else it is its rate limit
}

func (t Throttled) Error() string { return fmt.Sprintf("the platform asks to wait %s", t.After) }

// PlatformFailure is an error that may pass: no answer, an error of the platform's own, an answer that cannot be read.
// Reason is for the merchant.
type PlatformFailure struct {
	Reason string
	Cause  error
}

func (f *PlatformFailure) Error() string { return f.Reason }
func (f *PlatformFailure) Unwrap() error { return f.Cause }

// PlatformRefusal is a permanent refusal: a missing permission, a request that the platform does not accept. Reason is
// for the merchant.
type PlatformRefusal struct{ Reason string }

func (r *PlatformRefusal) Error() string { return r.Reason }

// RepeatAfter returns, in words for the merchant, why a call of a platform has to be repeated after an error that may
// pass. wait is how long the platform asks to wait, 0: it does not say. passing is false for any other error.
func RepeatAfter(err error) (reason string, wait time.Duration, passing bool) {
	var slow Throttled
	var failure *PlatformFailure
	switch {
	case errors.As(err, &slow):
		return "The platform's rate limit was reached.", max(slow.After, time.Second), true
	case errors.As(err, &failure):
		return failure.Reason, 0, true
	case errors.Is(err, ErrCredentialsRefused):
		return "The platform rejected the account's credentials.", 0, true
	case errors.Is(err, context.DeadlineExceeded):
		return "The platform did not respond in time.", 0, true
	case fault.KindOf(err) == fault.Unavailable:
		return "The server was too busy.", 0, true
	}
	return "", 0, false
}

// IntegrationAccounts opens integrations for use.
type IntegrationAccounts interface {
	// Use runs work on the integration's account. work may run twice: with other credentials, after it
	// returned ErrCredentialsRefused. A disconnected integration: Conflict integration_disconnected.
	Use(ctx Outbound, i *integration.Integration, work func(Connection) error) error
}

// Unanswered is the fault that tells a merchant that a platform, by its name, gave no answer, and when to try again.
func Unanswered(platform string, err error) *fault.Error {
	var failure *PlatformFailure
	var throttled Throttled
	why, pause := platform+" did not respond.", 5*time.Second
	switch {
	case errors.As(err, &failure):
		why = failure.Reason
	case errors.As(err, &throttled):
		why, pause = platform+" has reached its rate limit.", throttled.After
	}
	return fault.New(fault.Unavailable, "provider_unavailable", why+" Try again.").After(pause).Because(err)
}
