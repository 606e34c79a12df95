package commandline

import (
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
)

const (
	mostDistance = 2 // between a word and what it may have been meant for
	shortestWord = 3 // that is compared at all
)

// usageError is a mistake in the command line.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

// UsageError returns an error that is a mistake in the command line.
func UsageError(format string, args ...any) error {
	return usageError{fmt.Errorf(format, args...)}
}

// IsUsage reports whether an error is a mistake in the command line.
func IsUsage(err error) bool {
	var usage usageError
	return errors.As(err, &usage)
}

// Complaint returns what a program says of an error, with a newline. Where the error is a mistake in the command line, it names where the usage stands.
func Complaint(program string, err error) string {
	text := fmt.Sprintf("%s: %s\n", program, err)
	if IsUsage(err) {
		text += fmt.Sprintf("Run \"%s help\" for the usage.\n", program)
	}
	return text
}

// unknownCommand returns the error of a word that should be a command.
func (l *Line) unknownCommand(word string) error {
	if meant := l.misspelt(word); meant != "" {
		return UsageError("%q is not a command; did you mean %s?", word, meant)
	}
	return UsageError("%q is not a command", word)
}

// misspelt returns the commands that a word may have been meant for, or "".
func (l *Line) misspelt(word string) string {
	if len(word) < shortestWord {
		return ""
	}
	return strings.Join(l.root.SuggestionsFor(word), " or ")
}

// The values that a flag of each type takes, for those whose own error does not say it.
var values = map[string]string{
	"int": "must be a whole number", "uint64": "must be a whole number, 0 or more", "bool": "must be true or false", "duration": "must be a time, such as 300ms",
}

// flagError returns the error of a flag as a usage error, which names the flag that may have been meant.
func flagError(c *cobra.Command, err error) error {
	var unknown *pflag.NotExistError
	var invalid *pflag.InvalidValueError
	var bare *pflag.ValueRequiredError
	switch {
	case errors.As(err, &bare) && bare.GetSpecifiedShortnames() != "":
		return UsageError("flag needs an argument: -%s", bare.GetFlag().Shorthand)
	case errors.As(err, &invalid):
		why, known := values[invalid.GetFlag().Value.Type()]
		if !known {
			why = invalid.Unwrap().Error()
		}
		return UsageError("invalid value %q for --%s: %s", invalid.GetValue(), invalid.GetFlag().Name, why)
	case !errors.As(err, &unknown):
		return UsageError("%w", err)
	case unknown.GetSpecifiedShortnames() != "":
		name, _, _ := strings.Cut(unknown.GetSpecifiedShortnames(), "=")
		for _, long := range []string{name, "h" + name} { // -h is a flag, and has been taken off -html
			if c.Flags().Lookup(long) != nil {
				return UsageError("a flag has two dashes: --%s, not -%s", long, long)
			}
		}
		return unknownFlag(c, "-", name)
	}
	return unknownFlag(c, "--", unknown.GetSpecifiedName())
}

// unknownFlag returns the error of a flag that a command does not have.
func unknownFlag(c *cobra.Command, dashes, name string) error {
	if meant := misspeltFlag(c, name); meant != "" {
		return UsageError("unknown flag %s%s; did you mean %s?", dashes, name, meant)
	}
	return UsageError("unknown flag %s%s", dashes, name)
}

// misspeltFlag returns the flags of a command that a name may have been meant for, or "".
func misspeltFlag(c *cobra.Command, name string) string {
	if len(name) < shortestWord {
		return ""
	}
	near := &cobra.Command{SuggestionsMinimumDistance: mostDistance} // by the library's measure, which is for commands
	c.Flags().VisitAll(func(f *pflag.Flag) {
		near.AddCommand(&cobra.Command{Use: f.Name, Run: func(*cobra.Command, []string) {}})
	})
	suggestions := near.SuggestionsFor(name)
	for i := range suggestions {
		suggestions[i] = "--" + suggestions[i]
	}
	return strings.Join(suggestions, " or ")
}

// withTwoDashes returns arguments whose flags are written as pflag reads them: -rest as --rest, and --o as -o. The flags end at the first argument that is not
// one, or at the first flag that the command does not have.
func (l *Line) withTwoDashes(args []string) []string {
	if len(args) == 0 {
		return args
	}
	c, begin := l.main, 0
	if named := l.find(args[0]); named != nil {
		c, begin = named, 1
	}
	c.InitDefaultHelpFlag()
	args = append([]string{}, args...)
	for i := begin; i < len(args); i++ {
		name, value, hasValue := strings.Cut(strings.TrimPrefix(strings.TrimPrefix(args[i], "-"), "-"), "=")
		f, dashes := lookup(c.Flags(), name)
		if !strings.HasPrefix(args[i], "-") || f == nil {
			break
		}
		args[i] = dashes + name
		switch {
		case hasValue:
			args[i] += "=" + value
		case f.NoOptDefVal == "": // its value is the next argument
			i++
		}
	}
	return args
}

// lookup returns the flag of a name, short or long, and its dashes.
func lookup(set *pflag.FlagSet, name string) (*pflag.Flag, string) {
	if len(name) == 1 {
		return set.ShorthandLookup(name), "-"
	}
	return set.Lookup(name), "--"
}
