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

// enabled is set by the linker, in the programs of tests.
var enabled string

// setting returns an environment variable of a program whose failpoints are enabled.
func setting(variable string) string {
	if enabled == "" {
		return ""
	}
	return os.Getenv(variable)
}

// hang is when a program that hangs goes on, should nobody kill it: FAULT_HANG, or a minute.
var hang = sync.OnceValue(func() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("FAULT_HANG")); err == nil && d > 0 {
		return min(d, time.Minute)
	}
	return time.Minute
})

// ClockOffset is by how much this process's wall clock is moved: FAULT_CLOCK.
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

// errInjected is what a point answers that was told to fail.
var errInjected = errors.New("a failure made for a test")

// order is what to do at a point, and when.
type order struct {
	action string
	nth    int64
	passed atomic.Int64
}

var orders = mustRead(setting("FAULT_POINT"))

// With FAULT_LIFELINE the program ends when its standard input does, so that it does not outlive the
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

// At passes a point. It may not return.
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
