package syncrun

// Verdict is the result of importing a record.
type Verdict struct{ name string }

var (
	Created   = Verdict{"created"}
	Updated   = Verdict{"updated"}
	Unchanged = Verdict{"unchanged"}
	Refused   = Verdict{"failed"}
	// Unknown means that the record's object does not exist here, or not yet.
	Unknown = Verdict{"unknown"}
)

func (v Verdict) String() string { return v.name }

// Outcome is a verdict with its reason. The zero Outcome is none yet. Reason explains, in words for the merchant, why a
// record was refused or is unknown.
type Outcome struct {
	Verdict Verdict
	Reason  string
}
