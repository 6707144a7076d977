package fault

import (
	"errors"
	"fmt"
	"runtime/debug"
)

// ErrPanic is a mistake in this program that some data brings out.
var ErrPanic = errors.New("a panic")

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
