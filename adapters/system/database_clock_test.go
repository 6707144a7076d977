package system

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"
)

// database is a fake database whose clock differs from the local one, behind a network with latency.
type database struct {
	ahead       time.Duration
	there, back time.Duration // latency of the query and of its result
	fails       error
}

func (d *database) ask(context.Context) (time.Time, error) {
	time.Sleep(d.there)
	now := time.Now().Add(d.ahead)
	time.Sleep(d.back)
	return now, d.fails
}

func near(t *testing.T, what string, got time.Time, want time.Time, by time.Duration) {
	t.Helper()
	if off := got.Sub(want).Abs(); off > by {
		t.Errorf("%s: %v off, want at most %v", what, off, by)
	}
}

// A machine whose wall clock is six minutes fast uses the database's time.
func TestDatabaseClock_Now_followsDatabase(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &database{
			ahead: -6 * time.Minute,
			there: 5 * time.Millisecond,
			back:  5 * time.Millisecond,
		}
		c, err := NewDatabaseClock(t.Context(), d.ask)
		if err != nil {
			t.Fatal(err)
		}
		near(t, "at first", c.Now(), time.Now().Add(d.ahead), 10*time.Millisecond)
		time.Sleep(time.Hour)
		near(t, "an hour later", c.Now(), time.Now().Add(d.ahead), 10*time.Millisecond)
		if skew := c.Skew().Round(time.Second); skew != d.ahead {
			t.Errorf("the database is %v ahead, want %v", skew, d.ahead)
		}
		d.ahead = 30 * time.Second // as after a failover
		near(t, "before it is asked again", c.Now(), time.Now().Add(-6*time.Minute), 10*time.Millisecond)
		if err := c.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		near(t, "after a failover", c.Now(), time.Now().Add(d.ahead), 15*time.Millisecond)
	})
}

// While measurements agree, however slow they are, the clock is not changed: it follows the monotonic clock.
func TestDatabaseClock_Sync_steady(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &database{
			ahead: time.Minute,
			there: time.Millisecond,
			back:  time.Millisecond,
		}
		c, err := NewDatabaseClock(t.Context(), d.ask)
		if err != nil {
			t.Fatal(err)
		}
		for _, trip := range []struct{ there, back time.Duration }{{time.Second, 0}, {0, time.Second}, {time.Millisecond, 0}, {0, 0}} {
			d.there, d.back = trip.there, trip.back
			before, local := c.Now(), time.Now()
			if err := c.Sync(t.Context()); err != nil {
				t.Fatal(err)
			}
			if got, want := c.Now().Sub(before), time.Since(local); got != want {
				t.Errorf("question %v, answer %v: it went on by %v in %v", trip.there, trip.back, got, want)
			}
		}
	})
}

func TestDatabaseClock_Sync_nearestEnd(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &database{ahead: time.Minute}
		c, err := NewDatabaseClock(t.Context(), d.ask)
		if err != nil {
			t.Fatal(err)
		}
		d.ahead, d.back = d.ahead-time.Second, 300*time.Millisecond
		before, local := c.Now(), time.Now()
		if err := c.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		back := time.Since(local) - c.Now().Sub(before)
		if back < 990*time.Millisecond || back > time.Second {
			t.Errorf("it went back by %v: the database went back by a second", back)
		}
	})
}

func TestDatabaseClock_Sync_databaseDown(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &database{ahead: time.Minute}
		c, err := NewDatabaseClock(t.Context(), d.ask)
		if err != nil {
			t.Fatal(err)
		}
		d.fails = errors.New("gone")
		time.Sleep(time.Hour)
		if err := c.Sync(t.Context()); !errors.Is(err, d.fails) {
			t.Error(err)
		}
		near(t, "without the database", c.Now(), time.Now().Add(d.ahead), 2*time.Millisecond)
		if _, err := NewDatabaseClock(t.Context(), d.ask); !errors.Is(err, d.fails) {
			t.Error("a clock that never was measured", err)
		}
	})
}

func TestDatabaseClock_Now_wholeMilliseconds(t *testing.T) {
	c, err := NewDatabaseClock(t.Context(), (&database{ahead: 1234567}).ask)
	if err != nil {
		t.Fatal(err)
	}
	if now := c.Now(); now.Location() != time.UTC || now.Nanosecond()%1e6 != 0 {
		t.Errorf("%v is not UTC in whole milliseconds", now)
	}
}

func TestDatabaseClock_Stand(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		d := &database{ahead: time.Minute}
		c, err := NewDatabaseClock(t.Context(), d.ask)
		if err != nil {
			t.Fatal(err)
		}
		at := time.Date(2031, 3, 3, 0, 0, 0, 0, time.UTC)
		c.Stand(at)
		time.Sleep(time.Hour)
		if now := c.Now(); !now.Equal(at) {
			t.Errorf("it is %s, want %s", now, at)
		}
		if err := c.Sync(t.Context()); err != nil {
			t.Fatal(err)
		}
		near(t, "once it goes on", c.Now(), time.Now().Add(time.Minute), 10*time.Millisecond)
	})
}

func TestNewDatabaseClock_canceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	ask := func(ctx context.Context) (time.Time, error) { return time.Now(), ctx.Err() }
	if _, err := NewDatabaseClock(ctx, ask); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v, want %v", err, context.Canceled)
	}
}
