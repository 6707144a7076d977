package syncrun

// Verdict is what became of a record.
type Verdict struct{ name string }

var (
	Created   = Verdict{"created"}
	Updated   = Verdict{"updated"}
	Unchanged = Verdict{"unchanged"}
	Refused   = Verdict{"failed"}
	// Unknown is a record of something that is not here, or not yet.
	Unknown = Verdict{"unknown"}
)

func (v Verdict) String() string { return v.name }

// Outcome is a verdict; the zero Outcome is none yet. Reason says, in words for the merchant, why a record was
// refused or is unknown.
type Outcome struct {
	Verdict Verdict
	Reason  string
}
