// Copyright 2026 The Toolverdict Authors
// SPDX-License-Identifier: Apache-2.0

package child_test

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"os/exec"
	"os/signal"
	"slices"
	"strings"
	"syscall"
	"testing"

	"github.com/toolverdict/toolverdict/internal/child"
)

// TestMain runs the test binary again as one of the children.
func TestMain(m *testing.M) {
	if len(os.Args) > 2 && os.Args[1] == "as" {
		if err := play(os.Args[2], os.Args[3:]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(3)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

// as is the command line of a child with a role.
func as(role string, args ...string) []string {
	return append([]string{os.Args[0], "as", role}, args...)
}

func play(role string, args []string) error {
	switch role {
	case "echo":
		_, err := io.Copy(os.Stdout, os.Stdin)
		return err
	case "env":
		env := os.Environ()
		slices.Sort(env)
		dir, err := os.Getwd()
		fmt.Printf("%s\n%s\n", dir, strings.Join(env, " "))
		return err
	case "write": // its arguments, and ends
		_, err := io.WriteString(os.Stdout, strings.Join(args, ""))
		return err
	case "complain":
		fmt.Fprint(os.Stderr, strings.Join(args, "\n"))
		return errors.New("giving up")
	case "hold": // a connection, whatever it is told
		return hold(args[0])
	case "leave": // a process behind, and end when the input does
		cmd := exec.Command(os.Args[0], "as", "hold", args[0])
		cmd.Stdout = os.Stdout
		if err := cmd.Start(); err != nil {
			return err
		}
		_, err := io.Copy(io.Discard, os.Stdin)
		return err
	case "half": // read half a line and close the input
		in := make([]byte, 10)
		_, err := io.ReadFull(os.Stdin, in)
		os.Stdin.Close()
		fmt.Println("closed")
		<-make(chan bool)
		return err
	case "gate": // start a child and wait to be killed
		c, err := child.Start(child.Config{Argv: as("hold", args[0])})
		if err != nil {
			return err
		}
		_, err = c.Read()
		return err
	case "guarded gate": // start one that starts another
		g, err := child.StartGuard()
		if err != nil {
			return err
		}
		c, err := child.Start(child.Config{Argv: as("leave", args[0]), Guard: g})
		if err != nil {
			return err
		}
		_, err = c.Read()
		return err
	}
	return fmt.Errorf("no role %q", role)
}

// hold connects, and then neither reads, nor ends when it is asked to.
func hold(address string) error {
	signal.Ignore(syscall.SIGTERM, syscall.SIGINT, syscall.SIGHUP)
	conn, err := net.Dial("unix", address)
	if err != nil {
		return err
	}
	if _, err := fmt.Fprintln(conn, "here"); err != nil {
		return err
	}
	_, err = conn.Read(make([]byte, 1))
	return err
}

// witness learns of the death of a process that holds a connection to it.
type witness struct {
	t        *testing.T
	address  string
	listener net.Listener
	conn     net.Conn
}

func newWitness(t *testing.T) *witness {
	t.Helper()
	w := &witness{t: t, address: t.TempDir() + "/s"}
	var err error
	if w.listener, err = net.Listen("unix", w.address); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { w.listener.Close() })
	return w
}

// meets waits until the process is there.
func (w *witness) meets() {
	w.t.Helper()
	conn, err := w.listener.Accept()
	if err != nil {
		w.t.Fatal(err)
	}
	w.conn = conn
	w.t.Cleanup(func() { conn.Close() })
	if line, err := bufio.NewReader(conn).ReadString('\n'); line != "here\n" {
		w.t.Fatalf("process said %q, %v", line, err)
	}
}

// mourns waits until the process is gone: only then the connection ends.
func (w *witness) mourns() {
	w.t.Helper()
	if n, err := w.conn.Read(make([]byte, 1)); n > 0 || err == nil {
		w.t.Fatal("the process wrote instead of ending")
	}
}
