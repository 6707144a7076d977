package commerce

import "github.com/haggle-commerce/haggle/domain/personalization"

// Personalization says that personal signals moved a price or its bounds. Its fields have few descriptions, because the document
// of Haggle's own protocol must stay short.
type Personalization struct {
	Used       []string `json:"used" enum:"claimed_loyalty,claimed_purchases,claimed_urgency,verified_loyalty,verified_purchases,probing_limit"`
	By         string   `json:"by" enum:"automated"`
	Disclosure string   `json:"disclosure,omitempty" doc:"Show it with the price."`
}

// ToAPIPersonalization returns nil for a price that no personal signal moved.
func ToAPIPersonalization(n *personalization.Notice) *Personalization {
	if n == nil {
		return nil
	}
	return &Personalization{n.Signals.Names(), "automated", n.Disclosure}
}
