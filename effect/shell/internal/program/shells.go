// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package program

import (
	"strings"

	"github.com/toolverdict/toolverdict/effect/shell/internal/setting"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// special hands the arguments to the function that knows them. It returns
// false where the row still has to be read.
func (r *reading) special(args []word.Word) bool {
	switch r.row.Special {
	case "find":
		return r.find(args)
	case "xargs":
		return r.xargs(args)
	case "parallel":
		return r.parallel(args)
	case "shell":
		return r.shell(args)
	case "ssh":
		return r.ssh(args)
	case "tar":
		return r.tar(args)
	case "copy":
		return r.copy(args)
	case "dd":
		return r.dd(args)
	case "test":
		return r.test(args)
	case "flock":
		return r.flock(args)
	case "python":
		return r.python(args)
	case "gitconfig":
		return r.gitConfigCommand(args)
	case "wget":
		return r.wget(args)
	case "env":
		return r.runsEnv(args)
	case "make":
		return r.makeVariables(args)
	case "fd":
		return r.fd(args)
	case "capsh":
		return r.capsh(args)
	case "socat":
		return r.socat(args)
	}
	r.plan.opaque("the table names a reader that does not exist")
	return true
}

// invocation is how a shell is started.
type invocation struct {
	text   bool // -c: the first operand is its program
	stdin  bool // -s
	noexec bool // -n: it only parses
	runs   bool // an option that makes it run after all, or could
}

// shell reads "bash [options] [-c text | file] [arguments]".
func (r *reading) shell(args []word.Word) bool {
	p := r.plan
	var how invocation
	rest, ok := r.shellOptions(&how, args)
	if !ok || r.ended {
		return true
	}
	switch {
	case how.noexec && !how.runs:
		for _, w := range rest {
			p.use(Read, w)
		}
	case len(rest) == 0 || how.stdin && !how.text:
		p.Stdin = r.dialect()
	case how.text:
		p.Runs = append(p.Runs, Run{Text: word.Text(rest[:1]), Args: rest[1:], Shell: r.dialect()})
	default:
		r.applyCode("script", rest[0])
	}
	return true
}

// shellOptions reads the options and returns what follows them; not ok when
// that cannot be said.
func (r *reading) shellOptions(how *invocation, args []word.Word) (rest []word.Word, ok bool) {
	for i := 0; i < len(args) && !r.ended; i++ {
		s, static := args[i].Static()
		if !static && args[i].Loose() != word.Firm {
			r.plan.opaque("an argument of " + r.name + " that is not known could be an option")
			return nil, false
		}
		head := args[i].Prefix()
		switch {
		case s == "--" || s == "-":
			return args[i+1:], true
		case head == "" || head[0] != '-' && head[0] != '+':
			return args[i:], true
		case !static:
			r.plan.opaque("an option of " + r.name + " is not known")
			return nil, false
		case strings.HasPrefix(s, "--"):
			if r.longShellOption(s) {
				i++
			}
		default:
			i += r.shellLetters(how, s, args[i+1:])
		}
	}
	return nil, true
}

// shellLetters reads "-eo" or "+n" and returns how many words after it are
// values.
func (r *reading) shellLetters(how *invocation, s string, after []word.Word) int {
	letters := s[1:]
	if s[0] == '-' {
		how.text = how.text || strings.Contains(letters, "c")
		how.stdin = how.stdin || strings.Contains(letters, "s")
		how.noexec = how.noexec || strings.Contains(letters, "n")
	}
	// What is interactive runs in spite of -n, and +n takes it back.
	how.runs = how.runs || s[0] == '+' || strings.ContainsAny(letters, "oi")
	if strings.Trim(letters, "ceilmnprstuvxbfhBCEPToO") != "" {
		r.plan.opaque("an option of " + r.name + " changes how it reads commands")
	}
	if !strings.ContainsAny(letters, "oO") || len(after) == 0 {
		return 0
	}
	if name, ok := after[0].Static(); !ok || !setting.Shell(name) {
		r.plan.opaque("an option of " + r.name + " changes how it reads commands")
	}
	return 1
}

// longShellOption reads an option of two dashes and reports whether it takes
// the next word.
func (r *reading) longShellOption(s string) bool {
	switch s {
	case "--version", "--help":
		r.ended = true
	case "--norc", "--noprofile", "--login", "--posix", "--verbose", "--noediting", "--restricted", "--dump-strings",
		"--pretty-print", "--debugger":
	case "--rcfile", "--init-file":
		r.plan.opaque(r.name + " reads commands from a file of its own choice")
		return true
	default:
		r.plan.opaque("an option of " + r.name + " is not in the table, so what it runs is not certain")
	}
	return false
}

func (r *reading) dialect() Shell {
	switch r.name {
	case "bash", "rbash":
		return Bash
	case "sh", "dash", "ash", "busybox sh", "toybox sh":
		return POSIX
	case "zsh", "ksh", "mksh", "yash":
		return Korn
	}
	return Foreign
}

// xargs reads "xargs [options] [command [arguments]]", and fills in words that
// are not known.
func (r *reading) xargs(args []word.Word) bool {
	mark := ""
	for i, w := range args {
		s, ok := w.Static()
		if !ok || !strings.HasPrefix(s, "-") {
			break
		}
		if m, found := strings.CutPrefix(s, "-I"); found {
			mark = m
			if m == "" && i+1 < len(args) {
				mark = args[i+1].Text
			}
		}
		if s == "-i" || s == "--replace" {
			mark = "{}"
		} else if m, found := strings.CutPrefix(s, "--replace="); found {
			mark = m
		} else if m, found := strings.CutPrefix(s, "-i"); found {
			mark = m
		}
	}
	r.readOptions(args)
	if r.ended {
		*r.plan = Plan{Known: true}
		return true
	}
	if len(r.operands) == 0 {
		return true
	}
	r.loose(r.operands[0].Loose())
	one := word.Word{Text: string(rune(word.Any))}
	argv := word.Fill(r.operands, mark, one)
	if mark == "" {
		argv = append(argv, word.Unknown())
	}
	r.plan.Runs = append(r.plan.Runs, Run{Argv: argv})
	return true
}

// parallel reads "parallel [options] [command] [::: arguments]". It quotes
// what it fills in.
func (r *reading) parallel(args []word.Word) bool {
	r.readOptions(args)
	var command []word.Word
	for _, w := range r.operands {
		if strings.HasPrefix(w.Prefix(), ":::") {
			break
		}
		command = append(command, w)
	}
	text := word.Text(command)
	s, ok := text.Static()
	if !ok || s == "" || strings.ContainsAny(s, "'\"`\\$<>#") || strings.Contains(s, "{=") {
		r.plan.opaque("the command that parallel runs is not known")
		return true
	}
	filled := s
	for _, mark := range []string{"{}", "{.}", "{/}", "{//}", "{/.}"} {
		filled = strings.ReplaceAll(filled, mark, `"$@"`)
	}
	if filled == s {
		filled += ` "$@"`
	}
	r.plan.Runs = append(r.plan.Runs, Run{Text: word.Lit(filled), Shell: Bash, Args: []word.Word{word.Lit("parallel"), word.Unknown()}})
	return true
}

// ssh reads "ssh [options] host [options] [command...]".
func (r *reading) ssh(args []word.Word) bool {
	p := r.plan
	host, port := word.Word{}, word.Word{}
	for len(args) > 0 {
		head := args[0].Prefix()
		if args[0].Loose() == word.Loose && host.Text == "" {
			p.opaque("the host, or an option, of ssh is not known")
		}
		if !strings.HasPrefix(head, "-") || head == "-" {
			if host.Text != "" || host.Many {
				break
			}
			host, args = args[0], args[1:]
			continue
		}
		value, n := word.Word{}, 1
		if len(head) > 1 && strings.IndexByte(sshValues, head[len(head)-1]) >= 0 && len(head) == len(args[0].Text) {
			if len(args) > 1 {
				value, n = args[1], 2
			}
		} else if len(head) > 2 {
			value = args[0].Cut(2)
		}
		if r.sshOption(head, value) {
			port = value
		}
		args = args[n:]
	}
	if r.ended {
		*p = Plan{Known: true}
		return true
	}
	p.Uses = append(p.Uses, Use{Kind: Host, Word: host, Scheme: "ssh", Port: port})
	if len(args) == 0 {
		if !r.coded {
			p.opaque("ssh without a command runs what its standard input says")
		}
		return true
	}
	p.Runs = append(p.Runs, Run{Text: word.Text(args), Shell: POSIX, Away: true})
	return true
}

// sshValues are the options of ssh that take a value.
const sshValues = "BbcDEeFIiJLlmOopQRSWw"

// sshOption reads one option and reports whether its value is the port.
func (r *reading) sshOption(head string, value word.Word) bool {
	p := r.plan
	c := head[len(head)-1]
	if i := strings.IndexAny(head[1:], sshValues); i >= 0 {
		c = head[i+1]
	}
	switch c {
	case 'p':
		return true
	case 'i', 'I':
		p.use(Read, value)
	case 'E':
		p.use(Write, value)
	case 'J', 'W', 'L', 'R', 'D', 'w':
		p.connect()
		r.coded = true
	case 'N', 'f', 'O':
		r.coded = true
	case 'V', 'Q':
		r.ended = true
	case 'F':
		p.opaque("ssh takes its settings from a file that may run commands")
	case 'o':
		r.sshSetting(value)
	}
	return false
}

func (r *reading) sshSetting(value word.Word) {
	s, ok := value.Static()
	name, rest, _ := strings.Cut(s, "=")
	if !ok {
		r.plan.opaque("a setting of ssh is not known")
		return
	}
	switch name = strings.ToLower(strings.TrimSpace(name)); {
	case name == "proxycommand" || name == "localcommand" || name == "knownhostscommand":
		r.plan.Runs = append(r.plan.Runs, Run{Text: word.Lit(rest), Shell: POSIX})
	case name == "userknownhostsfile":
		for file := range strings.FieldsSeq(rest) {
			r.plan.use(Write, word.Lit(strings.Trim(file, `"`)))
		}
	case !setting.SSH(name):
		r.plan.opaque("a setting of ssh changes where it connects or what it runs")
	}
}

// flock reads "flock [options] file [-c text | command...]" and "flock number".
func (r *reading) flock(args []word.Word) bool {
	r.readOptions(args)
	if len(r.operands) == 0 {
		return true
	}
	if s, ok := r.operands[0].Static(); len(r.operands) > 1 || !ok || strings.Trim(s, "0123456789") != "" {
		r.plan.use(Write, r.operands[0])
	}
	rest := r.operands[1:]
	if len(rest) == 0 {
		return true
	}
	if s, _ := rest[0].Static(); s == "-c" || s == "--command" {
		if len(rest) > 1 {
			r.applyCode("sh", rest[1])
		}
		return true
	}
	r.plan.Runs = append(r.plan.Runs, Run{Argv: rest})
	return true
}

// python hands "python -m MODULE ..." to the row of the module.
func (r *reading) python(args []word.Word) bool {
	for i, w := range args {
		s, ok := w.Static()
		if !ok || !strings.HasPrefix(s, "-") || strings.HasPrefix(s, "--") {
			return false
		}
		if at := strings.IndexAny(s, "mc"); at < 0 || s[at] == 'c' {
			if s == "-W" || s == "-X" {
				return false
			}
			continue
		} else if module := s[at+1:]; module != "" {
			return r.module(module, args[i+1:])
		}
		if i+1 == len(args) {
			return false
		}
		module, ok := args[i+1].Static()
		if !ok {
			r.plan.opaque("the module that " + r.name + " runs is not known")
			return true
		}
		return r.module(module, args[i+2:])
	}
	return false
}

func (r *reading) module(module string, args []word.Word) bool {
	r.plan.Known = false
	r.plan.addVerb("-m " + module)
	name := "python -m " + module
	switch module {
	case "pip", "pip3", "twine", "poetry", "uv", "virtualenv", "pipx", "pytest", "mypy", "ruff":
		r.plan.Verb = ""
		r.plan.Runs = append(r.plan.Runs, Run{Argv: append([]word.Word{word.Lit(strings.TrimSuffix(module, "3"))}, args...)})
		return true
	}
	e, ok := r.table.rows.Find(name)
	if !ok {
		r.plan.opaque("the module " + name + " is not in the table, so what it does with its arguments is not certain")
		return true
	}
	r.plan.Known = true
	r.table.read(r.plan, e.Row, name, args)
	return true
}
