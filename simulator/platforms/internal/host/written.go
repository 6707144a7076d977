package host

import "time"

// Write runs work under the write lock.
func (s *Shop) Write(work func(*World)) { s.write(work) }

// Tick returns the time of a change to a record that was last changed at previous.
func (s *Shop) Tick(now time.Time, previous int64) int64 { return s.tick(now, previous) }

// Written is the part of an order that an app wrote and that all platforms show.
type Written struct {
	Customer  int // negative: none
	Email     string
	Cents     int64
	Status    string
	Reference string
	Placed    int64
	Updated   int64
}

// AddWritten adds an order that an app wrote and returns its position. Platforms show the number of its lines, not the
// lines.
func (w *World) AddWritten(o Written, items []int, quantities []int) int {
	made := order{}
	for k, n := range items {
		made.Lines = append(made.Lines, line{Item: n, Quantity: quantities[k]})
	}
	w.Orders = append(w.Orders, made)
	n := len(w.Orders) - 1
	w.SetWritten(n, o)
	if o.Customer >= 0 {
		w.Customers[o.Customer].Purchases++
	}
	return n
}

// SetWritten changes the order at position n.
func (w *World) SetWritten(n int, o Written) {
	one := &w.Orders[n]
	one.Customer, one.email, one.Cents, one.Status = o.Customer, o.Email, o.Cents, o.Status
	one.Reference, one.Placed, one.Updated = o.Reference, o.Placed, o.Updated
}

// EmailOf returns the e-mail address of the order at position n.
func (w *World) EmailOf(n int) string {
	o := w.Orders[n]
	if o.email != "" || o.Customer < 0 {
		return o.email
	}
	return w.Customers[o.Customer].Email
}

// AddCustomer adds a customer and returns its position.
func (w *World) AddCustomer(first, last, email string, at int64) int {
	w.Customers = append(w.Customers, customer{
		First:   first,
		Last:    last,
		Email:   email,
		Created: at,
		Updated: at,
	})
	return len(w.Customers) - 1
}

// Stock changes the stock of an item at a location by a number, and updates its time.
func (s *Shop) Stock(item, place, by int, now time.Time) {
	i := &s.Items[item]
	l := &i.Levels[place]
	l.Quantity += by
	l.Updated = s.tick(now, l.Updated)
	i.Updated = max(i.Updated, l.Updated)
}
