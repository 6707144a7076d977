package fault

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrPanic is a panic: a defect of this program.
var ErrPanic = errors.New("a panic")

// ErrUnreadable means that stored data is not in this program's format, because somebody edited it or another version
// of the program wrote it.
var ErrUnreadable = errors.New("stored data cannot be read")

// Survive runs background work and returns a panic as an error with its stack, because otherwise it would end the
// process and all other work.
func Survive(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v\n%s", ErrPanic, p, debug.Stack())
		}
	}()
	return work()
}
