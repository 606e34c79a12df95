package main

import (
	"context"
	"fmt"
	"io"
	"runtime"
	"time"

	"github.com/spf13/cobra"

	"ndkoracle/internal/commandline"
	"ndkoracle/internal/release"
	"ndkoracle/rules"
	"ndkoracle/trace"
)

func (l *commandLine) explainCommand() *cobra.Command {
	c := l.Command("explain RULE|GROUP|READING …", "describe a rule, a group of rules or a reading",
		"explain describes a rule such as ARM-04: what it requires, of whom, its source, and what in a trace exercises it. For a group such as ARM it lists the "+
			"rules. For a reading such as A4, which answers an open question of the documentation, it lists the answers.",
		"  tracecheck explain ARM-04\n  tracecheck explain ARM\n  tracecheck explain A4",
		func(_ context.Context, args []string) (int, error) { return exitConformant, l.explain(l.out, args) })
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		names := rules.Groups()
		for _, rule := range rules.All() {
			names = append(names, rule.ID)
		}
		for _, reading := range rules.Readings() {
			names = append(names, reading.ID)
		}
		return names, cobra.ShellCompDirectiveNoFileComp
	}
	return l.Describe(c, printing(aboutRules))
}

func (l *commandLine) rulesCommand() *cobra.Command {
	format := "text"
	c := l.Command("rules [flags] [GROUP …]", "list the rules", "rules lists the rules of the groups that are named, or of all.",
		"  tracecheck rules ARM POLL\n  tracecheck rules --format markdown",
		func(_ context.Context, args []string) (int, error) {
			return exitConformant, l.listRules(l.out, format, args)
		})
	c.Flags().Var(oneOf(&format, "text", "markdown"), "format", "output `format`: text, markdown")
	c.ValidArgsFunction = func(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
		return rules.Groups(), cobra.ShellCompDirectiveNoFileComp
	}
	return l.Describe(c, printing(aboutRules))
}

func (l *commandLine) statsCommand() *cobra.Command {
	var limit time.Duration
	c := l.Command("stats [flags] FILE", "count the contents of a trace",
		"stats counts the events, objects, requests and completions of a trace, how often each function is called, and how long the consumer waited, by the clock of the trace. It keeps no event.",
		"  tracecheck stats run.ndktrace.jsonl.zst",
		l.watched(func(ctx context.Context, args []string) (int, error) { return l.stats(ctx, l.out, limit, args) }))
	timeLimit(c.Flags(), &limit, "longest `time` to read for")
	return l.Describe(c, ofTrace("counted", aboutTraces))
}

func (l *commandLine) verifyCommand() *cobra.Command {
	var limit time.Duration
	c := l.Command("verify-witness [flags] WITNESS TRACE", "replay a witness with the model alone",
		"verify-witness replays a witness, which check --witness wrote, against its trace. The replay uses the model and no engine.",
		"  tracecheck --witness run.ndkwitness.jsonl run.ndktrace.jsonl\n  tracecheck verify-witness run.ndkwitness.jsonl run.ndktrace.jsonl",
		l.watched(func(ctx context.Context, args []string) (int, error) { return l.verifyWitness(ctx, l.out, limit, args) }))
	timeLimit(c.Flags(), &limit, "longest `time` to replay for")
	return l.Describe(c, ofReplay)
}

func (l *commandLine) convertCommand() *cobra.Command {
	s, to := &settings{}, ""
	var c *cobra.Command
	c = l.Command("convert --to jsonl|ctf|perfetto|tla [flags] TRACE FILE|FOLDER", "write a trace in another form",
		"convert writes a trace as JSON Lines or in the Common Trace Format, compressed if the name of the file ends in .zst; - is standard output. "+
			"With --to perfetto it writes a trace that Perfetto's viewer opens. "+
			"With --to tla it writes the TLA+ modules by which TLC decides the trace into a folder.",
		"  tracecheck convert --to ctf run.ndktrace.jsonl run.ndktrace.ctf.zst\n  tracecheck convert --to tla run.ndktrace.jsonl modules/",
		l.watched(func(ctx context.Context, args []string) (int, error) {
			return l.convert(ctx, l.out, conversion{s, to, givenBut(c.Flags(), "to", "timeout")}, args)
		}))
	c.Flags().Var(oneOf(&to, "jsonl", "ctf", "perfetto", "tla"), "to", "the `form` to write: jsonl, ctf, perfetto, tla")
	timeLimit(c.Flags(), &s.options.Timeout, "longest `time` to convert for")
	readingFlags(c.Flags(), s)
	return l.Describe(c, ofTrace("written", aboutTraces))
}

func (l *commandLine) fixCommand() *cobra.Command {
	var limit time.Duration
	quiescent := false
	c := l.Command("fix [flags] TRACE FILE", "number the events of a handwritten trace",
		"fix numbers the events of a trace in JSON Lines: seq is 1, 2, 3 … in the order of their lines. It corrects the count in the end record, or adds an end "+
			"record if there is none. It changes no other byte. FILE is another file than the trace, or - for standard output. "+
			"What must happen eventually is judged only if the end record says that the provider was at rest. fix adds that only with --quiescent.",
		"  tracecheck fix draft.ndktrace.jsonl run.ndktrace.jsonl\n  tracecheck fix --quiescent draft.ndktrace.jsonl - | tracecheck -",
		l.watched(func(ctx context.Context, args []string) (int, error) {
			if len(args) != 2 {
				return exitUsage, commandline.UsageError("fix takes a trace, and the file to write")
			}
			return l.copyTrace(ctx, l.out, copying{"fix", args[0], args[1], limit}, func(w io.Writer, source io.Reader) (int, error) {
				events, err := trace.Renumber(w, oneLine(args[0]), source, quiescent)
				return int(events), err
			})
		}))
	c.Flags().BoolVar(&quiescent, "quiescent", false, "write in the end record that the provider was at rest")
	timeLimit(c.Flags(), &limit, "longest `time` to write for")
	return l.Describe(c, ofTrace("written", aboutTraces))
}

func (l *commandLine) schemaCommand() *cobra.Command {
	of := "jsonl"
	c := l.Command("schema [flags]", "print the JSON Schema of traces, or the metadata of binary ones",
		"schema prints the JSON Schema that each line of a trace follows, or with --of ctf the metadata of a binary trace.",
		"  tracecheck schema >ndktrace.schema.json\n  tracecheck schema --of ctf >metadata",
		func(_ context.Context, args []string) (code int, err error) {
			switch {
			case len(args) > 0:
				return exitUsage, commandline.UsageError("schema takes no argument")
			case of == "ctf":
				_, err = io.WriteString(l.out, trace.CtfMetadata())
			default:
				_, err = l.out.Write(trace.Schema())
			}
			return exitConformant, err
		})
	c.Flags().Var(oneOf(&of, "jsonl", "ctf"), "of", "the `form` of traces: jsonl, ctf")
	return l.Describe(c, printing(commandline.Document{File: "trace-format.md", About: "the trace format"}, commandline.Document{File: "trace-binary.md", About: "binary traces"}))
}

func (l *commandLine) versionCommand() *cobra.Command {
	c := l.Command("version", "print the version", "version prints the version of the program, of the trace format, and how many rules there are.",
		"  tracecheck version",
		func(_ context.Context, args []string) (int, error) {
			if len(args) > 0 {
				return exitUsage, commandline.UsageError("version takes no argument")
			}
			fmt.Fprintf(l.out, "tracecheck %s, trace format 1, %d rules, %s\n", release.Version(), len(rules.All()), runtime.Version())
			return exitConformant, nil
		})
	return l.Describe(c, printing(aboutTracecheck))
}
