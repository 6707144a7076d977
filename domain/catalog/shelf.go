package catalog

// Shelf is a level as the merchant counts it. Payment attempts in flight have subtracted the pieces that they hold from
// Quantity, but these pieces are still at the location.
type Shelf struct {
	Level
	Held int // by payment attempts in flight
	// Oversold is how many more pieces attempts and orders have taken than were counted. It is zero unless Quantity is
	// zero. New and returned stock reduces it first.
	Oversold int
}

// Count returns how many pieces are at the location. It is negative if more were sold than were counted.
func (s Shelf) Count() int { return s.Quantity + s.Held - s.Oversold }

// Recount returns the shelf after a count of n pieces.
func (s Shelf) Recount(n int) Shelf {
	free := n - s.Held
	s.Quantity, s.Oversold = max(free, 0), max(-free, 0)
	return s
}

// Shift returns the shelf with delta pieces more. Its count stays between zero and MaxStock.
func (s Shelf) Shift(delta int) Shelf {
	n := s.Count()
	return s.Recount(min(max(n+delta, min(n, 0)), max(n, MaxStock)))
}

// PutBack returns the shelf with n reserved pieces for sale again. Pieces beyond MaxStock are dropped.
func (s Shelf) PutBack(n int) Shelf {
	free := min(s.Quantity-s.Oversold+n, MaxStock)
	s.Quantity, s.Oversold = max(free, 0), max(-free, 0)
	return s
}
