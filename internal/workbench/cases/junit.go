// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package cases

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/toolverdict/toolverdict/internal/plain"
)

// The elements of a JUnit report, as far as CI servers read them.
type (
	junitSuites struct {
		XMLName  xml.Name     `xml:"testsuites"`
		Tests    int          `xml:"tests,attr"`
		Failures int          `xml:"failures,attr"`
		Suites   []junitSuite `xml:"testsuite"`
	}
	junitSuite struct {
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Cases    []junitCase `xml:"testcase"`
	}
	junitCase struct {
		Class   string        `xml:"classname,attr"`
		Name    string        `xml:"name,attr"`
		File    string        `xml:"file,attr"`
		Line    int           `xml:"line,attr"`
		Failure *junitFailure `xml:"failure"`
	}
	junitFailure struct {
		Message string `xml:"message,attr"`
		Text    string `xml:",chardata"`
	}
)

// JUnit writes a report as JUnit XML, one suite for each file. Why writes what
// is to be read of a case that failed.
func JUnit(to io.Writer, r *Report, why func(io.Writer, *Outcome) error) error {
	all := junitSuites{Tests: len(r.Outcomes), Failures: r.Failed}
	for i := range r.Outcomes {
		o := &r.Outcomes[i]
		if len(all.Suites) == 0 || all.Suites[len(all.Suites)-1].Name != o.File {
			all.Suites = append(all.Suites, junitSuite{Name: o.File})
		}
		suite := &all.Suites[len(all.Suites)-1]
		one := junitCase{Class: strings.TrimSuffix(o.File, ".yaml"), Name: plain.Line(o.Name), File: o.File, Line: o.Line}
		if suite.Tests++; !o.Passed {
			var text strings.Builder
			if err := why(&text, o); err != nil {
				return err
			}
			suite.Failures++
			one.Failure = &junitFailure{Message: plain.Line(strings.Join(o.Differs, "; ")), Text: text.String()}
		}
		suite.Cases = append(suite.Cases, one)
	}
	b, err := xml.MarshalIndent(&all, "", "  ")
	if err != nil {
		return fmt.Errorf("write JUnit XML: %w", err)
	}
	_, err = fmt.Fprintf(to, "%s%s\n", xml.Header, b)
	return err
}
