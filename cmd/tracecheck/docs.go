package main

import (
	"net/url"
	"regexp"

	"ndkoracle/internal/commandline"
	"ndkoracle/rules"
)

// docsVariable is the variable of the environment that has the address of the documents where --docs is not given.
const docsVariable = "NDK_DOCS"

// hostOfDocs is what a host may look like: a name, in ASCII, or an address, with or without a port.
var hostOfDocs = regexp.MustCompile(`^([A-Za-z0-9.-]+|\[[0-9A-Fa-f:.]+\])(:[0-9]+)?$`)

// setDocs keeps the address of the published documents, the site that make docs builds.
func (s *settings) setDocs(text string) error {
	address, err := url.Parse(text)
	if err != nil || address.Scheme != "http" && address.Scheme != "https" || !hostOfDocs.MatchString(address.Host) || address.User != nil || address.RawQuery != "" ||
		address.ForceQuery || address.Fragment != "" {
		return commandline.UsageError("must be the http or https address of a site, such as https://example.org/ndkoracle/")
	}
	s.docs = address
	return nil
}

// findDocs looks for the address of the documents in the environment, where no flag has given one.
func (p *program) findDocs(s *settings) error {
	text := p.getenv(docsVariable)
	if s.docs != nil || text == "" {
		return nil
	}
	if err := s.setDocs(text); err != nil {
		return commandline.UsageError("invalid value %q for the variable %s: %w", text, docsVariable, err)
	}
	return nil
}

// pageOfRule returns the address of the page of a rule, or "" where the documents have no known address.
func (s *settings) pageOfRule(id string) string {
	if _, known := rules.Get(id); !known || s.docs == nil {
		return ""
	}
	return s.docs.JoinPath("rules", id+".html").String()
}

// helpOf returns the URI of the page of a rule, or of the page on verdicts where it is not a rule. SARIF asks for an absolute URI in any case.
func (s *settings) helpOf(id string) string {
	_, isRule := rules.Get(id)
	switch {
	case isRule && s.docs != nil:
		return s.pageOfRule(id)
	case s.docs != nil:
		page := s.docs.JoinPath("tracecheck.html")
		page.Fragment = "verdicts-and-exit-codes"
		return page.String()
	case isRule:
		return documents + "rules/" + id + ".md"
	}
	return documents + "tracecheck.md#verdicts-and-exit-codes"
}

// documents is the URI of the folder with the documents of this version, where no address of a site is given. The linker sets it (-X main.documents=URI/) where
// they are published.
var documents = "urn:ndkoracle:docs/"
