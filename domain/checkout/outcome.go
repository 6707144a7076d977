package checkout

// Outcome of a payment attempt, as far as the provider decided it: Paid, Declined or NotCharged. That
// nobody knows is no outcome but an error.
type Outcome interface{ outcome() }

// Paid means the money was taken.
type Paid struct {
	Provider string // the provider's id of the charge
	Label    string // the instrument in words
}

// Declined means the provider refused, and nothing was taken.
type Declined struct {
	Code    string // e.g. insufficient_funds
	Message string
	Final   bool // the provider forbids another try
}

// NotCharged means the provider never saw the attempt and never will take it.
type NotCharged struct{}

func (Paid) outcome()       {}
func (Declined) outcome()   {}
func (NotCharged) outcome() {}
