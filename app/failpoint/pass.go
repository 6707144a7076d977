package failpoint

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"time"
)

// enabled is set by the linker in programs built for tests.
var enabled string

// setting returns an environment variable, or "" if failpoints are not enabled.
func setting(variable string) string {
	if enabled == "" {
		return ""
	}
	return os.Getenv(variable)
}

// hang returns how long the action hang blocks if nobody kills the program: FAULT_HANG, at most and by default a minute.
var hang = sync.OnceValue(func() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("FAULT_HANG")); err == nil && d > 0 {
		return min(d, time.Minute)
	}
	return time.Minute
})

// ClockOffset returns the shift of this process's wall clock, from FAULT_CLOCK.
func ClockOffset() time.Duration { return clockOffset }

var clockOffset = mustReadOffset(setting("FAULT_CLOCK"))

func mustReadOffset(text string) time.Duration {
	if text == "" {
		return 0
	}
	d, err := time.ParseDuration(text)
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAULT_CLOCK:", err)
		os.Exit(2)
	}
	return d
}

// errInjected is the error of the action error.
var errInjected = errors.New("a failure made for a test")

// order is the action at a point, and when it is due.
type order struct {
	action string
	nth    int64
	passed atomic.Int64
}

var orders = mustRead(setting("FAULT_POINT"))

// With FAULT_LIFELINE the program exits when its standard input is closed, so that it does not outlive the
// test that started it.
func init() {
	if setting("FAULT_LIFELINE") == "" {
		return
	}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // it ends either way
		os.Exit(3)
	}()
}

// At does what FAULT_POINT asks for at p, and otherwise returns nil. It may not return.
func At(_ context.Context, p Point) error {
	if len(orders) == 0 {
		return nil
	}
	return pass(p)
}

func pass(p Point) error {
	o := orders[p]
	if o == nil || o.passed.Add(1) != o.nth {
		return nil
	}
	fmt.Fprintf(os.Stderr, "FAULT %s at %s\n", o.action, p)
	switch o.action {
	case "kill":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
		select {} // the signal is on its way
	case "hang":
		time.Sleep(hang())
		return nil
	default:
		return fmt.Errorf("%w at %s", errInjected, p)
	}
}

func mustRead(text string) map[Point]*order {
	read, err := parse(text)
	if err != nil {
		fmt.Fprintln(os.Stderr, "FAULT_POINT:", err)
		os.Exit(2)
	}
	return read
}

// parse reads name=action[:n],….
func parse(text string) (map[Point]*order, error) {
	all := map[Point]*order{}
	for one := range strings.SplitSeq(text, ",") {
		if one == "" {
			continue
		}
		name, what, _ := strings.Cut(one, "=")
		action, times, counted := strings.Cut(what, ":")
		o := &order{action: action, nth: 1}
		if counted {
			n, err := strconv.ParseInt(times, 10, 64)
			if err != nil || n < 1 {
				return nil, fmt.Errorf("%q: the time after the colon counts from 1", one)
			}
			o.nth = n
		}
		if !slices.Contains(All, Point(name)) || !slices.Contains([]string{"kill", "hang", "error"}, action) {
			return nil, fmt.Errorf("%q is not point=kill, hang or error", one)
		}
		all[Point(name)] = o
	}
	return all, nil
}
