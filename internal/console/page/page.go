// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package page writes the console's pages from the templates and assets that the
// program carries. It knows markup and nothing of where the data comes from.
// Every text is escaped where it is put, by html/template.
package page

import (
	"bytes"
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/toolverdict/toolverdict/internal/console/words"
	"github.com/toolverdict/toolverdict/internal/plain"
)

//go:embed templates/*.html assets
var files embed.FS

// Files are the sources of the pages, for tests that look into them.
func Files() fs.FS { return files }

// Frame is what every page is written from.
type Frame struct {
	Head

	L         *words.Language
	Languages []*words.Language
	Title     string
	Path      string // of this page, to come back to
	Observe   bool   // the gate enforces no rules
	Flash     *Flash
	Body      any
	At        time.Time
}

// Head is what the top of a page knows of the person signed in.
type Head struct {
	Who     string // "" for nobody
	Nav     []Link
	Officer bool   // may look at what others did
	Waiting string // how many approvals wait for this person, "" for none
	Mark    int64  // where the log stood before the page was made
}

// Link is one of the pages that the head of each page leads to.
type Link struct {
	Name, Path string
	Current    bool
}

// Flash tells what came of the last action.
type Flash struct{ Kind, Text string }

// View is a frame as templates see it.
type View struct {
	Frame

	Assets string
}

// Part is an item of a page, with the language it is written in.
type Part struct {
	L *words.Language
	I any
}

// With hands an item to a part of the page.
func (v View) With(item any) Part { return Part{v.L, item} }

// Moment is a time as it is shown and as machines read it.
type Moment struct {
	L     *words.Language
	Stamp string
	At    time.Time
}

// When shows a time.
func (v View) When(t time.Time) Moment { return Moment{v.L, v.Stamp(t), t} }

// Stamp is a time as machines read it.
func (v View) Stamp(t time.Time) string { return t.UTC().Format(time.RFC3339) }

// Left is how long it is until a time.
func (v View) Left(t time.Time) string { return v.L.Left(t.Sub(v.At)) }

// Ago is how long it has been since a time.
func (v View) Ago(t time.Time) string { return v.L.Ago(v.At.Sub(t)) }

// Show writes out what would not be seen.
func (v View) Show(s string) string { return plain.Reveal(s) }

// JSON shows a value, or that there is none.
func (v View) JSON(raw json.RawMessage) string {
	if len(raw) == 0 {
		return "–"
	}
	return plain.Reveal(string(raw))
}

// Pages writes pages. It is safe for concurrent use.
type Pages struct {
	made   map[string]*template.Template
	assets string // names the version of the assets
}

// Load reads the templates.
func Load() (*Pages, error) {
	layout, err := template.New("layout").ParseFS(files, "templates/layout.html")
	if err != nil {
		return nil, fmt.Errorf("load pages: %w", err)
	}
	names, err := fs.Glob(files, "templates/*.html")
	if err != nil {
		return nil, fmt.Errorf("load pages: %w", err)
	}
	p := &Pages{made: map[string]*template.Template{}}
	for _, name := range names {
		base := strings.TrimSuffix(path.Base(name), ".html")
		if base == "layout" {
			continue
		}
		t, err := layout.Clone()
		if err == nil {
			t, err = t.ParseFS(files, name)
		}
		if err != nil {
			return nil, fmt.Errorf("load pages: %w", err)
		}
		p.made[base] = t
	}
	sum := sha256.New()
	for _, name := range assets() {
		b, err := files.ReadFile("assets/" + name)
		if err != nil {
			return nil, fmt.Errorf("load pages: %w", err)
		}
		sum.Write(b)
	}
	p.assets = hex.EncodeToString(sum.Sum(nil)[:6])
	return p, nil
}

// assets are what pages load besides themselves.
func assets() []string { return []string{"console.js", "icon.svg", "style.css"} }

// Write writes a page. It writes all of it or, where something is wrong, nothing.
func (p *Pages) Write(w io.Writer, name string, f Frame) error {
	t, ok := p.made[name]
	if !ok {
		return fmt.Errorf("write page %q: there is no such page", name)
	}
	var b bytes.Buffer
	if err := t.ExecuteTemplate(&b, "layout", View{f, p.assets}); err != nil {
		return fmt.Errorf("write page %q: %w", name, err)
	}
	_, err := b.WriteTo(w)
	return err
}

// Asset returns an asset of the version that pages name.
func (p *Pages) Asset(version, name string) (b []byte, kind string, ok bool) {
	if version != p.assets {
		return nil, "", false
	}
	b, err := files.ReadFile("assets/" + path.Base(name))
	if err != nil {
		return nil, "", false
	}
	kinds := map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8", ".svg": "image/svg+xml"}
	return b, kinds[path.Ext(name)], true
}
