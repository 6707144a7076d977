package payments

import "time"

// maxSkew is how far a provider's clock may be from ours. Whether a charge was made is judged by times of both.
const maxSkew = time.Minute

// TooFarApart reports whether clocks that differ by skew must not work on money together.
func TooFarApart(skew time.Duration) bool { return skew.Abs() > maxSkew }
