package main

import (
	"encoding/json"
	"fmt"
	"os"
	"slices"
	"strings"
	"testing"
)

// helpURIs returns the links of the rules in a log of SARIF, which the schema accepts.
func helpURIs(t *testing.T, log string) (uris []string) {
	t.Helper()
	if err := sarifValidator(t)([]byte(log)); err != nil {
		t.Errorf("%v\n%s", err, log)
	}
	var read sarifLog
	if err := json.Unmarshal([]byte(log), &read); err != nil {
		t.Fatal(err)
	}
	for _, rule := range read.Runs[0].Tool.Driver.Rules {
		uris = append(uris, rule.HelpURI)
	}
	return uris
}

// With --docs, or NDK_DOCS in the environment, SARIF links to the page of each rule on the site. The flag wins. Without either the link is a URN.
func TestSarifLinksToTheSite(t *testing.T) {
	site, err := os.ReadFile("../../mkdocs.yml")
	if err != nil || !strings.Contains(string(site), "\nuse_directory_urls: false\n") {
		t.Errorf("the site does not name its pages as files (%v)", err)
	}
	b := newBench(t)
	variable := ""
	b.getenv = func(name string) string {
		if name == "NDK_DOCS" {
			return variable
		}
		return ""
	}
	names := files(t, "provider", "undecided")
	for _, test := range []struct{ flag, variable, rule, other string }{
		{"", "", "urn:ndkoracle:docs/rules/ARM-11.md", "urn:ndkoracle:docs/tracecheck.md#verdicts-and-exit-codes"},
		{"https://x.example/ndk/", "", "https://x.example/ndk/rules/ARM-11.html", "https://x.example/ndk/tracecheck.html#verdicts-and-exit-codes"},
		{"http://[::1]:8000", "", "http://[::1]:8000/rules/ARM-11.html", "http://[::1]:8000/tracecheck.html#verdicts-and-exit-codes"},
		{"", "https://y.example", "https://y.example/rules/ARM-11.html", "https://y.example/tracecheck.html#verdicts-and-exit-codes"},
		{"https://x.example/a b", "https://y.example", "https://x.example/a%20b/rules/ARM-11.html", "https://x.example/a%20b/tracecheck.html#verdicts-and-exit-codes"},
	} {
		args := append(slices.Clone(names), "--format", "sarif")
		if variable = test.variable; test.flag != "" {
			args = append(args, "--docs", test.flag)
		}
		b.do(args...)
		if uris := helpURIs(t, b.out.String()); !slices.Equal(uris, []string{test.rule, test.other}) {
			t.Errorf("%q: %q", test, uris)
		}
	}
}

// The other formats have the link where they have room for one, and none without --docs.
func TestFormatsLinkToTheSite(t *testing.T) {
	b := newBench(t)
	name := files(t, "provider")[0]
	const page = "https://x.example/ndk/rules/ARM-11.html"
	for format, want := range map[string]string{
		"text": "      its page    " + page + "\n", "junit": "its page    " + page, "github": "%0A" + page + "\n",
		"checkstyle": " (" + page + ")", "codeclimate": `"body": "[ARM-11](<` + page + `>)"`, "json": `"page": "` + page + `"`,
	} {
		b.do(name, "--format", format, "--docs", "https://x.example/ndk")
		if !strings.Contains(b.out.String(), want) {
			t.Errorf("%s: no %s in\n%s", format, want, &b.out)
		}
		b.do(name, "--format", format)
		if strings.Contains(b.out.String(), "ARM-11.html") || strings.Contains(b.out.String(), "its page") || strings.Contains(b.out.String(), `"content"`) {
			t.Errorf("%s: a link without --docs in\n%s", format, &b.out)
		}
	}
}

// What is not the http or https address of a site is a usage error that names the flag or the variable, and nothing is judged.
func TestDocsIsAnAddress(t *testing.T) {
	name := files(t, "conformant")[0]
	for _, wrong := range []string{
		"docs/", "ftp://x.example/", "https://", "https:///a", "https://x.example/?a", "https://x.example/?", "https://x.example/#a", "https://u:p@x.example/",
		"javascript:alert(1)", "https://a<b/", "https://x\u202e.example", "https://x.example:port/", "https://x.example/\n",
	} {
		b := newBench(t)
		want := fmt.Sprintf("invalid value %q for --docs: must be the http or https address of a site, such as https://example.org/ndkoracle/", wrong)
		if code := b.do(name, "--docs", wrong); code != exitUsage || b.out.Len() > 0 || !strings.Contains(b.errors.String(), want) {
			t.Errorf("%q: exit %d, %s%s", wrong, code, &b.out, &b.errors)
		}
		b.getenv = func(variable string) string { return map[string]string{"NDK_DOCS": wrong}[variable] }
		want = strings.Replace(want, "--docs", "the variable NDK_DOCS", 1)
		if code := b.do(name); code != exitUsage || b.out.Len() > 0 || !strings.Contains(b.errors.String(), want) {
			t.Errorf("NDK_DOCS %q: exit %d, %s%s", wrong, code, &b.out, &b.errors)
		}
	}
	b := newBench(t)
	if code := b.do(name, "--docs", ""); code != exitUsage {
		t.Errorf("exit %d", code)
	}
}
