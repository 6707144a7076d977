package purchase

import (
	"github.com/haggle-commerce/haggle/domain/checkout"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// checkHook refuses a webhook whose URL is invalid or private.
func (s *Service) checkHook(h checkout.Hook) error {
	if h == (checkout.Hook{}) {
		return nil
	}
	check, at := fault.NewCheck(), "order_webhook.url"
	s.HookRules.CheckURL(check, at, h.URL)
	err := check.Err()
	if s.Addresses.LeadsInside(h.URL) {
		return fault.AddField(err, at, "must not lead to a private address")
	}
	return err
}
