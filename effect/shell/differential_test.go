// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build unix

package shell_test

import (
	"context"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/effect/shell"
)

// TestMain makes the generated scripts the same each time, so that whoever
// changes something else is not stopped by a script that nobody saw before. To
// look for more, give -rapid.seed and -rapid.checks.
func TestMain(m *testing.M) {
	flag.Parse()
	if seed := flag.Lookup("rapid.seed"); seed.Value.String() == "0" {
		if err := seed.Value.Set("20260101"); err != nil {
			panic(err)
		}
	}
	m.Run()
}

// stubs are harmless programs that log how they are called; those that end in
// "f" fail.
var stubs = []string{"alpha", "beta", "gamma", "deltaf", "rm", "touch", "git", "curl", "cat", "ls"}

// realPrograms run others, so the test needs them as they are.
var realPrograms = []string{"env", "timeout", "nice", "nohup", "xargs", "find", "setsid", "stdbuf", "awk", "sed", "bash", "sh"}

const stubText = `#!/bin/sh
us=$(printf '\037')
line=${0##*/}
for a do line=$line$us$a; done
printf '%s\036' "$line" >>"$STUB_LOG"
case $0 in *f) exit 1;; esac
`

// bench is a folder in which scripts run with stand-ins for every program.
type bench struct {
	bash, root, bin, work string
	runs                  int
}

func newBench(t *testing.T) *bench {
	t.Helper()
	bash, err := exec.LookPath("bash")
	if err != nil {
		return nil // nothing to compare with
	}
	b := &bench{bash: bash, root: t.TempDir()}
	b.bin, b.work = filepath.Join(b.root, "bin"), filepath.Join(b.root, "x/y/work")
	for _, dir := range []string{b.bin, filepath.Join(b.work, "sub/deep"), filepath.Join(b.root, "home")} {
		if err := os.MkdirAll(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range stubs {
		if err := os.WriteFile(filepath.Join(b.bin, name), []byte(stubText), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, name := range realPrograms {
		if found, err := exec.LookPath(name); err == nil {
			if err := os.Symlink(found, filepath.Join(b.bin, name)); err != nil {
				t.Fatal(err)
			}
		}
	}
	return b
}

// run runs a script and returns the calls that the stand-ins logged.
func (b *bench) run(t interface{ Fatalf(string, ...any) }, argv ...string) [][]string {
	// What an earlier script left running must not log here.
	b.runs++
	log := filepath.Join(b.root, "log"+strconv.Itoa(b.runs))
	ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
	defer cancel()
	cmd := exec.CommandContext(ctx, argv[0], argv[1:]...)
	cmd.Dir = b.work
	cmd.Env = []string{"PATH=" + b.bin, "HOME=" + filepath.Join(b.root, "home"), "STUB_LOG=" + log, "FUNCNEST=8", "LC_ALL=C.UTF-8"}
	cmd.WaitDelay = time.Second
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
	err := cmd.Run() // a script may well fail
	if cmd.Process == nil {
		t.Fatalf("start %q: %v", argv[0], err)
	}
	// What it left running would write into the folder while it is removed.
	_ = syscall.Kill(-cmd.Process.Pid, syscall.SIGKILL)
	text, err := os.ReadFile(log)
	if err != nil && !os.IsNotExist(err) {
		t.Fatalf("read the log: %v", err)
	}
	var calls [][]string
	for line := range strings.SplitSeq(string(text), "\x1e") {
		if line != "" {
			calls = append(calls, strings.Split(line, "\x1f"))
		}
	}
	return calls
}

// options are those under which the bench runs scripts.
func (b *bench) options() shell.Options {
	return shell.Options{Dir: b.work, Root: b.work, Home: filepath.Join(b.root, "home")}
}

// predicted reports whether an effect stands for a call that was seen.
func predicted(effects []toolverdict.Effect, call []string) bool {
	return slices.ContainsFunc(effects, func(e toolverdict.Effect) bool {
		return e.Kind == toolverdict.EffectExecute && filepath.Base(e.Program) == call[0] && len(e.Argv) > 0 && fits(e.Argv[1:], call[1:])
	})
}

// fits matches an argument list against words in which a NUL stands for any
// text, and a word of one NUL for any number of words.
func fits(pattern, argv []string) bool {
	if len(pattern) == 0 {
		return len(argv) == 0
	}
	if strings.Trim(pattern[0], "\x00") == "" && pattern[0] != "" {
		for n := range len(argv) + 1 {
			if fits(pattern[1:], argv[n:]) {
				return true
			}
		}
		return false
	}
	if strings.Contains(pattern[0], "\x00") {
		for n := 1; n <= len(argv); n++ { // a glob may become several
			if fitsText(pattern[0], argv[n-1]) && fits(pattern[1:], argv[n:]) {
				return true
			}
		}
		return len(argv) > 0 && fitsText(pattern[0], argv[0]) && fits(pattern, argv[1:])
	}
	return len(argv) > 0 && pattern[0] == argv[0] && fits(pattern[1:], argv[1:])
}

func fitsText(pattern, text string) bool {
	parts := strings.Split(pattern, "\x00")
	if !strings.HasPrefix(text, parts[0]) {
		return false
	}
	text = text[len(parts[0]):]
	for _, p := range parts[1:] {
		i := strings.Index(text, p)
		if i < 0 {
			return false
		}
		text = text[i+len(p):]
	}
	return true
}

// compare runs a script and fails when a program ran that was not predicted.
func (b *bench) compare(t interface{ Fatalf(string, ...any) }, script string) (opaque bool, ran int) {
	return b.compareIn(t, shell.Bash, []string{b.bash, "--noprofile", "--norc"}, script)
}

func (b *bench) compareIn(t interface{ Fatalf(string, ...any) }, p shell.Platform, sh []string, script string) (opaque bool, ran int) {
	o := b.options()
	o.Platform = p
	effects := shell.Analyse(script, o)
	if isOpaque(effects) {
		return true, 0
	}
	calls := b.run(t, append(slices.Clone(sh), "-c", script)...)
	for _, call := range calls {
		if !predicted(effects, call) {
			t.Fatalf("%q under %q ran %q, which is not among the effects %+v", script, sh[0], call, effects)
		}
	}
	return false, len(calls)
}

// TestDifferentialPOSIX does the same for a text that is for /bin/sh, under
// every shell that might be it.
func TestDifferentialPOSIX(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if b == nil {
		return
	}
	shells := [][]string{{b.bash, "--posix"}}
	for _, name := range []string{"dash", "ksh", "mksh", "busybox"} {
		if found, err := exec.LookPath(name); err == nil {
			shells = append(shells, map[bool][]string{false: {found}, true: {found, "sh"}}[name == "busybox"])
		}
	}
	rapid.Check(t, func(t *rapid.T) {
		script := drawScript(t)
		if rapid.Bool().Draw(t, "soup") {
			script = drawSoup(t)
		}
		b.compareIn(t, shell.POSIX, rapid.SampledFrom(shells).Draw(t, "shell"), script)
	})
}

func drawSoup(t *rapid.T) string {
	return strings.Join(rapid.SliceOfN(rapid.SampledFrom(soup), 1, 14).Draw(t, "pieces"), "")
}

// TestDifferential runs generated scripts under bash: every program that ran,
// with its arguments, must be among the effects.
func TestDifferential(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if b == nil {
		return
	}
	total, opaque, ran := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		script := drawScript(t)
		o, n := b.compare(t, script)
		total++
		ran += n
		if o {
			opaque++
		}
	})
	t.Logf("%d scripts, %d opaque, %d programs ran", total, opaque, ran)
	if opaque*4 > total*3 || ran < total/2 {
		t.Errorf("%d of %d scripts were opaque and %d programs ran: too little was compared", opaque, total, ran)
	}
}

func drawScript(t *rapid.T) string {
	n := rapid.IntRange(1, 4).Draw(t, "statements")
	var b strings.Builder
	b.WriteString(rapid.SampledFrom([]string{"", "c=\n", "c= x=q y=abc\n", "c= x= y='p q'\n"}).Draw(t, "preface"))
	for range n {
		b.WriteString(drawStatement(t, 3))
		b.WriteString(rapid.SampledFrom([]string{"\n", "; ", "\n\n", " # note\n"}).Draw(t, "end"))
	}
	return b.String()
}

func drawStatement(t *rapid.T, depth int) string {
	if depth == 0 {
		return drawCommand(t, 0)
	}
	sub := func() string { return drawStatement(t, depth-1) }
	switch rapid.IntRange(0, 27).Draw(t, "form") {
	case 0:
		return sub() + " && " + sub()
	case 1:
		return sub() + " || " + sub()
	case 2:
		return sub() + " | " + sub()
	case 3:
		return "( " + sub() + " )"
	case 4:
		return "{ " + sub() + "; }"
	case 5:
		return "if " + sub() + "; then " + sub() + "; else " + sub() + "; fi"
	case 6:
		return "for v in " + drawWords(t, depth-1) + "; do " + sub() + "; done"
	case 7:
		return "n=0; while (( n++ < 2 )); do " + sub() + "; done"
	case 8:
		return "case " + drawWord(t, 0) + " in a*) " + sub() + ";; *) " + sub() + ";; esac"
	case 9:
		return "fn() { " + sub() + "; }; fn " + drawWords(t, depth-1)
	case 10:
		return "! " + sub()
	case 11:
		return drawCommand(t, depth-1) + " <<" + rapid.SampledFrom([]string{"EOF", "'EOF'", "\"EOF\"", "-EOF"}).Draw(t, "here") +
			"\ntext $(" + drawCommand(t, 0) + ")\nEOF\n"
	case 12:
		return rapid.SampledFrom([]string{"x", "y", "c"}).Draw(t, "name") + "=" + drawWord(t, depth-1)
	case 13:
		return rapid.SampledFrom([]string{"cd sub", "cd nowhere", "cd ..", "set -e", "set -- a b", "shift", "export x", "unset y", "local z=1", "a=(alpha beta)", `declare c=beta`, "readonly c", "true", "false", "exit", "return", "break", "trap alpha EXIT"}).Draw(t, "builtin")
	case 14:
		return "time " + sub()
	case 15:
		return sub() + " &\nwait"
	case 16:
		return drawAssignment(t, depth)
	case 17:
		return "fn() { " + sub() + "; " + rapid.SampledFrom([]string{"return", "fn2 b", "local x=in; alpha \"$x\"", "x=out", "shift", "cd sub", "exit"}).Draw(t, "in function") + "; }; " +
			sub() + "; fn a \"$x\"; beta \"$x\""
	case 18:
		return sub() + " && fn() { " + sub() + "; } || " + sub() + "; fn b"
	case 19:
		return "for (( n=0; n<2; n++ )); do " + sub() + "; " + rapid.SampledFrom([]string{":", "break", "continue", "x=$x$n", "set -- \"$@\" q"}).Draw(t, "in loop") + "; done"
	case 20:
		return "while read -r v; do " + sub() + "; done <<< " + drawWord(t, 0)
	case 21:
		return "case " + drawWord(t, 0) + " in a*) " + sub() + rapid.SampledFrom([]string{";;&", ";&", ";;"}).Draw(t, "through") + " *) " + sub() + ";; esac"
	case 22:
		return "shopt -s expand_aliases\nalias al='" + rapid.SampledFrom([]string{"alpha q", "beta ", "alpha; beta", "x=al gamma"}).Draw(t, "alias") + "'\nal " + drawWords(t, 0)
	case 23:
		return "eval " + rapid.SampledFrom([]string{`'alpha "$x"'`, `"x=ev; beta" $y`, `'fn() { beta "$1"; }'`, `"$x"`, `alpha \; beta`}).Draw(t, "text")
	case 24:
		return "until " + sub() + "; do " + sub() + "; break; done"
	case 25:
		return "{ " + sub() + "; } | while read -r v; do " + sub() + "; x=piped; done"
	default:
		return drawCommand(t, depth-1)
	}
}

func drawAssignment(t *rapid.T, depth int) string {
	name := rapid.SampledFrom([]string{"x", "y", "v"}).Draw(t, "assigned")
	form := rapid.SampledFrom([]string{
		"%s+=W", "printf -v %s '%%s' W", "declare %s=W", "read -r %s <<< W", "a=(W W); %s=${a[1]}", "a[1]=W; alpha \"${a[@]}\"",
		"%s=${x:-W}", ": ${%s:=W}", "export %s=W", "%s=W alpha \"$x\"", "IFS=/ ; %s=W", "%s=$(beta W)", "unset -v %s", "declare -i %s=3", "let %s=4",
		"%s=W; %s=${y/a/b}", "%s=${x:0:1}", "%s=${#x}", "%s=${x^^}", "readonly %s=W", "set -- W", "a+=(W); beta \"${a[@]}\" ${#a[@]}", "fn2() { alpha f2 \"$@\"; }",
		"unset -f fn", "mapfile -t a <<< W", "{ alpha; } 2>&1 > \"$%s\"", "%s=~/W", "%s=W; beta ${!x}", "for %s; do alpha \"$v\"; done",
	}).Draw(t, "assignment")
	form = strings.ReplaceAll(form, "%s", name)
	for strings.Contains(form, "W") {
		form = strings.Replace(form, "W", drawWord(t, depth-1), 1)
	}
	return strings.ReplaceAll(form, "%%", "%")
}

func drawCommand(t *rapid.T, depth int) string {
	prefix := rapid.SampledFrom([]string{
		"", "", "", "", "", "x=1 ", "env ", "env A=1 ", "timeout 5 ", "nice -n 1 ", "command ", "builtin true; ", "exec ", "eval ", "nohup ",
		"bash -c 'alpha \"$1\"' - ", "sh -c 'beta; \"$@\"' - ", "setsid -w ", "stdbuf -o0 ", "xargs -n1 ",
	}).Draw(t, "prefix")
	redirect := rapid.SampledFrom([]string{"", "", "", " >out", " 2>&1", " </dev/null", " >/dev/null", " &>both", " <<<word"}).Draw(t, "redirect")
	return prefix + drawProgram(t) + " " + drawWords(t, depth) + redirect
}

func drawProgram(t *rapid.T) string {
	name := rapid.SampledFrom(stubs[:5]).Draw(t, "program")
	switch rapid.IntRange(0, 9).Draw(t, "spelling") {
	case 0:
		return `"` + name[:1] + `"` + name[1:]
	case 1:
		return name[:2] + `\` + name[2:]
	case 2:
		return "$'" + name[:1] + `'` + "''" + name[1:]
	case 3:
		return "$c " + name
	case 4:
		return "{" + name + "," + drawSimple(t) + "}"
	case 5:
		return "$(echo " + name + ")"
	case 6:
		return "${x:-" + name + "}"
	}
	return name
}

func drawSimple(t *rapid.T) string {
	return rapid.SampledFrom([]string{"a", "b1", "-x", "--long=v", "k=v", "sub", "a.b"}).Draw(t, "word")
}

func drawWords(t *rapid.T, depth int) string {
	n := rapid.IntRange(0, 3).Draw(t, "words")
	words := make([]string, n)
	for i := range words {
		words[i] = drawWord(t, depth)
	}
	return strings.Join(words, " ")
}

func drawWord(t *rapid.T, depth int) string {
	switch rapid.IntRange(0, 22).Draw(t, "word form") {
	case 0:
		return `"` + drawSimple(t) + ` two"`
	case 1:
		return `'single $x'`
	case 2:
		return `\$x`
	case 3:
		return "$x"
	case 4:
		return `"$x"`
	case 5:
		return "${y}z"
	case 6:
		return `"$@"`
	case 7:
		return "{p,q}" + drawSimple(t)
	case 8:
		return "{1..3}"
	case 9:
		return "*"
	case 10:
		return `"${a[@]}"`
	case 11:
		return `$'t\ta\x41'`
	case 12:
		return "$((1+2))"
	case 13:
		return "${x:-d}${x:+e}"
	case 14:
		return "${y%b*}${y#a}"
	case 15:
		return rapid.SampledFrom([]string{"~", "~/f", "k=~/f", "k=~", "k=a:~/b", "--o=~/f", "a~", "'~'"}).Draw(t, "tilde")
	case 16:
		return `""`
	case 17:
		if depth > 0 {
			return "$(" + drawStatement(t, depth-1) + ")"
		}
	case 18:
		if depth > 0 {
			return "`" + drawProgram2(t) + "`"
		}
	case 19:
		if depth > 0 {
			return "<(" + drawCommand(t, 0) + ")"
		}
	case 20:
		return "$v"
	case 21:
		return `"${1}"$2`
	}
	return drawSimple(t)
}

func drawProgram2(t *rapid.T) string {
	return rapid.SampledFrom(stubs[:5]).Draw(t, "quoted") + " " + drawSimple(t)
}

// soup are pieces of syntax where parsers go wrong.
var soup = []string{
	"alpha", "beta", "rm", "git", " ", " ", " ", " ", "\n", ";", "&&", "||", "|", "&", "(", ")", "{ ", "}", "'", "'", "\"", "\"",
	"`", "\\", "\\\n", "$", "$(", "${", "${x:-", "${x:-'", "${x#", "${x/", "$((", "))", "((", "<(", ">(", "<<", "<<-", "<<<", "EOF", "'EOF'", "\nEOF\n",
	">", ">>", "<", "2>", "&>", ">|", "x=", "x", "y=(", "[", "]", "[[ ", " ]]", "=~", "*", "?", "~", "#", " # ", "!", "! ", "$'", "$\"", "a", "1", ",", "{a,b}", "..",
	"if ", "then ", "fi", "for v in ", "do ", "done", "case ", " in ", ";;", "esac", "function ", "()", "time ", "coproc ", "-", "--", "=", "+", "@(", "!(", "\t", "$x", "\"$x\"", "$@", "eval ", "exec ",
}

// TestDifferentialSoup throws pieces of syntax together: most do not parse,
// and where the parser and bash agree that something does, they must agree
// about what runs.
func TestDifferentialSoup(t *testing.T) {
	t.Parallel()
	b := newBench(t)
	if b == nil {
		return
	}
	total, opaque, ran := 0, 0, 0
	rapid.Check(t, func(t *rapid.T) {
		script := drawSoup(t)
		o, n := b.compare(t, script)
		total++
		ran += n
		if o {
			opaque++
		}
	})
	t.Logf("%d scripts, %d opaque, %d programs ran", total, opaque, ran)
}
