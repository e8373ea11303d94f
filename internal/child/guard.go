// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package child

import (
	"fmt"
	"os"
	"os/exec"
	"strconv"
	"sync"
)

// guardScript reads the numbers of process groups, with "+" when one begins and
// "-" when it is gone. Its input ends when the gate does; then it kills what is
// left. It reads nothing but numbers that this package wrote.
const guardScript = `trap '' HUP INT TERM
groups=
while read -r op id; do
  case $op in
  +) groups="$groups $id" ;;
  -) kept=
     for g in $groups; do [ "$g" = "$id" ] || kept="$kept $g"; done
     groups=$kept ;;
  esac
done
for g in $groups; do kill -s KILL -- "-$g"; done 2>/dev/null
exit 0
`

// Guard is a small process that outlives the gate by a moment, to kill the
// children's groups when the gate is killed. The kernel alone would only kill the
// children themselves, not the servers that a launcher such as npx or uvx started.
// It is safe for concurrent use. A nil Guard guards nothing.
type Guard struct {
	mu   sync.Mutex
	pipe *os.File // nil once it is closed
	done chan struct{}
}

// StartGuard starts a guard. Where the system has no /bin/sh there is none.
func StartGuard() (*Guard, error) {
	theirs, ours, err := os.Pipe()
	if err != nil {
		return nil, fmt.Errorf("start guard: %w", err)
	}
	defer theirs.Close()
	cmd := exec.Command("/bin/sh", "-c", guardScript) //nolint:noctx // it outlives every context
	cmd.Stdin, cmd.Dir, cmd.Env = theirs, "/", []string{}
	if err := detach(cmd); err != nil {
		ours.Close()
		return nil, fmt.Errorf("start guard: %w", err)
	}
	if err := cmd.Start(); err != nil {
		ours.Close()
		return nil, fmt.Errorf("start guard: %w", err)
	}
	g := &Guard{pipe: ours, done: make(chan struct{})}
	go func() {
		_ = cmd.Wait() // nobody minds how it ended
		close(g.done)
	}()
	return g, nil
}

// watch has the group of a process killed when the gate dies.
func (g *Guard) watch(pid int) { g.tell("+", pid) }

// forget says that the group is gone: its number may soon be another's.
func (g *Guard) forget(pid int) { g.tell("-", pid) }

func (g *Guard) tell(op string, pid int) {
	if g == nil {
		return
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.pipe != nil {
		// A guard that somebody killed is missed only if the gate is killed too.
		_, _ = g.pipe.WriteString(op + " " + strconv.Itoa(pid) + "\n")
	}
}

// Close ends the guard, which kills what it still watches. It returns when the
// guard is gone.
func (g *Guard) Close() {
	if g == nil {
		return
	}
	g.mu.Lock()
	pipe := g.pipe
	g.pipe = nil
	g.mu.Unlock()
	if pipe != nil {
		pipe.Close()
	}
	<-g.done
}
