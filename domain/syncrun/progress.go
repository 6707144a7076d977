package syncrun

import "time"

// Total is the number of records of a resource according to the platform. The zero Total is unknown.
type Total struct {
	Count   int
	AtLeast bool // there may be more: the platform counts only up to a limit, or only some of them
}

// Pace is how fast the records of a step were read, without the pages before the first record.
type Pace struct {
	From   time.Time // when the first page that has records was stored
	Before int       // the number of records of that page
	Last   time.Time // when the last page was stored
}

// Progress is the progress of a step.
type Progress struct {
	Done    int
	Total   int // never less than Done
	AtLeast bool
	Known   bool // there is a total
	// Left is the estimated time for the rest at the pace so far, at least 0. It is valid if Timed.
	Left  time.Duration
	Timed bool
}

// Expect records the number of records of the current step, if the platform reports it.
func (r *Run) Expect(t Total) {
	if s := r.Current(); s != nil && t.Count > 0 {
		s.Expected = t
	}
}

// Restart resets the progress of the current step, because it is read again from its start. A preview stores nothing,
// so it will count the same records again: its counters are reset too. Records that any other run has imported do not
// change again.
func (r *Run) Restart() {
	s := r.Current()
	if s == nil {
		return
	}
	s.Read, s.Expected, s.Pace = 0, Total{}, Pace{}
	if r.Preview {
		s.Counters, s.Found = Counters{}, Found{}
	}
}

// paced counts the records of a page.
func (s *Step) paced(records int, now time.Time) {
	s.Read += records
	if s.Pace.From.IsZero() {
		if s.Read == 0 {
			return
		}
		s.Pace.From, s.Pace.Before = now, s.Read
	}
	s.Pace.Last = now
}

// Progress returns the step's progress. A platform may have more records than it reported at the start.
func (s *Step) Progress() Progress {
	p := Progress{
		Done:    s.Read,
		Total:   max(s.Expected.Count, s.Read),
		AtLeast: s.Expected.AtLeast,
		Known:   s.Expected.Count > 0,
	}
	if s.Done || s.Sweeping {
		return Progress{
			Done:  s.Read,
			Total: s.Read,
			Known: true,
			Timed: true,
		}
	}
	read, took := s.Read-s.Pace.Before, s.Pace.Last.Sub(s.Pace.From)
	if p.Known && read > 0 && took > 0 {
		p.Timed = true
		p.Left = max(time.Duration(took.Milliseconds()*int64(p.Total-p.Done)/int64(read))*time.Millisecond, 0)
	}
	return p
}

// Left returns the estimated time to the end of the run at the pace so far. It is unknown while any step has no pace
// yet.
func (r *Run) Left() (left time.Duration, known bool) {
	if r.Status != Running {
		return 0, false
	}
	for i := range r.Steps {
		p := r.Steps[i].Progress()
		if !p.Timed {
			return 0, false
		}
		left += p.Left
	}
	return left, true
}

// Waited is how long a step had to wait for the platform.
type Waited struct {
	Limit int64 // for the rate limit, in milliseconds
	Files int64 // for the platform to prepare the data, in milliseconds
}

// Wait postpones the run because of the platform's rate limit or, if preparing, until the platform has prepared the
// data. It does not count as a failure.
func (r *Run) Wait(until time.Time, preparing bool, now time.Time) error {
	step := r.Current()
	if err := r.Postpone(until, "", now); err != nil {
		return err
	}
	switch wait := max(until.Sub(now), 0).Milliseconds(); {
	case step == nil:
	case preparing:
		step.Waited.Files += wait
	default:
		step.Waited.Limit += wait
	}
	return nil
}
