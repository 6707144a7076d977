package syncrun

import "time"

// Total is how many records a platform says that a reading of a resource has. The zero Total is that it does not say.
type Total struct {
	Count   int
	AtLeast bool // there may be more: the platform counts no further, or counts only some of them
}

// Pace is how fast the records of a step were read, pages without any before the first record left out.
type Pace struct {
	From   time.Time // when the first page that has records was stored
	Before int       // the records of that page
	Last   time.Time // when the last page was stored
}

// Progress is how far a step has come.
type Progress struct {
	Done    int
	Total   int // never less than Done
	AtLeast bool
	Known   bool // there is a total
	// Left is how long the rest takes at the pace so far, never less than nothing. It is of use if Timed.
	Left  time.Duration
	Timed bool
}

// Expect notes how many records the current step has, if the platform says so.
func (r *Run) Expect(t Total) {
	if s := r.Current(); s != nil && t.Count > 0 {
		s.Expected = t
	}
}

// Restart forgets how far the current step has come, because it is read anew from its start. A preview has stored nothing of what
// was read, so it finds the same again: it forgets its counts, too. What any other run has taken does not change again.
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

// Progress is how far the step has come. A platform may have more records than it said when the reading began.
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

// Left is how long the run takes to its end at the pace so far. It is not known as long as a step has no pace yet.
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

// Waited is for how long a platform had a step wait.
type Waited struct {
	Limit int64 // for its rate limit, in milliseconds
	Files int64 // until it had prepared the data, in milliseconds
}

// Wait puts the run off because the platform asks for patience: for its rate limit or, preparing, until it has the data. It
// does not count as a failure.
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
