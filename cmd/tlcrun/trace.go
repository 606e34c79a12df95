package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path"
	"path/filepath"
	"strings"

	"ndkoracle/internal/counterexample"
	"ndkoracle/internal/tlc"
	"ndkoracle/model/mc"
)

// writeTraces writes the counter-examples of the configurations that must fail as traces and as pages into a folder, and returns how
// many could not be.
func writeTraces(ctx context.Context, runner tlc.Runner, selected []*tlc.Configuration, jobs int, folder string) (bad int, err error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return 0, err
	}
	for i, outcome := range runAll(selected, jobs, func(c tlc.Configuration) error {
		return writeTrace(ctx, runner, c, filepath.Join(folder, path.Base(c.Name)))
	}) {
		answer := <-outcome
		if err := ctx.Err(); err != nil {
			return 0, errors.New("interrupted")
		}
		said := filepath.Join(folder, path.Base(selected[i].Name)) + traceSuffix
		if answer != nil {
			said = "NOT WRITTEN\n    " + answer.Error()
			bad++
		}
		fmt.Printf("%-36s %s\n", selected[i].Name, said)
	}
	return bad, nil
}

const traceSuffix = ".ndktrace.jsonl"

// writeTrace has TLC find the counter-example of a configuration, and writes it as a trace and as a page, by a name without its suffix.
func writeTrace(ctx context.Context, runner tlc.Runner, c tlc.Configuration, file string) error {
	module := strings.Replace(c.Module, "wrong/Wrong", "MC", 1)
	machine, err := mc.Read(os.DirFS(runner.Dir), module, c.Name)
	if err != nil {
		return err
	}
	result, err := runner.CounterExample(ctx, c, machine.Actions())
	if err != nil {
		return err
	}
	if len(result.Trace) == 0 {
		return fmt.Errorf("TLC found no counter-example: %s %s", result.Verdict, strings.Join(result.Errors, "; "))
	}
	example := counterexample.Of(c.Name, machine)
	example.Property = c.Property
	for _, step := range result.Trace[1:] {
		switch {
		case step.Stuttering:
			example.Stutters = true
		case step.Back > 0:
			return errors.New("the counter-example goes on for ever, and a trace ends")
		default:
			after := map[string]string{}
			for _, v := range step.Vars {
				after[v.Name] = v.Value
			}
			example.Steps = append(example.Steps, counterexample.Step{Action: step.Action, After: after})
		}
	}
	var out bytes.Buffer
	if err := counterexample.Write(&out, example); err != nil {
		return err
	}
	if err := os.WriteFile(file+traceSuffix, out.Bytes(), 0o644); err != nil {
		return err
	}
	out.Reset()
	if err := drawExample(&out, example); err != nil {
		return err
	}
	return os.WriteFile(file+".html", out.Bytes(), 0o644)
}
