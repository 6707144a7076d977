package retry_test

import (
	"context"
	"errors"
	"testing"
	"testing/synctest"
	"time"

	"github.com/haggle-commerce/haggle/adapters/payments/retry"
)

var (
	errFirst   = errors.New("no answer")
	errSecond  = errors.New("no answer again")
	errThird   = errors.New("no answer at all")
	errRefused = errors.New("credentials refused")
	errClear   = errors.New("the card was declined")
)

var provider = retry.Errors{
	Unclear: func(err error) bool { return err != errRefused && err != errClear },
	Refused: func(err error) bool { return err == errRefused },
}

func TestErrors_Do(t *testing.T) {
	t.Parallel()
	for name, test := range map[string]struct {
		answers []error // one for each try
		want    error
		takes   time.Duration
	}{
		"at once":               {[]error{nil}, nil, 0},
		"a clear refusal":       {[]error{errClear}, errClear, 0},
		"refused credentials":   {[]error{errRefused}, errRefused, 0},
		"the second try":        {[]error{errFirst, nil}, nil, 200 * time.Millisecond},
		"refused after unclear": {[]error{errFirst, errRefused}, errFirst, 200 * time.Millisecond},
		"clear after unclear":   {[]error{errFirst, errClear}, errClear, 200 * time.Millisecond},
		"the third try":         {[]error{errFirst, errSecond, nil}, nil, 800 * time.Millisecond},
		"no answer":             {[]error{errFirst, errSecond, errThird}, errThird, 800 * time.Millisecond},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				began, tries := time.Now(), 0
				err := provider.Do(t.Context(), func() error {
					tries++
					return test.answers[tries-1]
				})
				if err != test.want || tries != len(test.answers) || time.Since(began) != test.takes {
					t.Errorf("%v after %d tries and %s", err, tries, time.Since(began))
				}
			})
		})
	}
}

func TestErrors_Do_contextEnds(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
		defer cancel()
		answers, tries := []error{errFirst, errSecond, nil}, 0
		err := provider.Do(ctx, func() error {
			tries++
			return answers[tries-1]
		})
		if err != errSecond || tries != 2 {
			t.Errorf("%v after %d tries", err, tries)
		}
	})
}
