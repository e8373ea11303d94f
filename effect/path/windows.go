// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package path

import (
	"strings"
)

// windowsPath is a path as Windows takes it apart.
type windowsPath struct {
	volume string // "C:", "//server/share" or ""
	host   string // of a share
	parts  []string
	rooted bool
	doubt  string // why it may name something else
	blind  string // why it cannot be told what it names
}

func (w *windowsPath) suspect(why string) {
	if w.doubt == "" {
		w.doubt = why
	}
}

// splitWindows takes a path apart; both slashes separate.
func splitWindows(text string) windowsPath {
	var w windowsPath
	s := strings.ReplaceAll(text, `\`, "/")
	for _, prefix := range []string{"//?/", "//./", "/??/"} {
		rest, ok := strings.CutPrefix(s, prefix)
		if !ok {
			continue
		}
		w.suspect("a path to a device, which is not read as others are")
		switch {
		case len(rest) >= 4 && strings.EqualFold(rest[:4], "UNC/"):
			s = "//" + rest[4:]
		case len(rest) >= 2 && rest[1] == ':':
			s = rest
		default:
			w.blind = "a device"
			return w
		}
	}
	switch {
	case strings.HasPrefix(s, "//"):
		s = w.share(s[2:])
	case len(s) >= 2 && s[1] == ':' && s[0]|0x20 >= 'a' && s[0]|0x20 <= 'z':
		w.volume, s = s[:2], s[2:]
		if w.rooted = strings.HasPrefix(s, "/"); !w.rooted {
			w.blind = "a path that starts in whatever folder its drive is at"
			return w
		}
	default:
		w.rooted = strings.HasPrefix(s, "/")
	}
	if w.blind == "" {
		for part := range strings.SplitSeq(s, "/") {
			w.add(part)
		}
	}
	return w
}

// share reads the server and the share of a network path.
func (w *windowsPath) share(s string) string {
	server, rest, _ := strings.Cut(s, "/")
	share, rest, _ := strings.Cut(rest, "/")
	if server == "" || server == "." || server == ".." || share == "" || share == "." || share == ".." || strings.ContainsAny(server, ":*?\"<>|%") {
		w.blind = "a network path without a share"
		return ""
	}
	if strings.HasSuffix(share, "$") {
		w.suspect("an administrative share, which stands for a local drive of its server")
	}
	host, _, webdav := strings.Cut(server, "@")
	if webdav {
		w.suspect("a network path that is reached over HTTP")
	}
	w.host = strings.ToLower(strings.TrimSuffix(host, "."))
	w.volume, w.rooted = "//"+server+"/"+share, true
	return "/" + rest
}

// add reads one part, the way the system does before it looks for a file.
func (w *windowsPath) add(part string) {
	switch part {
	case "", ".":
		return
	case "..":
		w.parts = append(w.parts, part)
		return
	}
	if i := strings.IndexByte(part, ':'); i >= 0 {
		w.suspect("a stream of a file, which stands beside its content")
		part = part[:i]
	}
	kept := strings.TrimRight(part, ". ")
	if kept == "" {
		w.suspect("a part of dots and blanks, which some take for the folder above")
		return
	}
	if strings.ContainsAny(kept, `<>"|?*`) {
		w.suspect("characters that no name on Windows has")
	}
	if device(kept) {
		w.suspect("the name of a device")
	}
	if shortName(kept) {
		w.suspect("a short name, which stands for another one")
	}
	w.parts = append(w.parts, kept)
}

// device reports whether Windows opens a device by that name, whatever the
// extension and the folder.
func device(name string) bool {
	base, _, _ := strings.Cut(name, ".")
	base = strings.ToUpper(strings.TrimRight(base, " "))
	switch base {
	case "CON", "PRN", "AUX", "NUL", "CONIN$", "CONOUT$", "CLOCK$":
		return true
	}
	for _, port := range []string{"COM", "LPT"} {
		if n, ok := strings.CutPrefix(base, port); ok {
			return len(n) == 1 && n[0] >= '0' && n[0] <= '9' || n == "¹" || n == "²" || n == "³"
		}
	}
	return false
}

// shortName reports whether the name has the form that Windows makes up for
// long ones, such as PROGRA~1.
func shortName(name string) bool {
	base, extension, _ := strings.Cut(name, ".")
	tilde := strings.LastIndexByte(base, '~')
	if tilde < 1 || len(base) > 8 || len(extension) > 3 || tilde == len(base)-1 {
		return false
	}
	return strings.Trim(base[tilde+1:], "0123456789") == ""
}

// locateWindows makes a reading absolute.
func (a *analysis) locateWindows(text string) location {
	w := splitWindows(text)
	at := location{host: w.host, doubt: w.doubt, blind: w.blind}
	switch {
	case w.blind != "":
	case w.volume != "":
		at.place = place{w.volume, w.parts}
	case w.rooted:
		// On the drive that the tool is at.
		if a.rooted || a.based {
			at.place = place{a.base.volume, w.parts}
		} else {
			at.blind = "a path on whatever drive the tool is at"
		}
	case !a.based:
		at.blind = "a relative path, and no folder it could start from"
	default:
		at.place = a.base.join(w.parts)
	}
	return at
}
