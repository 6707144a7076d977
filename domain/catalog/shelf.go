package catalog

// Shelf is a level as the merchant counts it: payment attempts have taken the pieces that they hold out of
// Quantity, but these lie there still.
type Shelf struct {
	Level
	Held int // by payment attempts in flight
	// Oversold is how many more pieces attempts and orders have taken than were counted. It is zero unless
	// Quantity is. What comes in or back makes up for it before it is for sale.
	Oversold int
}

// Count is how many pieces lie there. It is below zero where more were sold than were counted.
func (s Shelf) Count() int { return s.Quantity + s.Held - s.Oversold }

// Recount returns the shelf once n pieces have been counted there.
func (s Shelf) Recount(n int) Shelf {
	free := n - s.Held
	s.Quantity, s.Oversold = max(free, 0), max(-free, 0)
	return s
}

// Shift returns the shelf with delta pieces more, as far as its count stays between zero and MaxStock.
func (s Shelf) Shift(delta int) Shelf {
	n := s.Count()
	return s.Recount(min(max(n+delta, min(n, 0)), max(n, MaxStock)))
}

// PutBack returns the shelf with n pieces that were taken for sale again. What does not fit is dropped.
func (s Shelf) PutBack(n int) Shelf {
	free := min(s.Quantity-s.Oversold+n, MaxStock)
	s.Quantity, s.Oversold = max(free, 0), max(-free, 0)
	return s
}
