package main

import "ndkoracle/internal/commandline"

// The documents that say more of the commands.
var (
	aboutTracecheck = commandline.Document{File: "tracecheck.md", About: "tracecheck: verdicts, flags, engines"}
	aboutOutput     = commandline.Document{File: "tracecheck-output.md", About: "what tracecheck writes"}
	aboutTraces     = commandline.Document{File: "tracecheck-traces.md", About: "commands for a trace"}
	aboutWitnesses  = commandline.Document{File: "witness.md", About: "witnesses"}
	aboutRules      = commandline.Document{File: "rules/README.md", About: "a page for each rule"}
	aboutCI         = commandline.Document{File: "ci.md", About: "in continuous integration"}
)

// The exit codes that commands share.
var (
	outOfTime = commandline.Exit{Code: "4", Meaning: "inconclusive: a limit of time or memory was reached"}
	defect    = commandline.Exit{Code: "5", Meaning: "internal error, or the output could not be written"}
	stopped   = commandline.Exit{Code: "130", Meaning: "interrupted, also by SIGTERM"}
)

// ofJudging are the details of check.
func ofJudging() commandline.Details {
	return commandline.Details{See: []commandline.Document{aboutTracecheck, aboutOutput, aboutCI, aboutWitnesses}, Exits: []commandline.Exit{
		{Code: "0", Meaning: "conformant"}, {Code: "1", Meaning: "violation"}, {Code: "2", Meaning: "usage"}, {Code: "3", Meaning: "unreadable or malformed"},
		{Code: "4", Meaning: "inconclusive"}, defect, stopped,
	}}
}

// ofTrace are the details of a command that reads a trace, and does not judge it.
func ofTrace(done string, see ...commandline.Document) commandline.Details {
	return commandline.Details{See: see, Exits: []commandline.Exit{
		{Code: "0", Meaning: done}, {Code: "2", Meaning: "usage"}, {Code: "3", Meaning: "unreadable or malformed"}, outOfTime, defect, stopped,
	}}
}

// printing are the details of a command that reads no trace.
func printing(see ...commandline.Document) commandline.Details {
	return commandline.Details{See: see, Exits: []commandline.Exit{{Code: "0", Meaning: "printed"}, {Code: "2", Meaning: "usage"}, defect}}
}

// ofReplay are the details of verify-witness.
var ofReplay = commandline.Details{See: []commandline.Document{aboutWitnesses}, Exits: []commandline.Exit{
	{Code: "0", Meaning: "the witness is accepted"}, {Code: "1", Meaning: "the witness is refused"}, {Code: "2", Meaning: "usage"},
	{Code: "3", Meaning: "the witness or the trace is unreadable or malformed"}, outOfTime, defect, stopped,
}}
