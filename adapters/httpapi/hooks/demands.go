package hooks

import (
	"errors"
	"io"
	"net/http"

	"github.com/haggle-commerce/haggle/adapters/httpapi/wire"
	"github.com/haggle-commerce/haggle/app/privacy"
	"github.com/haggle-commerce/haggle/domain/fault"
	"github.com/haggle-commerce/haggle/ports"
)

// DemandsPattern is where Shopify calls the app itself: for the compliance topics and for app/uninstalled.
const DemandsPattern = "POST " + Path + "shopify/compliance"

// Demands has what the handler at DemandsPattern needs in addition to Services.
type Demands struct {
	Read func(ports.Call) (privacy.Demand, error)
	Do   func(ports.Outbound, privacy.Demand) error
}

// DemandsHandler answers 200 once a demand is fulfilled, and 401 to a wrong signature, as Shopify's review requires.
func DemandsHandler(s Services, d Demands) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if err := d.serve(s, r); err != nil {
			wire.WriteError(w, r, err)
		}
	})
}

func (d Demands) serve(s Services, r *http.Request) error {
	key := "hooks " + wire.AddressKey(s.ClientAddress(r))
	payload, err := io.ReadAll(http.MaxBytesReader(nil, r.Body, longest))
	var tooLong *http.MaxBytesError
	switch {
	case errors.As(err, &tooLong):
		return errTooLarge
	case err != nil:
		return fault.New(fault.Malformed, "invalid_request", "The body could not be read.").Because(err)
	}
	demand, err := d.Read(ports.Call{Header: r.Header.Get, Payload: payload})
	if err != nil {
		// Only refused calls are limited: a signed call is served even if others at the same address guess signatures.
		if limited := wire.Limit(http.Header{}, s.Limiter.Peek(r.Context(), key, s.Rate), s.Rate); limited != nil {
			return limited
		}
		s.Limiter.Allow(r.Context(), key, s.Rate)
		return err
	}
	ctx, leave, err := s.Lane.Enter(r.Context(), demand.Store)
	if err != nil {
		return err
	}
	defer leave()
	return d.Do(wire.Outbound(ctx), demand)
}
