// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

//go:build linux

package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	tv "github.com/toolverdict/toolverdict"
	"github.com/toolverdict/toolverdict/audit"
	"github.com/toolverdict/toolverdict/internal/store/sqlite"
)

// Tests that need a process of their own, to kill it or to starve it, start this
// test binary again with these variables.
const (
	childMode = "TOOLVERDICT_TEST_CHILD"
	childDir  = "TOOLVERDICT_TEST_DIR"
	childArg  = "TOOLVERDICT_TEST_ARG"
)

func TestMain(m *testing.M) {
	modes := map[string]func(dir, arg string) error{
		"kill at": childKillAt, "kill any": childKillAny, "umask": childUmask, "full": childFull,
		"small disk": childSmallDisk,
	}
	if child, ok := modes[os.Getenv(childMode)]; ok {
		if err := child(os.Getenv(childDir), os.Getenv(childArg)); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	// Random histories of a store on a disk take long; -rapid.checks asks for more.
	if err := flag.Set("rapid.checks", "25"); err != nil {
		panic(err)
	}
	os.Exit(m.Run())
}

func child(t *testing.T, mode, dir, arg string) *exec.Cmd {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), self)
	cmd.Env = append(os.Environ(), childMode+"="+mode, childDir+"="+dir, childArg+"="+arg)
	return cmd
}

// act is one whole act: claim, approval, limit and record together.
func act(name string) tv.Changes {
	now := time.Now()
	return tv.Changes{
		Records: []tv.Record{{Kind: tv.RecordDecision, At: now, CallID: name}},
		Claims: []tv.ClaimChange{{To: tv.Claim{
			Key: name, State: tv.ClaimDispatched, Node: "child", CallID: name, Updated: now, Deadline: now.Add(time.Minute),
		}}},
		Approvals: []tv.ApprovalChange{{To: tv.Approval{ID: name, State: tv.ApprovalPending, Created: now, Expires: now.Add(time.Minute)}}},
		Takes:     []tv.Limit{{Rule: "r", Key: "limit", Max: 1 << 30, Per: time.Hour}},
	}
}

func childOpen(dir string) (*sqlite.Store, error) {
	return sqlite.Open(context.Background(), sqlite.Config{Dir: dir, Node: "child", Now: time.Now})
}

// childKillAt writes acts from several callers and kills itself at a point of a
// transaction. It tells each act before it begins and once it is committed.
func childKillAt(dir, arg string) error {
	point, nth, _ := strings.Cut(arg, "#")
	left, err := strconv.Atoi(nth)
	if err != nil {
		return err
	}
	s, err := childOpen(dir)
	if err != nil {
		return err
	}
	s.StopAt(func(at string) { // called from the writer alone
		if at != point {
			return
		}
		if left--; left <= 0 {
			_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
			select {}
		}
	})
	return writeActs(s)
}

// childKillAny writes acts until it is killed from outside.
func childKillAny(dir, _ string) error {
	s, err := childOpen(dir)
	if err != nil {
		return err
	}
	return writeActs(s)
}

func writeActs(s *sqlite.Store) error {
	var wg sync.WaitGroup
	errs := make(chan error, 1)
	for caller := range 4 {
		wg.Go(func() {
			for i := 0; ; i++ {
				name := fmt.Sprintf("act-%d-%d", caller, i)
				fmt.Println("begin", name)
				if err := s.Commit(context.Background(), act(name)); err != nil {
					select {
					case errs <- err:
					default:
					}
					return
				}
				fmt.Println("done", name)
			}
		})
	}
	wg.Wait()
	return <-errs
}

// told reads what a child said before it ended.
func told(t *testing.T, out io.Reader) (begun, done map[string]bool) {
	t.Helper()
	begun, done = map[string]bool{}, map[string]bool{}
	lines := bufio.NewScanner(out)
	for lines.Scan() {
		word, name, _ := strings.Cut(lines.Text(), " ")
		switch word {
		case "begin":
			begun[name] = true
		case "done":
			done[name] = true
		default:
			t.Errorf("the child says: %s", lines.Text())
		}
	}
	return begun, done
}

// killed checks what a killed process left: every act it was told is done is
// there, every act is whole or not there, and the log is good.
func killed(t *testing.T, dir string, begun, done map[string]bool) {
	t.Helper()
	ctx := t.Context()
	left := looked(t, dir)
	s, err := sqlite.Open(ctx, sqlite.Config{Dir: dir, Node: "heir", Now: time.Now})
	if err != nil {
		t.Fatalf("after the kill: %v", err)
	}
	defer s.Close()
	if r := verified(t, s); r.Unsigned != 0 || r.Records != left.Records {
		t.Errorf("the heir has signed %d of %d records, and there were %d", r.Signed, r.Records, left.Records)
	}
	written := int64(0)
	for name := range begun {
		_, errClaim := s.Claim(ctx, name)
		_, errApproval := s.Approval(ctx, name)
		there := errClaim == nil
		if there != (errApproval == nil) {
			t.Errorf("%s is there by half: claim %v, approval %v", name, errClaim, errApproval)
		}
		if done[name] && !there {
			t.Errorf("%s was done, and is gone", name)
		}
		if there {
			written++
		}
	}
	r := verified(t, s)
	if r.Records != written {
		t.Errorf("the log has %d records of %d acts", r.Records, written)
	}
	u, err := s.Usage(ctx, []tv.Limit{{Key: "limit", Per: time.Hour}}, time.Now())
	if err != nil || int64(u[0].Count) != written {
		t.Errorf("the limit counted %d of %d acts (%v)", u[0].Count, written, err)
	}
	dead, err := s.DeadNodes(ctx)
	if err != nil || written > 0 && len(dead) != 1 {
		t.Errorf("dead nodes: %v (%v)", dead, err)
	}
	if err := s.Commit(ctx, act("the heir's")); err != nil {
		t.Errorf("the heir cannot write: %v", err)
	}
}

// looked verifies what a killed process left, before anybody else touches it: a
// tail may be unsigned, and is told.
func looked(t *testing.T, dir string) audit.Report {
	t.Helper()
	v, err := sqlite.OpenLog(t.Context(), dir)
	if err != nil {
		t.Fatal(err)
	}
	r, err := audit.Verify(t.Context(), audit.Job{Log: v, Key: v.Key()})
	if err := errors.Join(err, v.Close()); err != nil {
		t.Fatal(err)
	}
	if !r.OK() || r.Unsigned >= audit.CheckpointEvery || r.Signed+r.Unsigned != r.Records {
		t.Errorf("a killed process left %+v", r)
	}
	return r
}

func verified(t *testing.T, s *sqlite.Store) audit.Report {
	t.Helper()
	v, err := s.Log(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	r, err := audit.Verify(t.Context(), audit.Job{Log: v, Key: v.Key()})
	if err := errors.Join(err, v.Close()); err != nil {
		t.Fatal(err)
	}
	if !r.OK() {
		t.Fatalf("the log has a fault: %v", r.Fault)
	}
	return r
}

// TestKillAtEveryPoint kills the writing process at marked points around a
// commit.
func TestKillAtEveryPoint(t *testing.T) {
	t.Parallel()
	for _, point := range []string{"begun", "applied", "commit", "committed"} {
		for _, nth := range []int{1, 2, 90} {
			t.Run(fmt.Sprintf("%s %d", point, nth), func(t *testing.T) {
				t.Parallel()
				dir := filepath.Join(t.TempDir(), "data")
				out, err := child(t, "kill at", dir, fmt.Sprintf("%s#%d", point, nth)).Output()
				if !wasKilled(err) {
					t.Fatalf("the child was not killed: %v", err)
				}
				begun, done := told(t, strings.NewReader(string(out)))
				if nth > 10 && len(done) == 0 {
					t.Error("nothing was done before the kill")
				}
				killed(t, dir, begun, done)
			})
		}
	}
}

// TestKillAnywhere kills the writing process at no point in particular, again
// and again on one folder.
func TestKillAnywhere(t *testing.T) {
	t.Parallel()
	for round := range 6 {
		dir := filepath.Join(t.TempDir(), "data")
		cmd := child(t, "kill any", dir, "")
		out, err := cmd.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		var said strings.Builder
		lines := bufio.NewScanner(out)
		for n := 0; lines.Scan(); n++ {
			said.WriteString(lines.Text() + "\n")
			if n == 50+37*round {
				if err := cmd.Process.Kill(); err != nil {
					t.Fatal(err)
				}
			}
		}
		if err := cmd.Wait(); !wasKilled(err) {
			t.Fatalf("the child was not killed: %v", err)
		}
		begun, done := told(t, strings.NewReader(said.String()))
		killed(t, dir, begun, done)
	}
}

func wasKilled(err error) bool {
	var exit *exec.ExitError
	if !errors.As(err, &exit) {
		return false
	}
	status, ok := exit.Sys().(syscall.WaitStatus)
	return ok && status.Signaled() && status.Signal() == syscall.SIGKILL
}

// childUmask opens a store under a umask and leaves it open while it looks.
func childUmask(dir, arg string) error {
	mask, err := strconv.ParseInt(arg, 8, 32)
	if err != nil {
		return err
	}
	syscall.Umask(int(mask))
	s, err := childOpen(filepath.Join(dir, "new", "data"))
	if err != nil {
		return err
	}
	if err := s.Commit(context.Background(), act("one")); err != nil {
		return err
	}
	err = filepath.Walk(filepath.Join(dir, "new", "data"), func(path string, info os.FileInfo, err error) error {
		if err == nil {
			fmt.Println(info.Mode(), filepath.Base(path))
		}
		return err
	})
	return errors.Join(err, s.Close())
}

func TestModesWhateverTheUmask(t *testing.T) {
	t.Parallel()
	for _, mask := range []string{"0", "022", "077"} {
		out, err := child(t, "umask", t.TempDir(), mask).Output()
		if err != nil {
			t.Fatalf("umask %s: %v\n%s", mask, err, out)
		}
		seen := 0
		for line := range strings.Lines(string(out)) {
			seen++
			if !strings.HasPrefix(line, "-rw------- ") && !strings.HasPrefix(line, "drwx------ ") {
				t.Errorf("umask %s: others may touch %s", mask, line)
			}
		}
		if seen < 8 { // folder, database, wal, shm, two keys, nodes, the node, the lock
			t.Errorf("umask %s: only %d files were there:\n%s", mask, seen, out)
		}
	}
}

// childFull fills the space that the process may use, finds out that nothing
// can be written and nothing was lost, gets more space, and goes on.
func childFull(dir, _ string) error {
	signal.Ignore(syscall.SIGXFSZ)
	s, err := childOpen(dir)
	if err != nil {
		return err
	}
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_FSIZE, &limit); err != nil {
		return err
	}
	small := limit
	small.Cur = 600 << 10 // the tables themselves, on their way to the database, take half of it
	if err := syscall.Setrlimit(syscall.RLIMIT_FSIZE, &small); err != nil {
		return err
	}
	return starve(s, func() error { return syscall.Setrlimit(syscall.RLIMIT_FSIZE, &limit) })
}

// starve writes until the disk takes no more, and goes on when feed has made
// room.
func starve(s *sqlite.Store, feed func() error) error {
	ctx := context.Background()
	failed := fill(s, act)
	switch {
	case failed == nil:
		return errors.New("the disk never was full")
	case !strings.Contains(failed.Error(), "disk"):
		return fmt.Errorf("the error does not speak of the disk: %w", failed)
	}
	if failed = fill(s, func(name string) tv.Changes { return tv.Changes{Records: act(name).Records} }); failed == nil {
		return errors.New("the disk took what is small")
	}
	if s.Healthy(ctx) == nil {
		return errors.New("a store that cannot write says that it is healthy")
	}
	for i := range 20 { // it stays so, for every caller, and lazy ones are counted
		if err := s.Commit(ctx, act(fmt.Sprint("more-", i))); err == nil {
			return errors.New("a full disk took more")
		}
		if err := s.Commit(ctx, tv.Changes{Lazy: true, Records: act(fmt.Sprint("lazy-", i)).Records}); err != nil {
			return err
		}
	}
	if _, err := s.Claim(ctx, "fill-0"); err != nil {
		return fmt.Errorf("nothing can be read any more: %w", err)
	}
	if err := s.Commit(ctx, act("last")); err == nil { // the lazy ones before it have had their turn
		return errors.New("a full disk took more")
	}
	if err := feed(); err != nil {
		return err
	}
	if err := s.Healthy(ctx); err != nil {
		return fmt.Errorf("with room again: %w", err)
	}
	for i := range 300 {
		name := fmt.Sprintf("fed-%d", i)
		fmt.Println("begin", name)
		if err := s.Commit(ctx, act(name)); err != nil {
			return fmt.Errorf("with room again: %w", err)
		}
		fmt.Println("done", name)
	}
	return s.Close()
}

// fill writes changes until five in a row have failed.
func fill(s *sqlite.Store, change func(name string) tv.Changes) (failed error) {
	for n, bad := 0, 0; bad < 5 && n < 10_000; n++ {
		c := change(fmt.Sprint("fill-", n))
		c.Records[0].CallID = fmt.Sprintf("fill-%d-%d", len(c.Claims), n)
		name := c.Records[0].CallID
		fmt.Println("begin", name)
		err := s.Commit(context.Background(), c)
		if err != nil {
			failed = err
			bad++
			continue
		}
		bad = 0
		fmt.Println("done", name)
	}
	return failed
}

// fed checks what a starved process left.
func fed(t *testing.T, dir string, done map[string]bool) {
	t.Helper()
	ctx := t.Context()
	s, err := sqlite.Open(ctx, sqlite.Config{Dir: dir, Node: "heir", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	v, err := s.Log(ctx)
	if err != nil {
		t.Fatal(err)
	}
	defer v.Close()
	all, err := v.Find(ctx, audit.Query{Page: audit.Page{Limit: 1 << 20}})
	if err != nil {
		t.Fatal(err)
	}
	lazy, lost := 0, 0
	for _, n := range all {
		switch {
		case strings.HasPrefix(n.CallID, "lazy-"):
			lazy++
		case n.Kind == tv.RecordAdmin:
			var some int
			if _, err := fmt.Sscanf(n.Detail, "%d outcomes of read-only calls", &some); err != nil {
				t.Errorf("%q: %v", n.Detail, err)
			}
			lost += some
		case !done[n.CallID]:
			t.Errorf("%s is in the log, and its caller was told that it failed", n.CallID)
		default:
			delete(done, n.CallID)
		}
	}
	if len(done) > 0 {
		t.Errorf("%d acts were done, and are not in the log", len(done))
	}
	if lost == 0 || lazy+lost != 20 {
		t.Errorf("of 20 lazy changes %d are in the log, and it tells of %d that were lost", lazy, lost)
	}
	verified(t, s)
}

func TestFullDisk(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	out, err := child(t, "full", dir, "").Output()
	if err != nil {
		t.Fatalf("%v\n%s", err, tail(out))
	}
	_, done := told(t, strings.NewReader(string(out)))
	fed(t, dir, done)
}

func tail(out []byte) string { return string(out[max(0, len(out)-2000):]) }

// childSmallDisk mounts a small disk of its own, fills it for real, and makes
// it read-only for real.
func childSmallDisk(dir, _ string) error {
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=24m,mode=0700"); err != nil {
		fmt.Println("cannot mount:", err)
		return nil
	}
	data, ballast := filepath.Join(dir, "data"), filepath.Join(dir, "ballast")
	if err := os.WriteFile(ballast, make([]byte, 23<<20), 0o600); err != nil {
		return err
	}
	s, err := childOpen(data)
	if err != nil {
		return err
	}
	if err := starve(s, func() error { return os.Remove(ballast) }); err != nil {
		return err
	}
	remount := func(flags uintptr) error { return syscall.Mount("tmpfs", dir, "tmpfs", syscall.MS_REMOUNT|flags, "") }
	if err := remount(syscall.MS_RDONLY); err != nil {
		return err
	}
	if s, err := childOpen(data); err == nil {
		return errors.Join(errors.New("a store on a read-only disk opened"), s.Close())
	}
	v, err := sqlite.OpenLog(context.Background(), data)
	if err != nil {
		return fmt.Errorf("the log of a read-only disk cannot be read: %w", err)
	}
	r, err := audit.Verify(context.Background(), audit.Job{Log: v, Key: v.Key()})
	if err := errors.Join(err, v.Close()); err != nil {
		return err
	}
	if !r.OK() {
		return r.Fault
	}
	if err := remount(0); err != nil {
		return err
	}
	if s, err = childOpen(data); err != nil {
		return fmt.Errorf("writable again: %w", err)
	}
	if err := s.Commit(context.Background(), act("writable")); err != nil {
		return err
	}
	fmt.Println("small disk done")
	return s.Close()
}

// TestSmallDisk needs leave to mount a disk in a namespace of its own. Where
// there is none, TestFullDisk is what remains.
func TestSmallDisk(t *testing.T) {
	t.Parallel()
	cmd := child(t, "small disk", t.TempDir(), "")
	cmd.SysProcAttr = &syscall.SysProcAttr{
		Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
		UidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getuid(), Size: 1}},
		GidMappings: []syscall.SysProcIDMap{{ContainerID: 0, HostID: os.Getgid(), Size: 1}},
	}
	out, err := cmd.Output()
	var exit *exec.ExitError
	switch {
	case err != nil && !errors.As(err, &exit):
		t.Logf("this system lets nobody mount a disk of his own: %v", err)
	case err != nil:
		t.Errorf("%v\n%s", err, tail(out))
	case strings.HasPrefix(string(out), "cannot mount"):
		t.Logf("this system lets nobody mount a disk of his own: %s", out)
	case !strings.Contains(string(out), "small disk done"):
		t.Errorf("it ended before its end:\n%s", tail(out))
	}
}

// TestNodeKilledBesideALivingOne: the process that goes on sees that the other
// one is gone, as soon as it is.
func TestNodeKilledBesideALivingOne(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	s, err := sqlite.Open(t.Context(), sqlite.Config{Dir: dir, Node: "survivor", Now: time.Now})
	if err != nil {
		t.Fatal(err)
	}
	defer s.Close()
	cmd := child(t, "kill any", dir, "")
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	for lines := bufio.NewScanner(out); lines.Scan(); {
		if !strings.HasPrefix(lines.Text(), "done") {
			continue
		}
		if dead, err := s.DeadNodes(t.Context()); err != nil || len(dead) > 0 {
			t.Errorf("while it lives: dead nodes %v (%v)", dead, err)
		}
		if err := s.Commit(t.Context(), act("the survivor's")); err != nil {
			t.Error(err)
		}
		break
	}
	if err := cmd.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	_, _ = io.Copy(io.Discard, out)
	if err := cmd.Wait(); !wasKilled(err) {
		t.Fatalf("the child was not killed: %v", err)
	}
	if dead, err := s.DeadNodes(t.Context()); err != nil || len(dead) != 1 || dead[0] != "child" {
		t.Errorf("after the kill: dead nodes %v (%v)", dead, err)
	}
	if err := s.Commit(t.Context(), act("after the kill")); err != nil {
		t.Errorf("the survivor cannot write: %v", err)
	}
	verified(t, s)
}
