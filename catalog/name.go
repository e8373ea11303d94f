// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package catalog

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/internal/canon"
	"github.com/toolverdict/toolverdict/internal/plain"
)

const (
	maxNameBytes   = 128
	maxServerBytes = 64
)

// serverNameFault says why a name cannot be a server's, or "". Double and outer
// underscores are what front doors join names with.
func serverNameFault(s string) string {
	switch {
	case s == "":
		return "is empty"
	case len(s) > maxServerBytes:
		return fmt.Sprintf("is longer than %d bytes", maxServerBytes)
	case !regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]*$`).MatchString(s):
		return "must be letters, digits, dots, dashes and underscores, and begin with a letter or digit"
	case strings.Contains(s, "__") || strings.HasSuffix(s, "_"):
		return "must not hold a double underscore or end in one: clients join names with it"
	}
	return keptFault(s)
}

// keptFault says why a name that is none's cannot be one's, or "".
func keptFault(s string) string {
	if strings.EqualFold(s, toolverdict.CanaryName) {
		return "is kept for calls that 'toolverdict doctor' makes to see them denied: rename it"
	}
	return ""
}

// nameFault says why a tool's own name (without the server) is refused, or "".
// It stops names that hide something, that a reader takes for another name, and
// that mean something else to a policy or to a front door.
func nameFault(s string) string {
	switch {
	case s == "":
		return "is empty"
	case len(s) > maxNameBytes:
		return fmt.Sprintf("is longer than %d bytes", maxNameBytes)
	case !utf8.ValidString(s):
		return "is not valid UTF-8"
	}
	for _, r := range s {
		if why := runeFault(r); why != "" {
			return fmt.Sprintf("holds U+%04X, %s", r, why)
		}
	}
	switch lower := strings.ToLower(s); {
	case strings.HasPrefix(lower, "mcp__"):
		return "imitates the spelling that clients use for tools of a server (mcp__SERVER__TOOL)"
	case s == "." || s == "..":
		return "means a folder to many programs"
	case !norm.NFKC.IsNormalString(s):
		return "has characters that are another spelling of plain ones: it must be in composed, compatible form (NFKC)"
	case !singleScript(s):
		return "mixes scripts whose letters look alike"
	case !isASCII(s) && isASCII(skeleton(s)):
		return "is written in letters that look like plain Latin ones"
	}
	return keptFault(s)
}

// runeFault says why a character may not be in a name, or "".
func runeFault(r rune) string {
	switch {
	case r < 0x80 && (r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("_-.", r)):
		return ""
	case unicode.IsControl(r):
		return "a control character"
	case plain.Hidden(r):
		return "a character that cannot be seen or changes the direction of text"
	case r == '/':
		return "the slash that separates server and tool"
	case unicode.IsSpace(r):
		return "a space"
	case r < 0x80:
		return "which is not a letter, digit, dot, dash or underscore"
	case unicode.IsLetter(r) || unicode.In(r, unicode.Mn, unicode.Mc):
		if script := scriptOf(r); (script == "Common" || script == "Inherited" || script == "") && r != 'ー' {
			return "which belongs to no script"
		}
		return ""
	}
	return "which is not a letter"
}

func isASCII(s string) bool {
	return !strings.ContainsFunc(s, func(r rune) bool { return r >= 0x80 })
}

// scriptOf returns the Unicode script of a character.
func scriptOf(r rune) string {
	if r <= unicode.MaxASCII {
		return "Latin" // nearly all letters, and there are some 170 tables
	}
	for name, table := range unicode.Scripts {
		if unicode.Is(table, r) {
			return name
		}
	}
	return ""
}

// singleScript reports whether the letters are of one script, or of scripts
// that are written together (UTS #39, highly restrictive).
func singleScript(s string) bool {
	var found []string
	for _, r := range s {
		if r < 0x80 && !unicode.IsLetter(r) || r == 'ー' {
			continue
		}
		if script := scriptOf(r); !slices.Contains(found, script) {
			found = append(found, script)
		}
	}
	if len(found) < 2 {
		return true
	}
	for _, together := range [][]string{
		{"Latin", "Han", "Hiragana", "Katakana"}, {"Latin", "Han", "Bopomofo"}, {"Latin", "Han", "Hangul"},
	} {
		if !slices.ContainsFunc(found, func(f string) bool { return !slices.Contains(together, f) }) {
			return true
		}
	}
	return false
}

// lookalikes maps letters of other scripts, and rare Latin ones, to the plain
// Latin letter, digit or sign that they are taken for.
func lookalikes() map[string]string {
	return map[string]string{
		"a": "аɑαᴀꓮА", "A": "ΑᎪ", "b": "Ьᖯь", "B": "ВΒᏴ", "c": "сϲᴄ", "C": "СϹᏟ", "d": "ԁꓒ", "D": "Ꭰ",
		"e": "еҽ", "E": "ЕΕᎬ", "F": "Ϝ", "g": "ɡց", "G": "ԌᏀ", "h": "һհᏂ", "H": "НΗᎻ",
		"i": "іıɩιіᎥ", "I": "ІΙӀ", "j": "јϳ", "J": "ЈᎫ", "k": "кκᴋ", "K": "КΚᏦ", "l": "ӏ丨ㅣⅼ", "L": "Ꮮ",
		"m": "м", "M": "МΜᎷ", "n": "пոη", "N": "Ν", "o": "оοσօᴏ〇ㅇ", "O": "ОΟՕ", "p": "рρ", "P": "РΡᏢ",
		"q": "ԛգ", "r": "гᴦ", "R": "Ꭱ", "s": "ѕꜱ", "S": "ЅՏᏚ", "t": "тτ", "T": "ТΤᎢ", "u": "υսᴜ", "U": "Ս",
		"v": "ѵνᴠ", "V": "Ѵ", "w": "ѡԝաᴡ", "W": "ԜᎳ", "x": "хχ", "X": "ХΧ", "y": "уүγу", "Y": "ҮΥУ",
		"z": "ᴢ", "Z": "ΖᏃ", "3": "ЗӠʒӡ", "4": "Ꮞ", "6": "б", "-": "一ーㅡ", "/": "ノ丿",
	}
}

// skeleton is a form under which names that look alike are equal. It goes on
// from [canon.Fold] with what UTS #39 calls confusables, as far as they matter
// for names of tools.
func skeleton(s string) string {
	if strings.ContainsFunc(s, func(r rune) bool { return r > unicode.MaxASCII }) {
		s = latin(norm.NFKC.String(s))
	}
	return strings.NewReplacer("0", "o", "1", "l", "i", "l", "rn", "m", "vv", "w", "-", "_", ".", "_").Replace(canon.Fold(s))
}

// latin puts the plain Latin letters in the place of those that look like them.
func latin(s string) string {
	table := map[rune]string{}
	for plain, others := range lookalikes() {
		for _, r := range others {
			table[r] = plain
		}
	}
	var b strings.Builder
	for _, r := range s {
		if plain, ok := table[r]; ok {
			b.WriteString(plain)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

// Plain returns what a server wrote as it may be shown to people, and to models:
// without terminal escapes, control characters (line breaks and tabs stay),
// bidirectional and zero-width characters, and bytes that are not UTF-8.
func Plain(s string) string { return plain.Text(s) }

// Reveal returns what a server wrote for a close look, such as a diff: what
// [Plain] would drop is written out as \u{202E}.
func Reveal(s string) string { return plain.Reveal(s) }
