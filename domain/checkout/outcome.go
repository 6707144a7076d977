package checkout

// Outcome is a provider's decision on a payment attempt: Paid, Declined or NotCharged. An unknown outcome is an error.
type Outcome interface{ outcome() }

// Paid means the money was taken.
type Paid struct {
	Provider string // the provider's id of the charge
	Label    string // the instrument in words
}

// Declined means that the provider declined, and no money was taken.
type Declined struct {
	Code    string // e.g. insufficient_funds
	Message string
	Final   bool // the provider forbids another try
}

// NotCharged means that the provider never received the attempt and never will charge it.
type NotCharged struct{}

func (Paid) outcome()       {}
func (Declined) outcome()   {}
func (NotCharged) outcome() {}
