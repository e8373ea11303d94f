// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package shell

import (
	"path"
	"slices"
	"strings"

	"mvdan.cc/sh/v3/syntax"

	"github.com/toolverdict/toolverdict/effect/shell/internal/program"
	"github.com/toolverdict/toolverdict/effect/shell/internal/state"
	"github.com/toolverdict/toolverdict/effect/shell/internal/word"
)

// influence is what setting a variable changes.
type influence uint8

const (
	noInfluence influence = iota
	findsPrograms
	loadsCode    // into programs that are known, too
	runsCommand  // the value is a command, to which words are added
	showsOutput  // the value is a command that is fed
	talks        // the value is a command like ssh
	loadsModules // into interpreters and build tools
	isPrompt     // the value is expanded as a prompt, with the commands in it
	isProxy
)

// influenceOf knows the variables that change what runs.
func influenceOf(name string) influence {
	switch name {
	case "PATH":
		return findsPrograms
	case "BASH_CMDS", "BASH_ALIASES", "BASH_ENV", "ENV", "SHELLOPTS", "BASHOPTS", "BASH_LOADABLES_PATH", "BASH_XTRACEFD", "GLOBIGNORE", "GCONV_PATH", "PYTHONSTARTUP",
		"PYTHONWARNINGS", "PYTHONBREAKPOINT", "PERL5OPT", "PERL5LIB", "PERLLIB", "PERL5DB", "RUBYOPT", "NODE_OPTIONS",
		"JAVA_TOOL_OPTIONS", "_JAVA_OPTIONS", "JDK_JAVA_OPTIONS", "GIT_EXEC_PATH", "GIT_TEMPLATE_DIR", "GIT_ALLOW_PROTOCOL",
		"TAR_OPTIONS", "RIPGREP_CONFIG_PATH", "LESSKEY", "LESSKEYIN", "LESSKEY_CONTENT", "GREP_OPTIONS", "ACKRC",
		"OPENSSL_CONF", "OPENSSL_MODULES", "OPENSSL_ENGINES", "CURL_HOME", "WGETRC", "INPUTRC", "VIMINIT", "EXINIT",
		"MYVIMRC", "ZDOTDIR", "TEXTDOMAINDIR", "LOCPATH", "NLSPATH", "TERMINFO", "TERMCAP", "MAILCAPS", "NULLCMD",
		"READNULLCMD", "FPATH", "MAILPATH", "EXECIGNORE", "HISTFILE", "POSIXLY_CORRECT", "RSYNC_OLD_ARGS",
		"ZIPOPT", "UNZIP", "UNZIPOPT", "ZIPINFO", "ZIPINFOOPT", "MANOPT", "PARALLEL", "RSYNC_PROXY", "NODE_V8_COVERAGE", "SSLKEYLOGFILE":
		return loadsCode
	case "PAGER", "GIT_PAGER", "MANPAGER", "SYSTEMD_PAGER", "AWS_PAGER", "DELTA_PAGER", "BAT_PAGER", "PROMPT_COMMAND":
		return showsOutput
	case "GIT_SSH", "GIT_SSH_COMMAND", "RSYNC_RSH", "CVS_RSH", "SVN_SSH":
		return talks
	case "EDITOR", "VISUAL", "GIT_EDITOR", "GIT_SEQUENCE_EDITOR", "SVN_EDITOR", "HGEDITOR", "FCEDIT", "SUDO_EDITOR",
		"KUBE_EDITOR", "GIT_EXTERNAL_DIFF", "GIT_ASKPASS", "SSH_ASKPASS", "SUDO_ASKPASS", "GIT_PROXY_COMMAND", "LESSOPEN",
		"LESSCLOSE", "BROWSER", "RSYNC_CONNECT_PROG", "TAPE", "SHELL", "MAKESHELL", "COMSPEC", "GPG_TTY_COMMAND",
		"COMPILER_PATH", "SED", "MANROFFOPT":
		return runsCommand
	case "PYTHONPATH", "PYTHONHOME", "PYTHONUSERBASE", "NODE_PATH", "RUBYLIB", "GEM_HOME", "GEM_PATH", "CLASSPATH", "GOFLAGS",
		"GOROOT", "GOPATH", "CC", "CXX", "LD", "AR", "CFLAGS", "LDFLAGS", "RUSTFLAGS", "RUSTC_WRAPPER", "MAKEFLAGS",
		"MAKEFILES", "GRADLE_OPTS", "MAVEN_OPTS", "HOME", "XDG_CONFIG_HOME", "XDG_CONFIG_DIRS", "GIT_DIR", "GIT_WORK_TREE",
		"GIT_INDEX_FILE", "GIT_COMMON_DIR", "GIT_OBJECT_DIRECTORY", "GIT_ATTR_SOURCE", "MANPATH", "LUA_PATH", "LUA_CPATH",
		"GEM_SPEC_CACHE", "LESS", "DOCKER_CONFIG", "DOCKER_HOST", "KUBECONFIG":
		return loadsModules
	case "PS0", "PS1", "PS2", "PS4", "PROMPT":
		return isPrompt
	case "http_proxy", "https_proxy", "HTTP_PROXY", "HTTPS_PROXY", "ftp_proxy", "FTP_PROXY", "all_proxy", "ALL_PROXY":
		return isProxy
	}
	for _, prefix := range []string{"LD_", "DYLD_", "BASH_FUNC_", "GIT_CONFIG", "GIT_TRACE", "_RLD"} {
		if strings.HasPrefix(name, prefix) {
			return loadsCode
		}
	}
	return noInfluence
}

// environment notes what setting a variable to the word changes.
func (a *analyser) environment(s *state.State, name string, w word.Word) {
	text, static := w.Static()
	switch influenceOf(name) {
	case findsPrograms:
		if !a.harmlessPath(s, w) {
			a.found.Opaque("PATH is changed, so which programs run is not certain")
		}
	case loadsCode:
		if static && (text == "" && name != "POSIXLY_CORRECT" || name == "NODE_OPTIONS" && harmlessNodeOptions(text)) {
			return
		}
		a.found.Opaque(name + " is set, which changes what programs run")
	case runsCommand, showsOutput, talks:
		if !static || strings.TrimSpace(text) != "" && !(name == "SHELL" && usualShell(text)) {
			a.commandVariable(s, influenceOf(name), w)
		}
	case loadsModules:
		if !static || text != "" {
			s.Flags.Doubt = true
		}
	case isPrompt:
		if !static || strings.ContainsAny(text, "$`") {
			a.found.Opaque(name + " is expanded with the commands in it")
		}
	case isProxy:
		if !static || text != "" {
			a.connect(program.Use{Kind: program.URL, Word: w})
		}
	case noInfluence:
	}
}

// exported notes a variable that programs see.
func (a *analyser) exported(s *state.State, name string, w word.Word) {
	switch influenceOf(name) {
	case noInfluence, loadsModules:
		s.Flags.Leads = s.Flags.Leads || program.Leads(name, w, func(place string) bool {
			return program.SystemTree(path.Clean(place)) || a.inWorkspace(path.Clean(place)) || place == "/dev/null"
		})
	case findsPrograms, loadsCode, runsCommand, showsOutput, talks, isPrompt, isProxy: // these count wherever they are set
	}
}

// exportedNow notes a variable that an assignment or a declaration exports.
func (a *analyser) exportedNow(s *state.State, as *syntax.Assign) {
	if as.Name == nil {
		return
	}
	if w, ok := s.Text(as.Name.Value); ok {
		a.exported(s, as.Name.Value, w)
	}
}

func usualShell(p string) bool {
	switch path.Base(p) {
	case "sh", "bash", "dash", "zsh", "ksh", "fish":
		return program.SystemFolder(path.Dir(p))
	}
	return false
}

// commandVariable runs the command that a variable holds.
func (a *analyser) commandVariable(s *state.State, kind influence, w word.Word) {
	stdin := a.stdin
	a.stdin = nil
	defer func() { a.stdin = stdin }()
	if kind == talks {
		if plan, ok := a.table.Transport(w); ok {
			a.apply(s, &plan)
			return
		}
	}
	run := program.WithMore(w)
	if kind == showsOutput {
		run = program.Run{Text: w, Shell: program.POSIX}
	}
	a.start(s, &run)
}

// harmlessPath reports whether a search path only adds the system's folders to
// what it was. With a folder of the user's own, any program may be another than
// the table knows.
func (a *analyser) harmlessPath(s *state.State, w word.Word) bool {
	if w.Glob {
		return false
	}
	for dir := range strings.SplitSeq(w.Text, ":") {
		switch {
		case dir == string(rune(word.Env)):
		case !path.IsAbs(dir) || path.Clean(dir) != dir && path.Clean(dir)+"/" != dir || strings.ContainsAny(dir, "\x00\x01\x02"):
			return false
		case a.inWorkspace(dir):
			return false
		case a.ownPrograms(s, path.Clean(dir)):
			s.Flags.Doubt = true
		case !program.SystemTree(path.Clean(dir)):
			return false
		}
	}
	return true
}

// ownPrograms reports whether a folder is one in which installers put programs
// for one user, and the text wrote nothing there.
func (a *analyser) ownPrograms(s *state.State, dir string) bool {
	if s.Home == "" || s.Home == "/" {
		return false
	}
	switch strings.TrimPrefix(dir, s.Home+"/") {
	case "bin", ".local/bin", "go/bin", ".cargo/bin", ".bun/bin", ".deno/bin", ".npm-global/bin", ".yarn/bin":
	default:
		return false
	}
	return !slices.ContainsFunc(a.written, func(wrote written) bool {
		return wrote.path == "" || under(wrote.path, dir) || wrote.deep && under(dir, wrote.path)
	})
}

func (a *analyser) inWorkspace(p string) bool {
	for _, root := range []string{a.opts.Root, a.opts.Dir} {
		if root != "" && root != "/" && under(p, path.Clean(root)) {
			return true
		}
	}
	return false
}

func under(p, root string) bool {
	return p == root || root == "/" || strings.HasPrefix(p, root+"/")
}

func harmlessNodeOptions(text string) bool {
	for option := range strings.FieldsSeq(text) {
		switch name, _, _ := strings.Cut(option, "="); name {
		case "--max-old-space-size", "--max-semi-space-size", "--no-warnings", "--no-deprecation", "--enable-source-maps",
			"--openssl-legacy-provider", "--trace-warnings", "--trace-deprecation", "--stack-trace-limit", "--unhandled-rejections",
			"--dns-result-order", "--experimental-vm-modules":
		default:
			return false
		}
	}
	return true
}
