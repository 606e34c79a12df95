package main

import (
	"errors"
	"strconv"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

// flagError returns the error of a flag as one of the command line, which says what may have been meant.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	switch {
	case errors.As(err, &invalid):
		why := strings.TrimPrefix(invalid.Unwrap().Error(), errUsage.Error()+": ")
		if number := (*strconv.NumError)(nil); errors.As(invalid, &number) {
			why = map[string]string{"int": "must be a whole number", "bool": "must be true or false"}[invalid.GetFlag().Value.Type()]
		}
		return usageError("invalid value %q for --%s: %s", invalid.GetValue(), invalid.GetFlag().Name, why)
	case !errors.As(err, &unknown):
		return usageError("%s", err)
	case unknown.GetSpecifiedShortnames() != "":
		name, _, _ := strings.Cut(unknown.GetSpecifiedShortnames(), "=")
		for _, long := range []string{name, "h" + name} { // -h is a flag, and has been taken off -html
			if c.Flags().Lookup(long) != nil {
				return usageError("a flag has two dashes: --%s, not -%s", long, long)
			}
		}
		return usageError("unknown flag -%s", name)
	}
	name := unknown.GetSpecifiedName()
	if meant := misspeltFlag(c, name); meant != "" {
		return usageError("unknown flag --%s; did you mean %s?", name, meant)
	}
	return usageError("unknown flag --%s", name)
}

// misspeltFlag returns the flags of a command that a name may have been meant for, or "".
func misspeltFlag(c *cobra.Command, name string) string {
	if len(name) < 3 {
		return ""
	}
	near := &cobra.Command{SuggestionsMinimumDistance: 2} // of the library's measure, which is of commands
	c.Flags().VisitAll(func(f *pflag.Flag) {
		near.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	suggestions := near.SuggestionsFor(name)
	for i := range suggestions {
		suggestions[i] = "--" + suggestions[i]
	}
	return strings.Join(suggestions, " or ")
}
