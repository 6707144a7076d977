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

// reworded is an error with another text.
type reworded struct {
	error
	text string
}

func (r reworded) Error() string { return r.text }

func (r reworded) Unwrap() error { return r.error }

// asSet returns an error in the command line with the variable's name in place of the flag's, where the value came from the
// environment.
func asSet(err error) error {
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
				return reworded{err, variable + rest}
			}
		}
	}
	return err
}

// asGiven returns the error of a command as an operator reads it: what a database caused in the database's words, a refusal
// without its code, and a variable by its flag where the value was given by the flag.
func asGiven(command *kong.Context, err error) error {
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

// renamed returns the error with other names of variables in its text.
func renamed(err error, pairs []string) error {
	text := err.Error()
	for i := 0; i < len(pairs); i += 2 {
		text = replaceWord(text, pairs[i], pairs[i+1])
	}
	if text == err.Error() {
		return err
	}
	return reworded{err, text}
}

// replaceWord replaces a variable's name where no longer one begins with it.
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

// givenFlags are the names of the flags on the command line.
func givenFlags(c *kong.Context) map[string]bool {
	given := map[string]bool{}
	for _, at := range c.Path {
		if at.Flag != nil {
			given[at.Flag.Name] = true
		}
	}
	return given
}

// setBy is the variable that is set and gives the flag its value; "": none.
func setBy(flag *kong.Flag) string {
	for _, name := range flag.Envs {
		if _, set := os.LookupEnv(name); set {
			return name
		}
	}
	return ""
}

// withoutCode is a refusal without its code: what was wrong, field by field.
func withoutCode(err error) error {
	var refusal *fault.Error
	if !errors.As(err, &refusal) || refusal.Kind == fault.Internal || refusal.Kind == fault.Unavailable {
		return err
	}
	return reworded{err, refusal.Description()}
}
