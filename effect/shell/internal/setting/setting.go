// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

// Package setting knows which settings of git, ssh and shells are harmless, by
// their names. It knows nothing of the commands that set them.
//
// A setting that it does not know is not harmless.
package setting

import "strings"

// Git reports whether a setting of git, "section.name", changes nothing that
// git runs and nowhere that it connects to.
func Git(section, name, value string) bool {
	switch section {
	case "user", "author", "committer", "color", "advice", "log", "status", "column", "i18n", "push", "pull", "fetch",
		"rebase", "blame", "branch", "tag", "apply", "versionsort":
		return (name != "gpgsign" || value == "false") && name != "bundleuri" && !strings.HasSuffix(name, "remote")
	case "core":
		switch name {
		case "quotepath", "autocrlf", "eol", "filemode", "ignorecase", "abbrev", "longpaths", "safecrlf",
			"symlinks", "precomposeunicode", "preloadindex", "untrackedcache", "commentchar":
			return true
		case "pager":
			return value == "cat" || value == ""
		case "fsmonitor":
			return value == "false"
		case "editor":
			return value == "true" || value == ":"
		}
	case "diff":
		switch name {
		case "noprefix", "mnemonicprefix", "renames", "renamelimit", "algorithm", "context", "interhunkcontext",
			"colormoved", "wserrorhighlight", "statgraphwidth", "submodule":
			return true
		}
	case "init":
		return name == "defaultbranch"
	case "commit":
		return name == "gpgsign" && value == "false" || name == "verbose"
	case "merge":
		return name == "conflictstyle" || name == "ff" || name == "renamelimit" || name == "stat"
	case "gc", "maintenance":
		return name == "auto"
	case "credential":
		return name == "helper" && value == ""
	case "http":
		return name == "postbuffer" || name == "lowspeedlimit" || name == "lowspeedtime" || name == "version"
	}
	return false
}

// SSH reports whether a setting of ssh, in lower case, changes nothing that ssh
// runs and nowhere that it connects to.
func SSH(name string) bool {
	switch name {
	case "batchmode", "connecttimeout", "connectionattempts", "stricthostkeychecking",
		"globalknownhostsfile", "loglevel", "serveraliveinterval", "serveralivecountmax", "identitiesonly",
		"passwordauthentication", "pubkeyauthentication", "preferredauthentications", "kbdinteractiveauthentication",
		"requesttty", "compression", "addkeystoagent", "updatehostkeys", "hostkeyalgorithms", "tcpkeepalive",
		"numberofpasswordprompts", "gssapiauthentication", "ciphers", "macs", "kexalgorithms", "checkhostip",
		"pubkeyacceptedalgorithms", "pubkeyacceptedkeytypes", "permitlocalcommand":
		return true
	}
	return false
}

// Shell reports whether an option of a shell, of "set -o" or "shopt", changes
// neither how it reads commands nor what its globs pick and where its cd goes.
func Shell(name string) bool {
	switch name {
	case "pipefail", "errexit", "nounset", "noglob", "noclobber", "notify", "errtrace", "functrace", "hashall", "monitor",
		"physical", "posix", "privileged", "verbose", "xtrace", "braceexpand", "emacs", "vi", "ignoreeof", "interactive-comments",
		"onecmd", "nolog",
		"nullglob", "failglob", "globstar", "extglob", "globasciiranges", "globskipdots", "nocasematch", "inherit_errexit",
		"expand_aliases", "checkwinsize", "cmdhist", "lithist", "histappend", "huponexit", "login_shell", "restricted_shell",
		"no_empty_cmd_completion", "progcomp", "hostcomplete", "checkjobs", "localvar_unset", "patsub_replacement":
		return true
	}
	return false
}
