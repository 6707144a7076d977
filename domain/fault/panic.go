package fault

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrPanic is a mistake in this program that some data brings out.
var ErrPanic = errors.New("a panic")

// ErrUnreadable means that stored data is not what this program writes: somebody changed it by hand, or another
// version of the program wrote it.
var ErrUnreadable = errors.New("stored data cannot be read")

// Survive does work in the background, whose panic would end the process and with it the work of all others:
// it becomes an error with its stack.
func Survive(work func() error) (err error) {
	defer func() {
		if p := recover(); p != nil {
			err = fmt.Errorf("%w: %v\n%s", ErrPanic, p, debug.Stack())
		}
	}()
	return work()
}
