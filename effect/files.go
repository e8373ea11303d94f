// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package effect

import (
	"os"
	stdpath "path"
	"path/filepath"
	"strings"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/internal/argument"
	"github.com/toolverdict/toolverdict/effect/internal/command"
	"github.com/toolverdict/toolverdict/effect/path"
)

// path reads a path, with the links below the tool's root where the gate sees
// them.
func (r *reading) path(v located, role tv.Role) []tv.Effect {
	o := path.Options{
		Source: v.at, Uses: r.uses(role), Deep: role.Deep, Glob: role.Glob, Verbatim: role.Verbatim,
		Root: r.place.Root, Home: r.place.Home, Windows: r.place.Windows, Folded: r.place.Folded, Base: role.Base,
	}
	switch base, given, readable := r.baseFrom(role); {
	case !readable && strings.HasPrefix(role.BaseFrom, "/"):
		return []tv.Effect{opaque(v.at, "the argument that names the folder is no text")}
	case !readable:
		return []tv.Effect{opaque(v.at, "the host does not say which folder it starts from")}
	case given:
		o.Base = base
	}
	if !r.place.Links {
		return path.AnalyseValue(v.value, o)
	}
	root, err := os.OpenRoot(r.place.Root)
	if err != nil {
		return []tv.Effect{opaque(v.at, "the folder that the tool works in cannot be seen from here")}
	}
	defer func() { _ = root.Close() }() // it was only read
	if o.Real, err = filepath.EvalSymlinks(r.place.Root); err != nil {
		return []tv.Effect{opaque(v.at, "the folder that the tool works in cannot be seen from here")}
	}
	o.Tree = root
	return path.AnalyseValue(v.value, o)
}

// uses are what the tool does with the path. Where the catalog does not say, a
// tool that only reads reads it; any other may do everything to it.
func (r *reading) uses(role tv.Role) []path.Use {
	uses := make([]path.Use, 0, len(role.Uses))
	for _, use := range role.Uses {
		uses = append(uses, path.Use(use))
	}
	switch {
	case len(uses) > 0:
		return uses
	case r.reads:
		return []path.Use{path.Read}
	}
	return []path.Use{path.Read, path.Write, path.Delete}
}

// baseFrom reads the folder that another argument or a fact of the host names.
// Where the argument is left out, the tool starts from its root; a fact that the
// host does not say, or that is no absolute folder, is not known.
func (r *reading) baseFrom(role tv.Role) (base string, given, readable bool) {
	if name, fact := role.BaseFact(); fact {
		base = r.facts[name]
		return base, true, stdpath.IsAbs(base)
	}
	if _, there := r.args.Pointer(role.BaseFrom); !there || role.BaseFrom == "" {
		return "", false, true
	}
	base, text := argument.Text(r.args, role.BaseFrom)
	return base, true, text
}

// folder is where a command starts. It is not known where another argument
// names it in a way that is not clear.
func (r *reading) folder(role tv.Role) command.Place {
	p := command.Place{Place: r.place}
	switch base, given, readable := r.baseFrom(role); {
	case !readable:
	case given:
		found := path.Analyse(base, path.Options{Uses: []path.Use{path.List}, Root: r.place.Root, Home: r.place.Home})
		if len(found) == 1 && found[0].Path != "" && !found[0].Deep {
			p.Dir, p.Known = found[0].Path, true
		}
	case stdpath.IsAbs(role.Base):
		p.Dir, p.Known = role.Base, true
	default:
		p.Dir, p.Known = stdpath.Join(r.place.Root, role.Base), r.place.Root != ""
	}
	return p
}
