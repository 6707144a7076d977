package main

import (
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/alecthomas/kong"

	"github.com/haggle-commerce/haggle/cmd/boot"
	"github.com/haggle-commerce/haggle/domain/fault"
)

// rewordedError is an error with a different message.
type rewordedError struct {
	error
	text string
}

func (r rewordedError) Error() string { return r.text }

func (r rewordedError) Unwrap() error { return r.error }

// nameVariable returns a parse error with the environment variable's name in place of the flag's if the value came from the
// environment.
func nameVariable(err error) error {
	failed, ok := errors.AsType[*kong.ParseError](err)
	if !ok || failed.Context == nil {
		return err
	}
	given := givenFlags(failed.Context)
	for _, flag := range flagsOf(failed.Context) {
		variable, rest := setBy(flag), ""
		if variable == "" || given[flag.Name] {
			continue
		}
		for _, start := range []string{"--" + flag.Name, flag.ShortSummary()} {
			var found bool
			if rest, found = strings.CutPrefix(err.Error(), start); found {
				return rewordedError{err, variable + rest}
			}
		}
	}
	return err
}

// rewordForOperator rewords a command's error for an operator: a database error keeps the database's message, a refusal loses its code,
// and a variable's name becomes the flag if the value was given by the flag.
func rewordForOperator(command *kong.Context, err error) error {
	if err == nil {
		return nil
	}
	given := givenFlags(command)
	var pairs []string
	for _, flag := range flagsOf(command) {
		if slices.Contains(flag.Envs, "HAGGLE_DATABASE_URL") {
			url, _ := command.FlagValue(flag).(string)
			err = boot.Explain(url, err)
		}
		if given[flag.Name] && len(flag.Envs) > 0 {
			pairs = append(pairs, flag.Envs[0], "--"+flag.Name)
		}
	}
	err = withoutCode(err)
	return renamed(err, pairs)
}

// renamed returns err with the variables' names replaced in its message. pairs are old and new names.
func renamed(err error, pairs []string) error {
	text := err.Error()
	for i := 0; i < len(pairs); i += 2 {
		text = replaceWord(text, pairs[i], pairs[i+1])
	}
	if text == err.Error() {
		return err
	}
	return rewordedError{err, text}
}

// replaceWord replaces a variable's name, but not within a longer name that begins with it.
func replaceWord(text, old, new string) string {
	var b strings.Builder
	for {
		before, after, found := strings.Cut(text, old)
		b.WriteString(before)
		switch {
		case !found:
			return b.String()
		case after != "" && (after[0] == '_' || after[0] >= 'A' && after[0] <= 'Z'):
			b.WriteString(old)
		default:
			b.WriteString(new)
		}
		text = after
	}
}

func flagsOf(c *kong.Context) (all []*kong.Flag) {
	for _, at := range c.Path {
		all = append(all, at.Flags...)
	}
	return all
}

// givenFlags returns the names of the flags on the command line.
func givenFlags(c *kong.Context) map[string]bool {
	given := map[string]bool{}
	for _, at := range c.Path {
		if at.Flag != nil {
			given[at.Flag.Name] = true
		}
	}
	return given
}

// setBy returns the environment variable that is set and gives the flag its value, or "".
func setBy(flag *kong.Flag) string {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return name
		}
	}
	return ""
}

// withoutCode returns a refusal without its code, field by field.
func withoutCode(err error) error {
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Kind == fault.Internal || refusal.Kind == fault.Unavailable {
		return err
	}
	return rewordedError{err, refusal.Description()}
}
