package ruletable

import (
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"ndkoracle/internal/tlc"
	"ndkoracle/linearize/declared"
)

// contract are the modules that have the rules; those for TLC add what has to be remembered to state some of them.
var contract = []string{"CompletionQueue", "QueuePair", "Tokens", "Ndk", "SharedReceiveQueue", "Consumer",
	"MCCompletionQueue", "MCQueuePair", "MCNdk", "MCSharedReceiveQueue", "MCConsumer"}

var (
	operator = regexp.MustCompile(`^(\w+)(?:\([^=]*\))? ==`)
	comment  = regexp.MustCompile(`^(?:\\\*|\(\*)`)
	extends  = regexp.MustCompile(`(?m)^EXTENDS (.*)`)
	nameless = regexp.MustCompile(`\\\*.*|\(\*.*\*\)|"[^"]*"`) // what of a line names no operator
	word     = regexp.MustCompile(`\w+`)

	specification = regexp.MustCompile(`(?m)^SPECIFICATION (\w+)`)
)

// operators finds the operators of tla/ that name a rule, in the comment above them or in their own text; and the words in the
// text of every operator, by its name without that of the module.
func operators(repository fs.FS) (found mentions, uses map[string][]string, err error) {
	found, uses = mentions{}, map[string][]string{}
	for _, module := range contract {
		text, err := fs.ReadFile(repository, "tla/"+module+".tla")
		if err != nil {
			return nil, nil, err
		}
		above, name := "", ""
		for line := range strings.Lines(string(text)) {
			switch m := operator.FindStringSubmatch(line); {
			case m != nil:
				name = module + "!" + m[1]
				found.add(above+line, name)
				above = ""
			case comment.MatchString(line):
				above, name = above+line, ""
			case strings.TrimSpace(line) == "" || strings.HasPrefix(line, "---"):
				above, name = "", ""
			case name != "":
				found.add(line, name)
			}
			if name != "" {
				_, of, _ := strings.Cut(name, "!")
				uses[of] = append(uses[of], word.FindAllString(nameless.ReplaceAllString(line, ""), -1)...)
			}
		}
	}
	return found, uses, nil
}

// reach returns the names of the operators that some operators are made of, and their own.
func reach(from []string, uses map[string][]string) map[string]bool {
	reached := map[string]bool{}
	for ahead := slices.Clone(from); len(ahead) > 0; {
		name := ahead[len(ahead)-1]
		if ahead = ahead[:len(ahead)-1]; !reached[name] {
			reached[name] = true
			ahead = append(ahead, uses[name]...)
		}
	}
	return reached
}

// checks finds, of the configurations that must hold, the operators of tla/ that TLC checks, and the names of those that are the
// specifications which it checks.
func checks(repository fs.FS) (properties map[string]bool, specifications []string, err error) {
	modules, err := fs.Glob(repository, "tla/*.tla")
	if err != nil {
		return nil, nil, err
	}
	read := map[string]module{}
	for _, file := range modules {
		text, err := fs.ReadFile(repository, file)
		if err != nil {
			return nil, nil, err
		}
		read[strings.TrimSuffix(path.Base(file), ".tla")] = readModule(string(text))
	}
	manifest, err := fs.ReadFile(repository, "tla/"+tlc.ManifestName)
	if err != nil {
		return nil, nil, err
	}
	configurations, err := tlc.ParseManifest("tla/"+tlc.ManifestName, string(manifest))
	if err != nil {
		return nil, nil, err
	}
	properties = map[string]bool{}
	for _, c := range configurations {
		if c.Verdict != tlc.Pass {
			continue
		}
		text, err := fs.ReadFile(repository, "tla/"+c.Cfg())
		if err != nil {
			return nil, nil, err
		}
		for _, property := range tlc.Checked(string(text)) {
			of := definedIn(property, c.Module, read)
			if of == "" {
				return nil, nil, fmt.Errorf("tla/%s: %s does not define %s", c.Cfg(), c.Module, property)
			}
			properties[of+"!"+property] = true
		}
		if m := specification.FindSubmatch(text); m != nil {
			specifications = append(specifications, string(m[1]))
		}
	}
	return properties, specifications, nil
}

// A module of TLA+: the operators that it defines, and the modules that it extends.
type module struct {
	defines map[string]bool
	extends []string
}

func readModule(text string) module {
	m := module{defines: map[string]bool{}}
	for line := range strings.Lines(text) {
		if of := operator.FindStringSubmatch(line); of != nil {
			m.defines[of[1]] = true
		}
	}
	if of := extends.FindStringSubmatch(text); of != nil {
		for extended := range strings.SplitSeq(of[1], ",") {
			m.extends = append(m.extends, strings.TrimSpace(extended))
		}
	}
	return m
}

// definedIn returns which module defines an operator that another one knows: itself, or one that it extends; "" if none does.
func definedIn(name, of string, modules map[string]module) string {
	if modules[of].defines[name] {
		return of
	}
	for _, extended := range modules[of].extends {
		if by := definedIn(name, extended, modules); by != "" {
			return by
		}
	}
	return ""
}

// overall are functions and variables that speak of many rules, as declarations do, which have no name; counts matches the functions that count what a trace exercises,
// and decide nothing.
var (
	overall = map[string]bool{"_": true, "Uncounted": true, "cover": true}
	counts  = regexp.MustCompile(`^(?:mayExercise|sumOccasions$|count[A-Z])`)
)

// constants returns the values of the constants of a file, by their names.
func constants(repository fs.FS, name string) (map[string]string, error) {
	text, err := fs.ReadFile(repository, name)
	if err != nil {
		return nil, err
	}
	file, err := parser.ParseFile(token.NewFileSet(), name, text, 0)
	if err != nil {
		return nil, err
	}
	literal, all := map[string]string{}, map[string]string{}
	for _, d := range file.Decls {
		collectVariables(d, literal)
	}
	for constant, quoted := range literal {
		all[constant], _ = strconv.Unquote(strings.TrimSpace(quoted))
	}
	return all, nil
}

// shared returns the rules for which the constants of other packages stand, by their names there: those of a breach, and those that an occasion exercises on
// which engines count.
func shared(repository fs.FS) (map[string]string, error) {
	all := map[string]string{}
	breaches, err := constants(repository, "linearize/breach/rules.go")
	if err != nil {
		return nil, err
	}
	for constant, rule := range breaches {
		all["breach."+constant] = rule
	}
	occasions, err := constants(repository, "linearize/declared/engines.go")
	if err != nil {
		return nil, err
	}
	for constant, words := range occasions {
		all["declared."+constant] = strings.Join(declared.By(declared.Occasion(words)), " ")
	}
	return all, nil
}

// functions finds the functions of some packages that name a rule: in their comment, in a message, by a refusal that does, or by an occasion.
// Told are those of them that do not in a comment alone.
func functions(repository fs.FS, folders ...string) (found, told mentions, err error) {
	found, told = mentions{}, mentions{}
	elsewhere, err := shared(repository)
	if err != nil {
		return nil, nil, err
	}
	for _, folder := range folders {
		files, err := fs.Glob(repository, folder+"/*.go")
		if err != nil || len(files) == 0 {
			return nil, nil, fmt.Errorf("no Go files in %s: %w", folder, err)
		}
		var parsed []*ast.File
		refusals := maps.Clone(elsewhere) // variables and constants, with the rules that they name
		for _, name := range files {
			if strings.HasSuffix(name, "_test.go") {
				continue
			}
			text, err := fs.ReadFile(repository, name)
			if err != nil {
				return nil, nil, err
			}
			file, err := parser.ParseFile(token.NewFileSet(), name, text, parser.ParseComments)
			if err != nil {
				return nil, nil, err
			}
			parsed = append(parsed, file)
			for _, declared := range file.Decls {
				collectVariables(declared, refusals)
			}
		}
		for _, file := range parsed {
			for _, declared := range file.Decls {
				if f, ok := declared.(*ast.FuncDecl); ok && !overall[f.Name.Name] && !counts.MatchString(f.Name.Name) {
					name, text := functionName(folder, f), said(f, refusals)
					found.add(f.Doc.Text()+text, name)
					told.add(text, name)
				}
			}
		}
	}
	return found, told, nil
}

// collectVariables records the package's variables and constants whose values are literals that name rules.
func collectVariables(declared ast.Decl, into map[string]string) {
	general, ok := declared.(*ast.GenDecl)
	if !ok {
		return
	}
	for _, spec := range general.Specs {
		if values, ok := spec.(*ast.ValueSpec); ok && len(values.Names) == 1 && len(values.Values) == 1 && !overall[values.Names[0].Name] {
			into[values.Names[0].Name] = literals(values.Values[0], nil)
		}
	}
}

// said returns the text that is in a function's strings, and in those of the variables that it uses.
func said(f *ast.FuncDecl, variables map[string]string) string {
	if f.Body == nil {
		return ""
	}
	return literals(f.Body, variables)
}

// literals returns the strings within a node, and those of the variables that it uses.
func literals(node ast.Node, variables map[string]string) string {
	var b strings.Builder
	ast.Inspect(node, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.BasicLit:
			b.WriteString(n.Value + "\n")
		case *ast.Ident:
			b.WriteString(variables[n.Name] + "\n")
		case *ast.SelectorExpr:
			if of, ok := n.X.(*ast.Ident); ok {
				b.WriteString(variables[of.Name+"."+n.Sel.Name] + "\n")
			}
		}
		return true
	})
	return b.String()
}

// functionName is the name of a function or method, with its package where that is one below the column's own.
func functionName(folder string, f *ast.FuncDecl) string {
	name := f.Name.Name
	if f.Recv != nil {
		receiver := f.Recv.List[0].Type
		if star, ok := receiver.(*ast.StarExpr); ok {
			receiver = star.X
		}
		if id, ok := receiver.(*ast.Ident); ok {
			name = id.Name + "." + name
		}
	}
	if path.Dir(folder) != "." {
		return path.Base(folder) + "." + name
	}
	return name
}

// files finds the Go files of some packages, tests apart, that name a rule.
func files(repository fs.FS, folders ...string) (mentions, error) {
	found := mentions{}
	for _, folder := range folders {
		names, err := fs.Glob(repository, folder+"/*.go")
		if err != nil {
			return nil, err
		}
		for _, name := range names {
			text, err := fs.ReadFile(repository, name)
			if err != nil {
				return nil, err
			}
			if !strings.HasSuffix(name, "_test.go") {
				found.add(string(text), name)
			}
		}
	}
	return found, nil
}
